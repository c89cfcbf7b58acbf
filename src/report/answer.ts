import type { Evaluation } from "../evaluation/calls.ts";
import type { Contract } from "../problem/contract.ts";
import type { CandidateRecord, RunRecord } from "../search/record.ts";
import { count, duration, percent, range, significant, time, times, wholePercent } from "./numbers.ts";

/** What a run found, in words; the page and the terminal say the same. */
export interface Answer {
  /** `gained`: faster and verified; `same`: nothing faster found; `none`: no valid file; `open`: not finished */
  readonly kind: "gained" | "same" | "none" | "open";
  readonly headline: string;
  /** the 95 % interval of the speedup, where there is one */
  readonly interval: string;
  /** why it is so, or how to go on */
  readonly why: string;
}

const gained = (run: RunRecord): string => {
  const speedup = run.result?.speedup;
  return speedup ? `${times(speedup.median)} faster` : "faster";
};

/** Why the reference itself is the output: what came closest, or what kept candidates from being valid. */
function unbeaten(run: RunRecord): string {
  const valid = run.candidates.filter((c) => c.verdict === "valid");
  const [closest] = valid.toSorted((a, b) => (b.speedup?.median ?? 0) - (a.speedup?.median ?? 0));
  if (closest)
    return `the fastest valid candidate, ${closest.id}, reaches ${times(closest.speedup?.median)} ${range(closest.speedup)}`;
  if (run.candidates.length > 0) return `no candidate is valid (${run.candidates.length} tried)`;
  const uncovered = run.rounds.flatMap((r) => r.uncovered.map((u) => `region ${u.region}: ${u.reason}`));
  return `no candidate was proposed${uncovered.length > 0 ? ` (${uncovered.join("; ")})` : ""}`;
}

const given = (run: RunRecord): string => run.result?.reason ?? "";

const kinds = {
  improved: { kind: "gained", headline: gained, why: given },
  "no-improvement": { kind: "same", headline: () => "no improvement", why: unbeaten },
  "no-candidate": { kind: "none", headline: () => "no candidate", why: given },
} as const;

export function answer(run: RunRecord): Answer {
  const { result } = run;
  if (!result) {
    const why = `stopped after ${count(run.rounds.length, "round")}; \`hiera resume ${run.id}\` goes on from here`;
    return { kind: "open", headline: "not finished", interval: "", why };
  }
  const { kind, headline, why } = kinds[result.outcome];
  const { speedup } = result;
  const interval = kind === "gained" && speedup ? `95 % interval ${significant(speedup.low)}–${times(speedup.high)}` : "";
  return { kind, headline: headline(run), interval, why: why(run) };
}

export const best = (run: RunRecord): CandidateRecord | null => run.candidates.find((c) => c.id === run.result?.best) ?? null;

/** `12.3 ms → 1.25 ms a call`, or the baseline alone. */
export function timeLine(run: RunRecord): string {
  const { result, validation } = run;
  const baseline = result?.baselineMs ?? validation?.baselineMs ?? null;
  const now = result?.bestMs ?? null;
  if (baseline === null) return "not measured";
  return now === null ? `reference ${time(baseline)} a call` : `${time(baseline)} → ${time(now)} a call`;
}

export const floorMs = (run: RunRecord): number | null => run.result?.floorMs ?? run.contract?.performance.floor.ms ?? null;

/** Share of the floor's speed that a time reaches: 1 where it is as fast as the known work allows. */
export const shareOfFloor = (floor: number | null, ms: number | null): number | null =>
  floor !== null && ms !== null && ms > 0 ? floor / ms : null;

/** `78 % of the floor (0.97 ms, memory-bound)` */
export function floorLine(run: RunRecord): string {
  const floor = floorMs(run);
  if (floor === null) return "not known";
  const bound = run.contract ? `, bound by ${run.contract.performance.floor.bound}` : "";
  const share = shareOfFloor(floor, run.result?.bestMs ?? null);
  return share === null ? `least time ${time(floor)}${bound}` : `${wholePercent(share)} of the floor (${time(floor)}${bound})`;
}

/** How much stands behind a number: pairs, spread, checks, error. */
export function evidence(evaluation: Evaluation | null): string[] {
  if (!evaluation) return [];
  const { timing, error } = evaluation;
  return [
    timing ? `${count(timing.pairs, "pair")} of runs, reference and candidate in turns` : "",
    timing ? `spread ${percent(timing.spread)}` : "",
    timing ? `${timing.cache} cache` : "",
    error ? `worst error ${wholePercent(error.share)} of the budget` : "",
  ].filter(Boolean);
}

/** What stands behind the result. The final evaluation draws new seeds, which no candidate was chosen by. */
export function howSure(run: RunRecord): string {
  const evaluation = run.result?.evaluation ?? null;
  return [...evidence(evaluation), evaluation ? "every check repeated on new seeds" : ""].filter(Boolean).join(", ");
}

/** The command that verifies and times the result again; null where there is nothing to time. */
export const againCommand = (run: RunRecord): string | null => (run.result?.source ? `hiera reproduce ${run.id}` : null);

/** Device, its software and the precision that both sides ran at. */
export function deviceLine(contract: Contract | null): string {
  if (!contract) return "not reached";
  const { name, kind, threads, torch, compiler } = contract.environment;
  return [
    `${name} (${kind}${kind === "cpu" ? `, ${count(threads, "thread")}` : ""})`,
    `torch ${torch}`,
    compiler ? `${compiler.command} ${compiler.version}` : "no compiler",
    `${contract.numerics.precision} precision`,
  ].join(" · ");
}

/** How much was searched, and why no further. */
export function searchLine(run: RunRecord): string {
  const total = run.result?.candidates.total ?? run.candidates.length;
  const valid = run.result?.candidates.valid ?? run.candidates.filter((c) => c.verdict === "valid").length;
  const trials = run.candidates.reduce((n, c) => n + c.trials.length, 0);
  const size = `${count(run.rounds.length, "round")}, ${count(total, "candidate")}, ${valid} valid`;
  return `${size}, ${count(trials, "setting")} tried in ${duration(run.activeSeconds)}`;
}

/** `tile 32, unroll 4`; empty where nothing is tunable. */
export const settingsLine = (settings: CandidateRecord["settings"]): string =>
  Object.entries(settings)
    .map(([name, value]) => `${name} ${value}`)
    .join(", ");

/** Failed candidates in the order in which they were proposed; those not judged yet are none. */
export const failures = (run: RunRecord): CandidateRecord[] =>
  run.candidates.filter((c) => c.verdict !== null && c.verdict !== "valid");
