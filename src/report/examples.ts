import type { RunRecord } from "../search/record.ts";
import { answer, shareOfFloor } from "./answer.ts";
import { missing, printable, range, significant, times, wholePercent } from "./numbers.ts";

/** What a set of runs comes to. Invalid and failed ones count as problems and never as fast. */
export interface Totals {
  readonly problems: number;
  readonly valid: number;
  /** speedup strictly over 1, and with the whole interval over 1.1 */
  readonly fast1: number;
  readonly surely: number;
  /** over valid results, an unimproved one counting 1; null where there is none */
  readonly geometricMean: number | null;
  readonly median: number | null;
}

/** A valid result's speedup: 1 where the output is the reference itself; null where there is no valid output. */
function speedupOf(run: RunRecord): number | null {
  const { result } = run;
  if (result?.verdict !== "valid") return null;
  return result.outcome === "improved" ? (result.speedup?.median ?? null) : 1;
}

/** `done` is false for a problem that was not run yet: it counts as a problem, and the table says so. */
export interface ExampleRow {
  readonly name: string;
  readonly done: boolean;
  readonly run: RunRecord | null;
  /** why there is no run */
  readonly reason: string | null;
}

const sure = ({ result }: RunRecord): boolean =>
  result?.outcome === "improved" && result.verdict === "valid" && (result.speedup?.low ?? 0) > 1.1;

export function totals(rows: readonly ExampleRow[]): Totals {
  const runs = rows.flatMap(({ run }) => run ?? []);
  const sorted = runs
    .map(speedupOf)
    .filter((s): s is number => s !== null && s > 0)
    .sort((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  const at = (i: number) => sorted[i] as number;
  return {
    problems: rows.length,
    valid: sorted.length,
    fast1: sorted.filter((s) => s > 1).length,
    surely: runs.filter(sure).length,
    geometricMean: sorted.length === 0 ? null : Math.exp(sorted.reduce((sum, s) => sum + Math.log(s), 0) / sorted.length),
    median: sorted.length === 0 ? null : (at(Math.floor(middle)) + at(Math.ceil(middle))) / 2,
  };
}

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ");

function cells({ name, done, run }: ExampleRow): string[] {
  const result = run?.result;
  const won = result?.outcome === "improved" ? result.speedup : null;
  return [
    name,
    won ? `${times(won.median)} ${range(won)}` : run ? answer(run).headline : done ? "failed" : "not run",
    wholePercent(shareOfFloor(result?.floorMs ?? null, result?.bestMs ?? null)),
    result?.space ?? missing,
    result?.direction ?? missing,
    run ? significant(run.activeSeconds) : missing,
  ];
}

const head = ["problem", "speedup [95 % interval]", "share of floor", "space", "direction", "seconds"];

/** Markdown: one line a problem, in the order given. */
export const examplesTable = (rows: readonly ExampleRow[]): string =>
  [head, ["---", "---:", "---:", "---", "---", "---:"], ...rows.map(cells)]
    .map((line) => `| ${line.map(cell).join(" | ")} |`)
    .join("\n");

/** Markdown: why each problem that is not faster is not; empty where all are. */
export const reasonsList = (rows: readonly ExampleRow[]): string =>
  rows
    .filter(({ done, run }) => done && run?.result?.outcome !== "improved")
    .map(({ name, run, reason }) => `- ${name}: ${cell(printable(reason ?? (run ? answer(run).why : "")))}`)
    .join("\n");

/** The totals in one line. */
export const totalsLine = (t: Totals): string =>
  `${t.valid} of ${t.problems} valid, ${t.fast1} faster, ${t.surely} with the whole interval over 1.1×; speedup of the valid ones: median ${times(t.median)}, geometric mean ${times(t.geometricMean)}.`;
