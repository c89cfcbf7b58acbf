import { exitStatus, type HieraError } from "../errors.ts";

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Runs `work` with a signal that the first Ctrl-C aborts; the second ends the process at once. Throws `notice` where it was aborted. */
export async function untilInterrupted<T>(work: (signal: AbortSignal) => Promise<T>, notice: () => HieraError): Promise<T> {
  const stop = new AbortController();
  const interrupt = () => (stop.signal.aborted ? process.exit(exitStatus.interrupted) : stop.abort());
  for (const signal of signals) process.on(signal, interrupt);
  try {
    return await work(stop.signal);
  } catch (error) {
    throw stop.signal.aborted ? notice() : error;
  } finally {
    for (const signal of signals) process.off(signal, interrupt);
  }
}
