import { InvalidArgumentError, Option } from "@commander-js/extra-typings";
import { spaceNames } from "../spaces/space.ts";

/** Options that several commands share, so that a name means the same everywhere. */

export function positiveInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1) throw new InvalidArgumentError("Give a whole number of at least 1.");
  return value;
}

export function positiveNumber(text: string): number {
  const value = Number(text);
  if (!(Number.isFinite(value) && value > 0)) throw new InvalidArgumentError("Give a number above 0.");
  return value;
}

export const deviceOption = () => new Option("--device <name>", "where candidates are built and run").default("cpu");
export const spaceOption = (description: string) => new Option("--space <space>", description).choices(spaceNames);
export const workspaceOption = () => new Option("--workspace <folder>", "where runs are kept, in .hiera/").default(".");
export const jsonOption = () => new Option("--json", "print the answer as one JSON object on the last line");
export const precisionOption = () =>
  new Option("--precision <level>", "arithmetic of reference and candidate alike")
    .choices(["strict", "tf32", "bf16", "fp16"])
    .default("strict" as const);
export const modeOption = () =>
  new Option("--mode <mode>", "how the module is run").choices(["as-is", "train", "eval"]).default("as-is" as const);
export const fixedRngOption = () =>
  new Option("--fixed-rng", "accept a reference that draws random numbers; the state is fixed").default(false);
export const toleranceOption = () =>
  new Option("--tolerance <rule>", "what counts as equal").choices(["budget", "kernelbench"]).default("budget" as const);
export const threadsOption = () =>
  new Option("--threads <count>", "CPU threads for both sides (default: all)").argParser(positiveInteger);
