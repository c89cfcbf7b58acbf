import { gainThreshold, type Past } from "../planning/decision.ts";
import { type SpaceName, spaceNames } from "../spaces/space.ts";
import type { SearchState } from "./state.ts";

/** Share of the floor at which more search is not worth its time. */
const floorReached = 0.9;

export interface Limits {
  readonly floorMs: number;
  readonly rounds: number;
  /** the user's choice; null: the planner's */
  readonly space: SpaceName | null;
}

interface StopRule {
  readonly holds: (state: SearchState, limits: Limits) => boolean;
  readonly why: (state: SearchState, limits: Limits) => string;
}

const last = (state: SearchState): Past | undefined => state.past.at(-1);
const shareOf = (state: SearchState, { floorMs }: Limits) => floorMs / (state.ranking[0]?.ms ?? Number.POSITIVE_INFINITY);

/** While nothing is won yet, a wider space may still win it. */
function widerIsOpen(state: SearchState, limits: Limits): boolean {
  const widest = limits.space ?? spaceNames[spaceNames.length - 1];
  return state.bestSpeedup < gainThreshold && last(state)?.plan.space !== widest;
}

/** Asked after each round; the first that holds ends the search. */
const rules: readonly StopRule[] = [
  {
    holds: (state, limits) => shareOf(state, limits) >= floorReached,
    why: (state, limits) => `the best reaches ${Math.round(100 * shareOf(state, limits))} % of the floor`,
  },
  {
    holds: (state, limits) => (last(state)?.gain ?? gainThreshold) < gainThreshold && !widerIsOpen(state, limits),
    why: (state) => `round ${last(state)?.plan.round} brought no gain`,
  },
  {
    holds: (state, limits) => state.past.length >= limits.rounds,
    why: (_, limits) => `the budget of ${limits.rounds} round${limits.rounds === 1 ? "" : "s"} is used`,
  },
];

/** Why the search should end after its latest round; null: go on. */
export const stopReason = (state: SearchState, limits: Limits): string | null =>
  rules.find((rule) => rule.holds(state, limits))?.why(state, limits) ?? null;
