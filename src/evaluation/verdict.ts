import { z } from "zod";

/** Where several apply, the first decides. */
export const verdicts = [
  "tampering",
  "no-evidence",
  "compile-error",
  "timeout",
  "memory-error",
  "runtime-error",
  "wrong-interface",
  "input-mutated",
  "deferred",
  "stale",
  "nondeterministic",
  "incorrect",
  "imprecise",
  "outside-space",
  "valid",
] as const;

/** Not the candidate's fault, never scored. */
const notScored = ["problem-invalid", "infrastructure"] as const;

export const Verdict = z.enum([...verdicts, ...notScored]);
export type Verdict = z.infer<typeof Verdict>;
