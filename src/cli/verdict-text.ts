import type { Evaluation } from "../evaluation/calls.ts";
import { evidence } from "../report/answer.ts";
import { range, time, times } from "../report/numbers.ts";

/** The last line of `evaluate --json`. `speedup` is the median; null where it was not timed. */
export const evaluationJson = (evaluation: Evaluation): object => ({
  verdict: evaluation.verdict,
  reason: evaluation.reason,
  speedup: evaluation.timing?.speedup.median ?? null,
  interval: evaluation.timing?.speedup ?? null,
  baseline_ms: evaluation.timing?.baselineMs ?? null,
  candidate_ms: evaluation.timing?.candidateMs ?? null,
  error: evaluation.error,
  checks: evaluation.checks,
  log: evaluation.log,
  seconds: evaluation.seconds,
});

/** The verdict and why, then the time and what stands behind it, or the telling log lines. */
export function evaluationText(evaluation: Evaluation): string {
  const { verdict, reason, timing, log } = evaluation;
  return [
    `${verdict}: ${reason}`,
    timing &&
      `${times(timing.speedup.median)} ${range(timing.speedup)}: ${time(timing.baselineMs)} → ${time(timing.candidateMs)} a call`,
    ...evidence(evaluation),
    ...(verdict === "valid" ? [] : log.map((line) => `  ${line}`)),
  ]
    .filter(Boolean)
    .join("\n")
    .concat("\n");
}
