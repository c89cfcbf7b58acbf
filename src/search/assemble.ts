import { HieraError } from "../errors.ts";
import type { BuildResult, Profile, Validation } from "../evaluation/calls.ts";
import { bestTrial, initialSettings } from "../evaluation/tuner.ts";
import { classify } from "../knowledge/bottlenecks.ts";
import type { Contract } from "../problem/contract.ts";
import type { Candidate, Plan } from "../proposing/proposer.ts";
import type { Store } from "../store/store.ts";
import { type Answer, type Attempt, type RunBody, trialOf, unpackAnswer } from "./bodies.ts";
import { candidateId, keys } from "./keys.ts";
import type { CandidateRecord, ResultRecord, RoundRecord, RunRecord } from "./record.ts";

/** Reads a run's facts into one plain value. Throws HieraError("usage") where there is no such run. */
export function assemble(store: Store, run: string): RunRecord {
  const row = store.run(run);
  if (row === undefined) throw new HieraError("usage", `no run named ${run}`, { todo: "list them with: hiera runs" });
  const body = row.body as RunBody;
  const facts = store.facts(run);
  const known = new Map(facts.map((fact) => [fact.key, fact.body]));
  const read: Read = (key) => known.get(key) as never;
  const contract = read<Contract>(keys.contract) ?? null;
  const validation = read<Validation>(keys.validation) ?? null;
  const answered = roundsOf(read, store);
  const result = read<ResultRecord>(keys.result);
  return {
    id: run,
    hiera: body.hiera,
    state: result === undefined ? "unfinished" : "finished",
    createdAt: row.at,
    updatedAt: facts.at(-1)?.at ?? row.at,
    activeSeconds: facts.reduce((sum, fact) => sum + fact.spentMs, 0) / 1000,
    problem: { ...body.problem, source: store.text(body.problem.source) },
    options: body.options,
    contract,
    validation,
    profile: read<Profile>(keys.profile) ?? null,
    bottleneck:
      contract && validation && classify(contract.graph, contract.performance.floor, contract.environment, validation.baselineMs),
    rounds: answered.map(({ round }) => round),
    candidates: answered.flatMap(({ round, candidates }) =>
      candidates.map((candidate, index) => candidateRecord(read, store, round.round, index, candidate)),
    ),
    result: result === undefined ? null : { ...result, source: result.source && store.text(result.source) },
    log: facts.map(({ key, kind, at }) => ({ key, kind, at })),
  };
}

type Read = <T>(key: string) => T | undefined;

/** Calls `next` with 1, 2, 3 … until it answers undefined. */
function series<T>(next: (index: number) => T | undefined, from = 1): T[] {
  const found: T[] = [];
  for (let index = from; ; index++) {
    const item = next(index);
    if (item === undefined) return found;
    found.push(item);
  }
}

function roundsOf(read: Read, store: Store): { round: RoundRecord; candidates: readonly Candidate[] }[] {
  return series((round) => {
    const plans = series((attempt) => read<Plan | null>(keys.plan(round, attempt)) ?? undefined);
    if (plans.length === 0) return undefined;
    const answers = series((attempt) => read<Answer>(keys.answer(round, attempt)));
    const last = answers.at(-1);
    const candidates = last === undefined ? [] : unpackAnswer(last, store).candidates;
    return {
      round: {
        round,
        plans,
        uncovered: answers.flatMap(({ uncovered }, index) =>
          uncovered.map((entry) => ({ ...entry, space: plans[index]?.space ?? "torch" })),
        ),
        candidates: candidates.map((_, index) => candidateId(round, index)),
      },
      candidates,
    };
  });
}

function candidateRecord(read: Read, store: Store, round: number, index: number, candidate: Candidate): CandidateRecord {
  const id = candidateId(round, index);
  const trials = series((trial) => read<Attempt>(keys.trial(id, trial)), 0);
  const full = read<Attempt>(keys.full(id));
  const final = read<Attempt>(keys.final(id));
  const last = final ?? full ?? trials[0];
  const shown = trials.map(trialOf);
  const [first, ...more] = shown;
  return {
    ...candidate,
    id,
    round,
    verdict: last?.evaluation.verdict ?? null,
    reason: last?.evaluation.reason ?? "",
    log: last?.evaluation.log ?? [],
    speedup: last?.evaluation.timing?.speedup ?? null,
    ms: last?.evaluation.timing?.candidateMs ?? null,
    settings: full?.settings ?? (first ? bestTrial([first, ...more]).settings : initialSettings(candidate.tunables)),
    source: last?.source ? store.text(last.source) : null,
    builds: read<BuildResult[]>(keys.build(id, 0)) ?? [],
    trials: shown,
    full: full?.evaluation ?? null,
    final: final?.evaluation ?? null,
  };
}
