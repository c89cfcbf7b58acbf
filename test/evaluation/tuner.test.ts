import { describe, expect, test } from "vitest";
import { compileError } from "../../src/evaluation/feedback.ts";
import { bestTrial, initialSettings, type Measured, tune } from "../../src/evaluation/tuner.ts";
import type { Settings } from "../../src/spaces/space.ts";

const tunables = [
  { name: "TILE", values: [1, 2, 4, 8, 16], initial: 4, meaning: "rows" },
  { name: "UNROLL", values: [1, 2, 4], initial: 1, meaning: "steps" },
];

const run = async (speed: (settings: Settings) => number | null, limit?: number) => {
  const measure = async (settings: Settings): Promise<Measured> => {
    const median = speed(settings);
    return { settings, speedup: median === null ? null : { median } };
  };
  return tune(tunables, await measure(initialSettings(tunables)), measure, limit);
};
const best = (trials: readonly Measured[]) => bestTrial(trials as [Measured, ...Measured[]]).settings;

describe("the tuner", () => {
  test("finds the best of independent tunables and measures nothing twice", async () => {
    const trials = await run(({ TILE = 0, UNROLL = 0 }) => 10 - Math.abs(TILE - 8) + UNROLL);
    expect(best(trials)).toEqual({ TILE: 8, UNROLL: 4 });
    expect(new Set(trials.map(({ settings }) => JSON.stringify(settings))).size).toBe(trials.length);
  });

  test("tries the nearest values first and stops at its limit", async () => {
    const trials = await run(() => 1, 3);
    expect(trials.map(({ settings }) => settings.TILE)).toEqual([4, 2, 8, 1]);
  });

  test("keeps a setting that is not clearly beaten", async () => {
    expect(best(await run(({ TILE }) => (TILE === 8 ? 1.01 : 1)))).toEqual({ TILE: 4, UNROLL: 1 });
  });

  test("never chooses a setting that is not valid", async () => {
    expect(best(await run(({ TILE }) => (TILE === 4 ? 1 : null)))).toMatchObject({ TILE: 4 });
  });

  test("without tunables there is one measurement", async () => {
    const first = { settings: {}, speedup: { median: 1 } };
    expect(await tune([], first, () => Promise.reject(new Error("asked")))).toEqual([first]);
  });
});

test("a compile error speaks with the compiler's first complaint", () => {
  const log = ["In file included from x:", "k.cpp:3:1: error: expected ';'", "more"];
  expect(compileError({ ok: false, cached: false, seconds: 1, log })).toMatchObject({
    verdict: "compile-error",
    reason: "k.cpp:3:1: error: expected ';'",
    log,
    timing: null,
  });
});
