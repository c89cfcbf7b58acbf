import { z } from "zod";
import type { Call } from "../devices/device.ts";
import type { Precision } from "../problem/contract.ts";
import type { BuildSpec } from "../spaces/space.ts";
import { Verdict } from "./verdict.ts";

/** A ratio with its 95 % interval, from paired measurements in one run. */
export const Interval = z.object({ median: z.number(), low: z.number(), high: z.number() });
export type Interval = z.infer<typeof Interval>;

/** Times in milliseconds a call; speedup is baseline over candidate, measured interleaved. */
export const Timing = z.object({
  candidateMs: z.number(),
  baselineMs: z.number(),
  speedup: Interval,
  pairs: z.int(),
  /** interquartile range over median of the candidate's times */
  spread: z.number(),
  cache: z.enum(["cold", "warm"]),
  callsPerBurst: z.int(),
});
export type Timing = z.infer<typeof Timing>;

export const Evaluation = z.object({
  verdict: Verdict,
  /** one line that a person or a model can act on */
  reason: z.string(),
  /** the stage's telling log lines */
  log: z.array(z.string()),
  /** which guards and fallbacks applied: `oracle: float64`, `parameters: by seed`, `isolation: uid` … */
  checks: z.array(z.string()),
  /** worst error found as a share of what the budget allows (1 = at the limit), over all variants and outputs */
  error: z.object({ share: z.number(), where: z.string() }).nullable(),
  timing: Timing.nullable(),
  /** wall seconds by stage: build, start, verify, measure */
  seconds: z.record(z.string(), z.number()),
});
export type Evaluation = z.infer<typeof Evaluation>;

export interface ProblemOptions {
  readonly mode: "as-is" | "train" | "eval";
  readonly precision: Precision;
  readonly fixedRng: boolean;
  readonly tolerance: "budget" | "kernelbench";
  readonly threads: number;
}

/** What the evaluator needs of a problem; the worker caches oracle, seeds and baseline by its content. */
export interface ProblemSpec {
  readonly source: string;
  readonly options: ProblemOptions;
}

export interface CandidateSpec {
  /** the whole `ModelNew` file as the user would import it */
  readonly source: string;
  /** builds that the file will ask for; made beforehand, outside the candidate's process */
  readonly builds: readonly BuildSpec[];
  /** the space whose rules are enforced on the built object; null allows everything */
  readonly space: "kernel" | "libraries" | "torch" | null;
}

/** `quick`: one variant, few pairs (tuning). `full`: every check. `final`: every check on new seeds, more pairs. */
export type Effort = "quick" | "full" | "final";

export const evaluate = (problem: ProblemSpec, candidate: CandidateSpec, effort: Effort): Call<Evaluation> => ({
  method: "evaluate",
  params: { problem, candidate, effort },
  result: Evaluation,
});

/** Checks the problem itself and makes oracle and baseline ready. Throws `problem-invalid` with the reason. */
export const Validation = z.object({
  baselineMs: z.number(),
  /** input variants that count: `own`, `zero-mean`, `scaled`, `shifted`, `heavy-tailed` */
  variants: z.array(z.string()),
  checks: z.array(z.string()),
});
export type Validation = z.infer<typeof Validation>;

export const validate = (problem: ProblemSpec): Call<Validation> => ({
  method: "validate",
  params: { problem },
  result: Validation,
});

export const BuildResult = z.object({
  ok: z.boolean(),
  cached: z.boolean(),
  seconds: z.number(),
  log: z.array(z.string()),
});
export type BuildResult = z.infer<typeof BuildResult>;

export const build = (spec: BuildSpec): Call<BuildResult> => ({
  method: "build",
  params: { build: spec },
  result: BuildResult,
});

/** Where the time of one call goes, and what bounds it. */
export const Profile = z.object({
  available: z.boolean(),
  why: z.string(),
  operators: z.array(z.object({ name: z.string(), ms: z.number(), calls: z.number() })),
  totalMs: z.number(),
});
export type Profile = z.infer<typeof Profile>;

export const profile = (problem: ProblemSpec, candidate: CandidateSpec | null): Call<Profile> => ({
  method: "profile",
  params: { problem, candidate },
  result: Profile,
});
