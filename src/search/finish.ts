import type { Evaluation } from "../evaluation/calls.ts";
import type { Candidate } from "../proposing/proposer.ts";
import { verify } from "./attempt.ts";
import type { Attempt } from "./bodies.ts";
import type { PreparedContext } from "./context.ts";
import { keys, referenceId } from "./keys.ts";
import type { ResultRecord, RunOptions } from "./record.ts";
import type { SearchState } from "./state.ts";

/** The reference under the drop-in's name: the honest answer where nothing was faster. */
const reference: Candidate = {
  title: "the reference itself",
  space: "torch",
  direction: "control-flow",
  files: { "model_new.py": "class ModelNew(Model):\n    pass\n" },
  tunables: [],
  origin: { proposer: "hiera", recipes: [], note: "no candidate was faster" },
};

/** Verifies the fastest on new seeds, the next where it fails, and draws the conclusion. */
export async function finish(
  context: PreparedContext,
  state: SearchState,
  stopped: string,
  options: RunOptions,
): Promise<ResultRecord> {
  const { winner, refuted } = await firstConfirmed(context, state);
  const outcome = winner === null && options.space !== null && options.space !== "torch" ? "no-candidate" : "no-improvement";
  const known = {
    stopped,
    floorMs: context.contract.performance.floor.ms,
    candidates: { total: state.examined.length, valid: state.ranking.length - refuted },
  };
  return context.journal.step(keys.result, "result", async () => {
    if (winner !== null && (winner.attempt.evaluation.timing?.speedup.low ?? 0) > 1) {
      const { id, candidate, attempt } = winner;
      return {
        ...known,
        outcome: "improved",
        best: id,
        space: candidate.space,
        direction: candidate.direction,
        ...measured(attempt),
      };
    }
    if (outcome === "no-candidate") return { ...known, ...nothing, reason: whyNone(state, options) };
    const attempt = await verify(context, referenceId, reference, {}, "final");
    return { ...known, outcome, best: null, space: "torch", direction: null, ...measured(attempt) };
  });
}

async function firstConfirmed(context: PreparedContext, state: SearchState) {
  let refuted = 0;
  for (const entry of state.ranking) {
    const attempt = await verify(context, entry.id, entry.candidate, entry.attempt.settings, "final");
    if (attempt.evaluation.verdict === "valid") return { winner: { ...entry, attempt }, refuted };
    refuted++;
  }
  return { winner: null, refuted };
}

/** `source` stays an address here; the record gives the text. */
function measured({ source, evaluation }: Attempt) {
  const { verdict, reason, timing }: Evaluation = evaluation;
  return {
    verdict,
    reason,
    speedup: timing?.speedup ?? null,
    baselineMs: timing?.baselineMs ?? null,
    bestMs: timing?.candidateMs ?? null,
    source,
    evaluation,
  };
}

const nothing = {
  outcome: "no-candidate",
  best: null,
  verdict: "no-candidate",
  speedup: null,
  baselineMs: null,
  bestMs: null,
  space: null,
  direction: null,
  source: null,
  evaluation: null,
} as const;

function whyNone(state: SearchState, { space }: RunOptions): string {
  const missing = new Map(state.uncovered.map(({ region, reason }) => [region, reason]));
  if (missing.size > 0 && state.examined.length === 0) {
    return `space ${space} does not cover ${[...missing].map(([region, reason]) => `region ${region}: ${reason}`).join("; ")}`;
  }
  const failed = state.examined.map(({ id, attempt }) => `${id} ${attempt.evaluation.verdict}`).join(", ");
  return `no candidate in space ${space} is valid${failed === "" ? "" : ` (${failed})`}`;
}
