import { HieraError } from "../errors.ts";
import { type BuildResult, build, type Effort, type Evaluation, evaluate } from "../evaluation/calls.ts";
import { compileError, refusal } from "../evaluation/feedback.ts";
import { bestTrial, initialSettings, tune } from "../evaluation/tuner.ts";
import type { Candidate } from "../proposing/proposer.ts";
import { spaces } from "../spaces/index.ts";
import type { Settings, Wrapped } from "../spaces/space.ts";
import { type Attempt, trialOf } from "./bodies.ts";
import type { PreparedContext } from "./context.ts";
import { keys } from "./keys.ts";

/** A candidate this much slower than the best so far is not worth tuning. */
const tuningReach = 1.5;

/** A candidate that ran with its initial settings. */
export interface Tried {
  readonly id: string;
  readonly candidate: Candidate;
  readonly attempt: Attempt;
}

export const speedupOf = ({ attempt }: Pick<Tried, "attempt">): number => trialOf(attempt).speedup?.median ?? 0;

/** Builds, checks and times a candidate with its initial settings. */
export async function firstTrial(context: PreparedContext, id: string, candidate: Candidate): Promise<Tried> {
  const attempt = await quickAttempt(context, id, candidate, initialSettings(candidate.tunables), 0);
  if (attempt.evaluation.verdict !== "valid") tell(context, id, "quick", attempt);
  return { id, candidate, attempt };
}

/** Tunes a valid candidate where it comes near `bestSpeedup`, then verifies it in full. */
export async function tuneAndVerify(
  context: PreparedContext,
  { id, candidate, attempt }: Tried,
  bestSpeedup: number,
): Promise<Tried> {
  const first = { ...trialOf(attempt), attempt };
  const measure = async (settings: Settings, index: number) => {
    const next = await quickAttempt(context, id, candidate, settings, index);
    return { ...trialOf(next), attempt: next };
  };
  const near = speedupOf({ attempt }) * tuningReach >= bestSpeedup;
  const trials = near ? await tune(candidate.tunables, first, measure) : [first];
  const { settings } = bestTrial(trials as [typeof first, ...(typeof first)[]]);
  return { id, candidate, attempt: await verify(context, id, candidate, settings, "full") };
}

/** Every check, with the settings that the tuner chose; `final` draws new seeds. */
export async function verify(
  context: PreparedContext,
  id: string,
  candidate: Candidate,
  settings: Settings,
  effort: "full" | "final",
): Promise<Attempt> {
  const attempt = await context.journal.step(keys[effort](id), "verdict", async () => {
    const wrapped = wrapOrRefuse(context, candidate, settings);
    return "refused" in wrapped ? wrapped.refused : run(context, id, candidate, settings, wrapped, effort);
  });
  return tell(context, id, effort, attempt);
}

async function quickAttempt(
  context: PreparedContext,
  id: string,
  candidate: Candidate,
  settings: Settings,
  index: number,
): Promise<Attempt> {
  const { journal, observe } = context;
  const wrapped = wrapOrRefuse(context, candidate, settings);
  observe({ type: "stage", subject: id, stage: "build", detail: undefined });
  const builds =
    "refused" in wrapped ? [] : await journal.step(keys.build(id, index), "build", () => buildAll(context, id, wrapped));
  const attempt = await journal.step(keys.trial(id, index), index === 0 ? "verdict" : "measurement", async () => {
    if ("refused" in wrapped) return wrapped.refused;
    const failed = builds.find((result) => !result.ok);
    if (failed === undefined) return run(context, id, candidate, settings, wrapped, "quick");
    return { settings, source: journal.store.put(wrapped.source), evaluation: compileError(failed) };
  });
  observe({ type: "trial", id, trial: trialOf(attempt) });
  return attempt;
}

/** Where the device fails at a build, the evaluation meets the same failure and says so: no builds are known then. */
function buildAll(context: PreparedContext, id: string, { builds }: Wrapped): Promise<BuildResult[]> {
  const each = async () => {
    const results: BuildResult[] = [];
    for (const spec of builds) results.push(await context.link.ask(id, build(spec)));
    return results;
  };
  return blame(context, each, () => []);
}

async function run(
  context: PreparedContext,
  id: string,
  candidate: Candidate,
  settings: Settings,
  wrapped: Wrapped,
  effort: Effort,
): Promise<Attempt> {
  const { journal, link, problem } = context;
  const call = evaluate(problem, { ...wrapped, space: candidate.space }, effort);
  const faulty = (answer: Evaluation) => (answer.verdict === "infrastructure" ? answer.reason : null);
  const evaluation = await blame(
    context,
    () => link.ask(id, call, faulty),
    (error) => refusal("infrastructure", error.message),
  );
  return { settings, source: journal.store.put(wrapped.source), evaluation };
}

/** A failure that stays while the device answers belongs to this request: recorded and not scored. Else the device is at fault: thrown. */
async function blame<T>({ link }: PreparedContext, ask: () => Promise<T>, otherwise: (error: HieraError) => T): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof HieraError && error.code === "infrastructure" && (await link.reachable())) return otherwise(error);
    throw error;
  }
}

function wrapOrRefuse({ contract }: PreparedContext, candidate: Candidate, settings: Settings): Wrapped | { refused: Attempt } {
  try {
    return spaces[candidate.space].wrap(contract, candidate.files, settings);
  } catch (error) {
    if (!(error instanceof HieraError)) throw error;
    return { refused: { settings, source: null, evaluation: refusal("wrong-interface", error.message) } };
  }
}

function tell({ observe }: PreparedContext, id: string, effort: Effort, attempt: Attempt): Attempt {
  const { verdict, reason, timing } = attempt.evaluation;
  observe({ type: "verdict", id, effort, verdict, reason, speedup: timing?.speedup ?? null, ms: timing?.candidateMs ?? null });
  return attempt;
}
