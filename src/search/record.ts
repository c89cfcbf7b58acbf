import type { BuildResult, Evaluation, Interval, ProblemOptions, Profile, Validation } from "../evaluation/calls.ts";
import type { Verdict } from "../evaluation/verdict.ts";
import type { Bottleneck } from "../knowledge/bottlenecks.ts";
import type { Direction } from "../knowledge/directions.ts";
import type { Contract } from "../problem/contract.ts";
import type { Candidate, Plan } from "../proposing/proposer.ts";
import type { Settings, SpaceName } from "../spaces/space.ts";

/** A run as one plain value, assembled from its facts: what `show` and the report print. Unfinished runs have nulls and short lists. */
export interface RunRecord {
  readonly id: string;
  /** hiera's version */
  readonly hiera: string;
  readonly state: "unfinished" | "finished";
  /** ISO 8601, UTC */
  readonly createdAt: string;
  readonly updatedAt: string;
  /** seconds in which a process drove the run; pauses between kill and resume do not count */
  readonly activeSeconds: number;
  readonly problem: { readonly name: string; readonly file: string; readonly source: string };
  readonly options: RunOptions;
  readonly contract: Contract | null;
  readonly validation: Validation | null;
  /** the reference's own profile */
  readonly profile: Profile | null;
  readonly bottleneck: Bottleneck | null;
  /** oldest first */
  readonly rounds: readonly RoundRecord[];
  /** in the order in which they were proposed */
  readonly candidates: readonly CandidateRecord[];
  readonly result: ResultRecord | null;
  /** every fact's key, kind and time, in order */
  readonly log: readonly { readonly key: string; readonly kind: string; readonly at: string }[];
}

/** What the user asked for; recorded, so that `resume` needs nothing but the run's name. */
export interface RunOptions {
  readonly device: string;
  readonly proposer: string;
  /** null: the planner chooses */
  readonly space: SpaceName | null;
  readonly rounds: number;
  /** a round */
  readonly candidates: number;
  /** wall-clock budget; null: none */
  readonly minutes: number | null;
  readonly mode: ProblemOptions["mode"];
  readonly precision: ProblemOptions["precision"];
  readonly fixedRng: boolean;
  readonly tolerance: ProblemOptions["tolerance"];
  /** null: as many as the device has */
  readonly threads: number | null;
}

export interface RoundRecord {
  readonly round: number;
  /** the last is the one that was followed; earlier ones found no candidate and were widened */
  readonly plans: readonly Plan[];
  /** what the proposer could not cover, and why */
  readonly uncovered: readonly { readonly region: string; readonly reason: string; readonly space: SpaceName }[];
  /** ids of its candidates */
  readonly candidates: readonly string[];
}

/** One setting of a candidate's tunables, measured by a quick evaluation. */
export interface Trial {
  readonly settings: Settings;
  readonly verdict: Verdict;
  readonly reason: string;
  readonly ms: number | null;
  readonly speedup: Interval | null;
}

export interface CandidateRecord extends Candidate {
  /** `r2c3`: round 2, candidate 3 */
  readonly id: string;
  readonly round: number;
  /** of the last stage that was reached; null: none has finished */
  readonly verdict: Verdict | null;
  readonly reason: string;
  readonly log: readonly string[];
  /** of the most thorough evaluation; null where it was not timed */
  readonly speedup: Interval | null;
  readonly ms: number | null;
  /** the settings that the tuner chose */
  readonly settings: Settings;
  /** the drop-in file with these settings; null where it could not be wrapped */
  readonly source: string | null;
  /** first builds, with the initial settings */
  readonly builds: readonly BuildResult[];
  /** the initial settings first */
  readonly trials: readonly Trial[];
  /** every check on the run's seeds */
  readonly full: Evaluation | null;
  /** every check on new seeds: finalists only */
  readonly final: Evaluation | null;
}

export type Outcome = "improved" | "no-improvement" | "no-candidate";

export interface ResultRecord {
  readonly outcome: Outcome;
  /** the winner's id; null where the output is the reference itself, or where there is none */
  readonly best: string | null;
  /** why the search ended, in one sentence */
  readonly stopped: string;
  readonly verdict: Verdict | "no-candidate";
  readonly reason: string;
  readonly speedup: Interval | null;
  readonly baselineMs: number | null;
  readonly bestMs: number | null;
  readonly floorMs: number;
  readonly space: SpaceName | null;
  readonly direction: Direction | null;
  readonly candidates: { readonly total: number; readonly valid: number };
  /** the drop-in file without its header; null for `no-candidate` */
  readonly source: string | null;
  /** the final evaluation of `source` */
  readonly evaluation: Evaluation | null;
}
