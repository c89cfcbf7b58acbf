import type { HieraError } from "../errors.ts";
import type { RunRecord } from "../search/record.ts";

/** The last line of `optimize --json` and `resume --json`. */
export function answerJson(run: RunRecord, output: readonly string[]): object {
  const { result } = run;
  return {
    run: run.id,
    outcome: result?.outcome ?? null,
    verdict: result?.verdict ?? null,
    reason: result?.reason ?? null,
    speedup: result?.speedup ?? null,
    baseline_ms: result?.baselineMs ?? null,
    best_ms: result?.bestMs ?? null,
    floor_ms: result?.floorMs ?? null,
    space: result?.space ?? null,
    direction: result?.direction ?? null,
    candidates: result?.candidates ?? null,
    best: result?.best ?? null,
    stopped: result?.stopped ?? null,
    output: output[0] ?? null,
    report: output[1] ?? null,
  };
}

/** The last line of a command with --json that failed. */
export const failureJson = (run: string | null, error: HieraError): object => ({
  run,
  verdict: error.code,
  reason: error.message,
  speedup: null,
});
