import type { Interval, Validation } from "../evaluation/calls.ts";
import type { Verdict } from "../evaluation/verdict.ts";
import type { Bottleneck } from "../knowledge/bottlenecks.ts";
import type { Contract } from "../problem/contract.ts";
import type { Plan } from "../proposing/proposer.ts";
import type { ResultRecord, RunOptions, Trial } from "./record.ts";

/** What happens in a search, as values: the live view, logs and programs observe them. A resumed run tells its recorded part again. */
export type SearchEvent =
  | { readonly type: "start"; readonly run: string; readonly problem: string; readonly options: RunOptions }
  | { readonly type: "stage"; readonly subject: string; readonly stage: string; readonly detail: string | undefined }
  | { readonly type: "retry"; readonly subject: string; readonly reason: string }
  | { readonly type: "contract"; readonly contract: Contract; readonly validation: Validation; readonly bottleneck: Bottleneck }
  | { readonly type: "plan"; readonly plan: Plan }
  | { readonly type: "exhausted"; readonly space: string; readonly why: string }
  | {
      readonly type: "proposed";
      readonly round: number;
      readonly candidates: readonly { readonly id: string; readonly title: string }[];
    }
  | { readonly type: "trial"; readonly id: string; readonly trial: Trial }
  | {
      readonly type: "verdict";
      readonly id: string;
      readonly effort: "quick" | "full" | "final";
      readonly verdict: Verdict;
      readonly reason: string;
      readonly speedup: Interval | null;
      readonly ms: number | null;
    }
  | { readonly type: "best"; readonly id: string; readonly speedup: Interval; readonly ms: number }
  | { readonly type: "stopped"; readonly reason: string }
  | { readonly type: "result"; readonly result: ResultRecord };

export type Observer = (event: SearchEvent) => void;
