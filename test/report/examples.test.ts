import { describe, expect, it } from "vitest";
import { type ExampleRow, examplesTable, reasonsList, totals } from "../../src/report/examples.ts";
import type { RunRecord } from "../../src/search/record.ts";
import { makeRun, withoutGain } from "./fixture.ts";

const faster = (median: number, low: number): RunRecord => {
  const run = makeRun();
  return makeRun({ result: run.result && { ...run.result, speedup: { median, low, high: median * 1.1 } } });
};

const row = (run: RunRecord | null, given: Partial<ExampleRow> = {}): ExampleRow => ({
  name: "gelu",
  done: true,
  run,
  reason: run ? null : "forward raises",
  ...given,
});

const none = makeRun({ result: withoutGain("no-candidate", "no recipe for r3") });
const same = makeRun({ result: withoutGain("no-improvement", "every check passed") });

describe("examplesTable", () => {
  it("is Markdown with a line a problem, run or not", () => {
    const rows = [
      row(makeRun()),
      row(none, { name: "a|b" }),
      row(null, { name: "broken" }),
      row(null, { name: "later", done: false }),
    ];
    expect(examplesTable(rows).split("\n")).toEqual([
      "| problem | speedup [95 % interval] | share of floor | space | direction | seconds |",
      "| --- | ---: | ---: | --- | --- | ---: |",
      "| gelu | 9.84× [9.54, 10.2] | 79 % | kernel | memory | 143 |",
      "| a\\|b | no candidate | – | – | – | 143 |",
      "| broken | failed | – | – | – | – |",
      "| later | not run | – | – | – | – |",
    ]);
  });
});

describe("reasonsList", () => {
  it("says why each problem that was run is not faster", () => {
    const rows = [
      row(makeRun()),
      row(none, { name: "n" }),
      row(same, { name: "s" }),
      row(null, { name: "b" }),
      row(null, { name: "l", done: false }),
    ];
    expect(reasonsList(rows)).toBe(
      "- n: no recipe for r3\n- s: the fastest valid candidate, r2c3, reaches 9.84× [9.54, 10.2]\n- b: forward raises",
    );
  });
});

describe("totals", () => {
  it("counts strictly greater, over all problems, an unimproved one as 1", () => {
    const t = totals([faster(4, 3), faster(1.2, 1.05), same, none, null].map((run) => row(run)));
    expect(t).toMatchObject({ problems: 5, valid: 3, fast1: 2, surely: 1, median: 1.2 });
    expect(t.geometricMean).toBeCloseTo((4 * 1.2) ** (1 / 3), 12);
  });

  it("has no mean of nothing", () => expect(totals([])).toMatchObject({ problems: 0, geometricMean: null, median: null }));
});
