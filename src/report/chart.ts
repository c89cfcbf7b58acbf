import type { RunRecord } from "../search/record.ts";
import { floorMs } from "./answer.ts";
import { type Html, html } from "./markup.ts";
import { range, time, times } from "./numbers.ts";

/** One line of the picture; positions in percent of its width, times in milliseconds. */
export interface Row {
  readonly id: string;
  readonly title: string;
  readonly kind: "reference" | "floor" | "timed" | "best";
  readonly ms: number;
  /** the 95 % interval of the speedup, carried over to the time; equal to `ms` for the reference, which is the unit */
  readonly low: number;
  readonly high: number;
  readonly speedup: string;
  readonly interval: string;
}

export interface Scale {
  readonly kind: "linear" | "logarithmic";
  /** time → percent of the width, increasing */
  readonly at: (ms: number) => number;
  readonly ticks: readonly number[];
}

/** 1, 2 and 5 times a power of ten. */
const round = (x: number): number => {
  const power = 10 ** Math.floor(Math.log10(x));
  return power * ([1, 2, 5, 10].find((m) => m * power >= x * 0.999) ?? 10);
};

function linearTicks(max: number): number[] {
  const step = round(max / 5);
  return Array.from({ length: Math.floor(max / step) + 1 }, (_, i) => i * step);
}

function logarithmicTicks(min: number, max: number): number[] {
  const steps = max / min > 100 ? [1] : [1, 2, 5];
  const from = Math.floor(Math.log10(min));
  const powers = Array.from({ length: Math.ceil(Math.log10(max)) - from + 1 }, (_, i) => 10 ** (from + i));
  return powers.flatMap((p) => steps.map((s) => p * s)).filter((t) => t >= min * 0.999 && t <= max * 1.001);
}

/** From zero where all times can be told apart there, else logarithmic. Times must be positive. */
export function scale(values: readonly number[]): Scale {
  const [min, max] = [Math.min(...values), Math.max(...values)];
  if (max / min <= 8) {
    const end = max * 1.06;
    return { kind: "linear", at: (ms) => (ms / end) * 100, ticks: linearTicks(end) };
  }
  const [from, to] = [Math.log(min / 1.25), Math.log(max * 1.25)];
  const at = (ms: number) => ((Math.log(ms) - from) / (to - from)) * 100;
  return { kind: "logarithmic", at, ticks: logarithmicTicks(min / 1.25, max * 1.25) };
}

/** A time that the candidates are held against. */
const yardstick = (kind: "reference" | "floor", ms: number | null, speedup: string): Row[] =>
  ms !== null && ms > 0 ? [{ id: "", title: kind, kind, ms, low: ms, high: ms, speedup, interval: "" }] : [];

/** The reference and the floor, then every valid candidate that was timed, fastest first. */
export function rows(run: RunRecord): Row[] {
  const baseline = run.result?.baselineMs ?? run.validation?.baselineMs ?? null;
  const floor = floorMs(run);
  const timed = run.candidates.flatMap((c): Row[] => {
    const { ms } = c;
    const speedup = c.speedup && c.speedup.low > 0 ? c.speedup : null;
    if (c.verdict !== "valid" || ms === null || !(ms > 0)) return [];
    const [low, high] = speedup ? [(ms * speedup.median) / speedup.high, (ms * speedup.median) / speedup.low] : [ms, ms];
    const kind = c.id === run.result?.best ? "best" : "timed";
    return [
      {
        id: c.id,
        title: c.title,
        kind,
        ms,
        low,
        high,
        speedup: speedup ? times(speedup.median) : "",
        interval: speedup ? range(speedup) : "",
      },
    ];
  });
  return [
    ...yardstick("reference", baseline, "1×"),
    ...yardstick("floor", floor, baseline !== null && floor !== null ? times(baseline / floor) : ""),
    ...timed.sort((a, b) => a.ms - b.ms),
  ];
}

const pc = (x: number): string => `${Math.max(0, Math.min(100, x)).toFixed(2)}%`;

const upright = (x: number, name: string): Html => html`<line class="${name}" x1="${pc(x)}" x2="${pc(x)}" y1="0" y2="100%"/>`;

/** One row's strip: positions in percent, so that it fits any width while strokes and dots keep their size. */
function strip(row: Row, axis: Scale, floor: number | null): Html {
  const grid = axis.ticks.map((t) => upright(axis.at(t), "grid"));
  const dot = html`<circle cx="${pc(axis.at(row.ms))}" cy="13" r="4.5"/>`;
  return html`<svg width="100%" height="26" aria-hidden="true">${grid}${floor !== null && upright(axis.at(floor), "floor")}${
    row.kind !== "floor" &&
    html`<line class="interval" x1="${pc(axis.at(row.low))}" x2="${pc(axis.at(row.high))}" y1="13" y2="13"/>${dot}`
  }</svg>`;
}

const tick = (ms: number): string => (ms === 0 ? "0" : time(ms).replace(/\.(\d*?)0+ /, (_, d) => (d ? `.${d} ` : " ")));

const axisStrip = (axis: Scale): Html =>
  html`<svg width="100%" height="20" aria-hidden="true">${axis.ticks.map((t, i) => html`<text class="${i % 2 === 1 && "minor"}" x="${pc(axis.at(t))}" y="14">${tick(t)}</text>`)}</svg>`;

/** Times of all valid candidates against reference and floor: a table whose middle column is the picture. */
export function chart(run: RunRecord): Html {
  const all = rows(run);
  if (all.length === 0) return html`<p>Nothing was timed.</p>`;
  const floor = all.find((r) => r.kind === "floor")?.ms ?? null;
  const axis = scale(all.flatMap((r) => [r.low, r.ms, r.high]));
  const body = all.map(
    (
      r,
    ) => html`<tr class="${r.kind}"><th scope="row"><span class="id">${r.id}</span> <span class="title" title="${r.title}">${r.title}</span></th>
<td class="plot">${strip(r, axis, floor)}</td><td class="n">${time(r.ms)}</td><td class="n">${r.speedup} <span class="interval-text">${r.interval}</span></td></tr>\n`,
  );
  return html`<table class="chart"><caption>Time of one call, ${axis.kind} scale. Dot: median. Bar: 95 % interval of the ratio to the reference,
which ran in turns with the candidate. Dashed: the floor, the least time that the known work takes here.</caption>
<thead><tr><th scope="col">candidate</th><th scope="col" class="plot"><span class="hidden">picture</span></th><th scope="col" class="n">time</th><th scope="col" class="n">speedup <span class="interval-text">[interval]</span></th></tr></thead>
<tbody>${body}</tbody>
<tfoot aria-hidden="true"><tr><td></td><td class="plot">${axisStrip(axis)}</td><td></td><td></td></tr></tfoot></table>`;
}
