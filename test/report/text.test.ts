import { describe, expect, it } from "vitest";
import { HieraError } from "../../src/errors.ts";
import { columns, plain, styleFor } from "../../src/report/terminal.ts";
import { compareTable, diffCandidates, runsTable, showRun, summary } from "../../src/report/text.ts";
import { everyVerdict, makeCandidate, makeRun, withoutGain } from "./fixture.ts";

describe("summary", () => {
  it("is short, answer first", () => {
    const text = summary(makeRun(), ["out/model_new.py", "out/report.html"]);
    expect(text.split("\n")[0]).toBe("gelu_chain: 9.84× faster, 95 % interval 9.54–10.2×");
    expect(text.split("\n").length).toBeLessThanOrEqual(10);
    expect(text).toContain("118 ms → 12.0 ms a call; 79 % of the floor");
    expect(text).toContain("out/model_new.py, out/report.html");
  });

  it("says no candidate and why", () => {
    const text = summary(makeRun({ result: withoutGain("no-candidate", "because of r3") }));
    expect(text).toMatch(/^gelu_chain: no candidate\n.*no-candidate: because of r3/);
    expect(text).not.toContain("hiera reproduce");
  });

  it.each([
    [
      "what came closest",
      [makeCandidate("r1c1", { speedupMedian: 0.9 }), makeCandidate("r1c2", { speedupMedian: 0.98 })],
      "r1c2, reaches 0.980×",
    ],
    ["that none was valid", [makeCandidate("r1c1", { verdict: "incorrect" })], "no candidate is valid (1 tried)"],
    ["that there was none", [], "no candidate was proposed (region r0: no BLAS call computes tanh)"],
  ])("says no improvement and %s", (_, candidates, why) => {
    const text = summary(makeRun({ candidates, result: withoutGain("no-improvement", "every check passed") }));
    expect(text).toMatch(/^gelu_chain: no improvement\n/);
    expect(text).toContain(why);
    expect(text).toContain("hiera reproduce");
  });

  it("says how to go on with an unfinished run", () => {
    expect(summary(makeRun({ result: null, contract: null }))).toContain("hiera resume gelu_chain-7f3a");
  });
});

describe("runsTable", () => {
  it("gives a line a run", () => {
    const lines = runsTable([makeRun(), makeRun({ id: "other", result: null })]).split("\n");
    expect(lines).toHaveLength(3);
    expect(lines[1]).toMatch(
      /^gelu_chain-7f3a +2026-03-01 10:00 +gelu_chain +cpu +9\.84× faster +12\.0 ms +\[9\.54, 10\.2] +4\/6$/,
    );
    expect(lines[2]).toContain("not finished");
  });

  it("says what to do where there is none", () => expect(runsTable([])).toContain("hiera optimize"));
});

describe("showRun", () => {
  it("names every verdict with its reason and log", () => {
    const run = everyVerdict();
    const text = showRun(run);
    for (const { verdict } of run.candidates.filter((c) => c.verdict !== "valid"))
      for (const said of [`${verdict}: reason of ${verdict}`, `log of ${verdict}`]) expect(text).toContain(said);
  });

  it("shows plans, also those that were widened, and what was not covered", () => {
    const text = showRun(makeRun());
    for (const said of ["round 2  libraries · memory", "widened  torch · memory", "r0 in libraries: no BLAS call computes tanh"])
      expect(text).toContain(said);
  });

  it("prints no hole where nothing was measured", () => {
    const untimed = makeCandidate("r1c1", { verdict: null, speedup: { median: Number.NaN, low: Number.NaN, high: Number.NaN } });
    expect(showRun(makeRun({ candidates: [untimed] }))).not.toMatch(/NaN|undefined|null/);
  });

  it("lets no escape sequence of a log reach the terminal", () => {
    const hostile = makeCandidate("r1c1", {
      verdict: "runtime-error",
      reason: "\u001b]0;x\u0007",
      log: ["\u001b[2J"],
      title: "\u001b[8m",
    });
    expect(showRun(makeRun({ candidates: [hostile] }))).not.toContain("\u001b");
  });
});

describe("diffCandidates", () => {
  it("is a unified diff of files and settings", () => {
    const text = diffCandidates(makeRun(), "r1c1", "r1c2");
    expect(text).toContain("--- r1c1/kernel.cpp");
    expect(text).toContain("+#pragma omp simd simdlen(VECTOR)");
    expect(text).toContain("-VECTOR = 8\n");
  });

  it("says so where nothing differs", () => expect(diffCandidates(makeRun(), "r1c1", "r1c1")).toContain("same files"));

  it("names what there is where a candidate is unknown", () => {
    const call = () => diffCandidates(makeRun(), "r1c1", "r9c9");
    expect(call).toThrow(HieraError);
    expect(call).toThrow(/no candidate r9c9 .* choose from r1c1, r1c2/);
  });
});

describe("compareTable", () => {
  it("puts old beside new with their ratio", () => {
    const old = {
      verdict: "valid",
      speedup: { median: 8, low: 7, high: 9 },
      baselineMs: 100,
      candidateMs: 12.5,
      device: "A",
      torch: "2.13.0",
    };
    const now = { ...old, verdict: "incorrect", speedup: null, baselineMs: 110, candidateMs: null };
    const text = compareTable(old, now);
    expect(text).toMatch(/verdict +valid +incorrect/);
    expect(text).toMatch(/speedup +8\.00× +– +–/);
    expect(text).toMatch(/reference +100 ms +110 ms +1\.10/);
  });
});

describe("the terminal", () => {
  it("gets colour only where it can show it", () => {
    expect(styleFor({ isTTY: false }, {}).good("x")).toBe("x");
    expect(styleFor({ isTTY: true }, { NO_COLOR: "1" }).good("x")).toBe("x");
    expect(styleFor({ isTTY: true }, {}).good("x")).toBe("\u001b[32mx\u001b[39m");
  });

  it("keeps lines within its width by cutting the flexible column", () => {
    const heads = [{ head: "id" }, { head: "title", flexible: true }, { head: "n", right: true }];
    const lines = columns(heads, [["r1", "a very long title indeed, longer than the line", "12.0 ms"]], {
      ...plain,
      width: 40,
    }).split("\n");
    expect(Math.max(...lines.map((l) => l.length))).toBeLessThanOrEqual(40);
    expect(lines[1]).toMatch(/^r1 {2}a very long.*… {2}12\.0 ms$/);
  });
});
