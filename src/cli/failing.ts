import { HieraError } from "../errors.ts";
import { failureJson } from "./answer.ts";

/** With --json a failure too ends in one object on stdout; the line on stderr and the exit status stay the same. */
export async function printed<T>(json: boolean, run: string | null, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (json && error instanceof HieraError) process.stdout.write(`${JSON.stringify(failureJson(run, error))}\n`);
    throw error;
  }
}
