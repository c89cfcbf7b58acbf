import type { Candidate, Outcome } from "../proposing/proposer.ts";
import type { Settings } from "../spaces/space.ts";
import type { BuildResult, Evaluation } from "./calls.ts";

const logLines = 12;

/** What a proposer is told of a candidate, in the order compile, correctness, time: the first that failed speaks. */
export function outcomeOf(candidate: Candidate, settings: Settings, evaluation: Evaluation): Outcome {
  return {
    candidate,
    settings,
    verdict: evaluation.verdict,
    reason: evaluation.reason,
    log: evaluation.log.slice(0, logLines),
    speedup: evaluation.timing?.speedup.median ?? null,
    ms: evaluation.timing?.candidateMs ?? null,
  };
}

/** A candidate that never ran: refused before the device could say anything of it. */
export function refusal(verdict: Evaluation["verdict"], reason: string, log: readonly string[] = []): Evaluation {
  return { verdict, reason, log: [...log], checks: [], error: null, timing: null, seconds: {} };
}

/** The compiler's first complaint as a verdict. */
export function compileError(failed: BuildResult): Evaluation {
  const telling = failed.log.find((line) => /\berror\b/i.test(line)) ?? failed.log[0] ?? "the compiler gave no reason";
  return { ...refusal("compile-error", telling.trim(), failed.log), seconds: { build: failed.seconds } };
}
