import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  duration,
  memory,
  metric,
  missing,
  percent,
  printable,
  range,
  significant,
  time,
  times,
  wholePercent,
} from "../../src/report/numbers.ts";

describe("numbers", () => {
  it.each([
    [significant(9.8415), "9.84"],
    [significant(118), "118"],
    [significant(999.7), "1,000"],
    [significant(0.0401), "0.0401"],
    [significant(1.2e-7), "1.20e-7"],
    [significant(0), "0.00"],
    [time(118.4), "118 ms"],
    [time(0.999_9), "1.00 ms"],
    [time(0.0123), "12.3 µs"],
    [time(0.000_5), "500 ns"],
    [time(61_000), "61.0 s"],
    [times(9.8415), "9.84×"],
    [percent(0.0124), "1.24 %"],
    [wholePercent(0.786), "79 %"],
    [wholePercent(0.0524), "5.2 %"],
    [wholePercent(1.04), "104 %"],
    [range({ median: 4, low: 3.981, high: 4.26 }), "[3.98, 4.26]"],
    [duration(4.21), "4.2 s"],
    [duration(59.7), "1 min 00 s"],
    [duration(143), "2 min 23 s"],
    [duration(3905), "1 h 05 min"],
    [metric(14.2e9, "B/s"), "14.2 GB/s"],
    [metric(180, "FLOP"), "180 FLOP"],
    [memory(24 * 2 ** 30), "24.0 GiB"],
  ])("%s", (got, want) => expect(got).toBe(want));

  it("are a dash where there is none", () => {
    for (const show of [significant, time, times, percent, duration, memory])
      for (const none of [null, undefined, Number.NaN, Number.POSITIVE_INFINITY]) expect(show(none)).toBe(missing);
    expect(range(null)).toBe(missing);
  });

  it("read back to within the digits shown", () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-9, max: 1e9, noNaN: true }), (x) => {
        const read = Number(significant(x).replaceAll(",", ""));
        expect(Math.abs(read - x)).toBeLessThanOrEqual(0.005_001 * x);
      }),
    );
  });
});

describe("printable", () => {
  it("lets no control character through but line feed and tab", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not pass
        expect(printable(text)).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
      }),
    );
    expect(printable("a\tb\nc\u001b[31m")).toBe("a\tb\nc␛[31m");
  });
});
