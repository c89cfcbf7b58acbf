import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rows, scale } from "../../src/report/chart.ts";
import { everyVerdict, makeCandidate, makeRun } from "./fixture.ts";

const duration = fc.double({ min: 1e-6, max: 1e5, noNaN: true });

describe("the scale", () => {
  it("keeps the order of times and stays inside the picture", () => {
    fc.assert(
      fc.property(fc.array(duration, { minLength: 1, maxLength: 20 }), (values) => {
        const axis = scale(values);
        const sorted = values.toSorted((a, b) => a - b);
        const positions = sorted.map(axis.at);
        positions.forEach((x, i) => {
          expect(x).toBeGreaterThanOrEqual(positions[i - 1] ?? 0);
          expect(x).toBeLessThanOrEqual(100);
        });
      }),
    );
  });

  it("has between two and a dozen ticks, increasing and inside", () => {
    fc.assert(
      fc.property(fc.array(duration, { minLength: 1, maxLength: 20 }), (values) => {
        const { ticks, at, kind } = scale(values);
        expect(ticks.length).toBeGreaterThanOrEqual(kind === "linear" ? 3 : 2);
        expect(ticks.length).toBeLessThanOrEqual(13);
        ticks.forEach((t, i) => {
          expect(t).toBeGreaterThan(ticks[i - 1] ?? -1);
          expect(at(t)).toBeLessThanOrEqual(100.01);
          expect(at(t)).toBeGreaterThanOrEqual(-0.01);
        });
      }),
    );
  });

  it("is linear from zero where that shows every time, else logarithmic", () => {
    expect(scale([2, 10]).kind).toBe("linear");
    expect(scale([2, 10]).at(0)).toBe(0);
    expect(scale([1, 10]).kind).toBe("logarithmic");
  });
});

describe("the rows", () => {
  it("start with reference and floor, then valid candidates, fastest first", () => {
    expect(rows(makeRun()).map((r) => r.id || r.kind)).toEqual(["reference", "floor", "r2c3", "r1c2", "r1c1", "r2c1"]);
    expect(
      rows(makeRun())
        .filter((r) => r.kind === "best")
        .map((r) => r.id),
    ).toEqual(["r2c3"]);
  });

  it("leave out what is not valid", () => {
    expect(rows(everyVerdict()).filter((r) => r.id !== "")).toHaveLength(1);
  });

  it("carry the interval of the speedup over to the time, ends exchanged", () => {
    const speedup = { median: 4, low: 2, high: 5 };
    const run = makeRun({ candidates: [makeCandidate("r1c1", { ms: 10, speedup })] });
    const row = rows(run).find((r) => r.id === "r1c1");
    expect(row).toMatchObject({ ms: 10, low: 8, high: 20 });
  });
});
