import type { Verdict } from "../evaluation/verdict.ts";
import type { Plan } from "../proposing/proposer.ts";
import type { SearchEvent } from "../search/events.ts";
import type { RunOptions } from "../search/record.ts";

/** What the live view knows; a fold over events. */
export interface LiveState {
  readonly startedAt: number;
  readonly run: string;
  readonly problem: string;
  readonly options: RunOptions | null;
  readonly plans: readonly Plan[];
  readonly lines: readonly LiveLine[];
  readonly stage: { readonly subject: string; readonly text: string } | null;
  readonly best: { readonly id: string; readonly speedup: number; readonly ms: number } | null;
  readonly baselineMs: number | null;
  readonly floorMs: number | null;
  readonly stopped: string | null;
}

export interface LiveLine {
  readonly id: string;
  readonly round: number;
  readonly title: string;
  readonly trials: number;
  readonly verdict: Verdict | null;
  readonly reason: string;
  readonly speedup: number | null;
  readonly ms: number | null;
}

export const start = (now: number): LiveState => ({
  startedAt: now,
  run: "",
  problem: "",
  options: null,
  plans: [],
  lines: [],
  stage: null,
  best: null,
  baselineMs: null,
  floorMs: null,
  stopped: null,
});

const change = (state: LiveState, id: string, fn: (line: LiveLine) => Partial<LiveLine>): LiveState => ({
  ...state,
  lines: state.lines.map((line) => (line.id === id ? { ...line, ...fn(line) } : line)),
});

type Handlers = {
  readonly [T in SearchEvent["type"]]: (state: LiveState, event: Extract<SearchEvent, { type: T }>) => LiveState;
};

const handlers: Handlers = {
  start: (state, { run, problem, options }) => ({ ...state, run, problem, options }),
  stage: (state, { subject, stage, detail }) => ({ ...state, stage: { subject, text: detail ? `${stage}: ${detail}` : stage } }),
  retry: (state, { subject, reason }) => ({ ...state, stage: { subject, text: `again after: ${reason}` } }),
  contract: (state, { contract, validation }) => ({
    ...state,
    baselineMs: validation.baselineMs,
    floorMs: contract.performance.floor.ms,
  }),
  plan: (state, { plan }) => ({ ...state, plans: [...state.plans.filter(({ round }) => round !== plan.round), plan] }),
  exhausted: (state) => state,
  proposed: (state, { round, candidates }) => ({
    ...state,
    lines: [
      ...state.lines,
      ...candidates.map(({ id, title }) => ({ id, round, title, trials: 0, verdict: null, reason: "", speedup: null, ms: null })),
    ],
  }),
  trial: (state, { id, trial }) =>
    change(state, id, (line) => ({
      trials: line.trials + 1,
      speedup: Math.max(line.speedup ?? 0, trial.speedup?.median ?? 0) || null,
      ms: trial.ms === null ? line.ms : Math.min(line.ms ?? trial.ms, trial.ms),
    })),
  verdict: (state, { id, verdict, reason, speedup, ms }) =>
    change({ ...state, stage: null }, id, () => ({ verdict, reason, speedup: speedup?.median ?? null, ms })),
  best: (state, { id, speedup, ms }) => ({ ...state, best: { id, speedup: speedup.median, ms } }),
  stopped: (state, { reason }) => ({ ...state, stopped: reason }),
  result: (state) => ({ ...state, stage: null }),
};

export const update = (state: LiveState, event: SearchEvent): LiveState => handlers[event.type](state, event as never);
