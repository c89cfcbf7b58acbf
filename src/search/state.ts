import type { Interval } from "../evaluation/calls.ts";
import { outcomeOf } from "../evaluation/feedback.ts";
import type { Past } from "../planning/decision.ts";
import type { Candidate, Outcome, Plan, Proposal } from "../proposing/proposer.ts";
import type { SpaceName } from "../spaces/space.ts";
import type { Attempt } from "./bodies.ts";

export interface Examined {
  readonly id: string;
  readonly round: number;
  readonly candidate: Candidate;
  readonly attempt: Attempt;
}

/** What is known at one point of a search; grows by what rounds bring. */
export class SearchState {
  readonly examined: Examined[] = [];
  readonly past: Past[] = [];
  readonly exhausted: { space: SpaceName; why: string }[] = [];
  readonly uncovered: { space: SpaceName; region: string; reason: string }[] = [];

  /** valid so far, fastest first; where time ran out, that may rest on a quick evaluation: the final one makes every check */
  get ranking(): readonly (Examined & { speedup: Interval; ms: number })[] {
    return this.examined
      .flatMap((entry) => {
        const { verdict, timing } = entry.attempt.evaluation;
        return verdict === "valid" && timing !== null ? [{ ...entry, speedup: timing.speedup, ms: timing.candidateMs }] : [];
      })
      .sort((a, b) => b.speedup.median - a.speedup.median);
  }

  /** over the reference; the reference itself is the first best */
  get bestSpeedup(): number {
    return Math.max(1, this.ranking[0]?.speedup.median ?? 1);
  }

  get history(): readonly Outcome[] {
    return this.examined.map(({ candidate, attempt }) => outcomeOf(candidate, attempt.settings, attempt.evaluation));
  }

  /** A proposer without a candidate has nothing more in that space: the planner must widen. */
  exhaust(plan: Plan, proposal: Proposal): string {
    const missing = proposal.uncovered.map(({ region, reason }) => `${region}: ${reason}`);
    const why = missing.length > 0 ? missing.join("; ") : "everything known was tried";
    this.exhausted.push({ space: plan.space, why });
    return why;
  }

  endRound(plan: Plan, before: number): void {
    const mine = this.examined.filter((entry) => entry.round === plan.round);
    const valid = mine.filter(({ attempt }) => attempt.evaluation.verdict === "valid").length;
    this.past.push({ plan, valid, gain: this.bestSpeedup / before });
  }
}
