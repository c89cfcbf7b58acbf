import type { Bottleneck } from "../knowledge/bottlenecks.ts";
import { decide } from "../planning/decision.ts";
import type { Plan, Proposal, Proposer } from "../proposing/proposer.ts";
import { firstTrial, speedupOf, type Tried, tuneAndVerify } from "./attempt.ts";
import { type Answer, packAnswer, unpackAnswer } from "./bodies.ts";
import type { PreparedContext } from "./context.ts";
import { candidateId, keys } from "./keys.ts";
import type { RunOptions } from "./record.ts";
import { SearchState } from "./state.ts";
import { stopReason } from "./stopping.ts";

export interface Situation {
  readonly baselineMs: number;
  readonly bottleneck: Bottleneck;
  readonly options: RunOptions;
  readonly proposer: Proposer;
}

/** Round after round until a rule says stop. Returns what was learned, and why it ended. */
export async function searchRounds(
  context: PreparedContext,
  situation: Situation,
): Promise<{ state: SearchState; stopped: string }> {
  const state = new SearchState();
  const { options } = situation;
  const limits = { floorMs: context.contract.performance.floor.ms, rounds: options.rounds, space: options.space };
  for (let round = 1; ; round++) {
    const asked = await planAndPropose(context, situation, state, round);
    if (asked === null) return { state, stopped: "nothing is left to propose" };
    const before = state.bestSpeedup;
    const inTime = await examineAll(context, situation, state, asked);
    state.endRound(asked.plan, before);
    const stopped = inTime ? stopReason(state, limits) : `the budget of ${options.minutes} minutes is used`;
    if (stopped !== null) return { state, stopped };
  }
}

interface Asked {
  readonly plan: Plan;
  readonly proposal: Proposal;
}

/** Plans a round and asks for candidates; where there are none, plans again in a wider space. Null: none in any. */
async function planAndPropose(
  context: PreparedContext,
  situation: Situation,
  state: SearchState,
  round: number,
): Promise<Asked | null> {
  const { journal, contract, observe } = context;
  const { baselineMs, bottleneck, options, proposer } = situation;
  for (let attempt = 1; ; attempt++) {
    const { exhausted, past } = state;
    const plan = await journal.step(keys.plan(round, attempt), "plan", () =>
      decide({ round, contract, baselineMs, bottleneck, space: options.space, exhausted, past }),
    );
    if (plan === null) return null;
    observe({ type: "plan", plan });
    const request = { contract, plan, count: options.candidates, history: state.history };
    const answer = await journal.step<Answer>(keys.answer(round, attempt), "answer", async () => {
      const { candidates, uncovered } = await proposer.propose(request);
      return packAnswer({ candidates: candidates.slice(0, request.count), uncovered }, journal.store);
    });
    const proposal = unpackAnswer(answer, journal.store);
    state.uncovered.push(...proposal.uncovered.map((entry) => ({ ...entry, space: plan.space })));
    if (proposal.candidates.length > 0) return { plan, proposal };
    observe({ type: "exhausted", space: plan.space, why: state.exhaust(plan, proposal) });
  }
}

/** Runs every candidate once, then tunes and verifies the valid ones, fastest first. False where the time ran out before the last. */
async function examineAll(
  context: PreparedContext,
  { options }: Situation,
  state: SearchState,
  { plan, proposal }: Asked,
): Promise<boolean> {
  const { round } = plan;
  const named = proposal.candidates.map((candidate, index) => ({ id: candidateId(round, index), candidate }));
  context.observe({ type: "proposed", round, candidates: named.map(({ id, candidate }) => ({ id, title: candidate.title })) });
  const tried: Tried[] = [];
  const record = (...entries: readonly Tried[]) => state.examined.push(...entries.map((entry) => ({ ...entry, round })));
  for (const { id, candidate } of named) {
    if (!(await hasTime(context, keys.go(id), options.minutes))) return false;
    tried.push(await firstTrial(context, id, candidate));
  }
  const valid = tried.filter(({ attempt }) => attempt.evaluation.verdict === "valid").sort((a, b) => speedupOf(b) - speedupOf(a));
  record(...tried.filter((entry) => !valid.includes(entry)));
  for (const [index, entry] of valid.entries()) {
    const rest = valid.slice(index);
    if (!(await hasTime(context, keys.goOn(entry.id), options.minutes))) {
      record(...rest);
      return false;
    }
    const before = state.bestSpeedup;
    record(await tuneAndVerify(context, entry, Math.max(before, ...rest.map(speedupOf))));
    const best = state.ranking[0];
    if (best?.id === entry.id && best.speedup.median > before) {
      context.observe({ type: "best", id: best.id, speedup: best.speedup, ms: best.ms });
    }
  }
  return true;
}

/** A reading of the clock is a decision: recorded, so that a resumed run decides alike. */
async function hasTime({ journal }: PreparedContext, key: string, minutes: number | null): Promise<boolean> {
  if (minutes === null) return true;
  return journal.step(key, "decision", () => journal.activeMs < 60_000 * minutes);
}
