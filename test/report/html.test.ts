import { describe, expect, it } from "vitest";
import { renderReport } from "../../src/report/html.ts";
import { everyVerdict, makeCandidate, makeRun, withoutGain } from "./fixture.ts";

const text = (html: string) => html.replace(/<style>.*<\/style>/s, "").replace(/<[^>]*>/g, "");

describe("the report", () => {
  it("answers before it explains: speedup, interval, device, evidence and the command come before the search", async () => {
    const page = text(await renderReport(makeRun()));
    const search = page.indexOf("Each line unfolds");
    for (const said of [
      "9.84× faster",
      "95 % interval 9.54–10.2×",
      "Some Processor 9000",
      "torch 2.13.0",
      "40 pairs",
      "hiera reproduce",
    ]) {
      expect(page.indexOf(said), said).toBeGreaterThanOrEqual(0);
      expect(page.indexOf(said), said).toBeLessThan(search);
    }
  });

  it.each([
    ["no-improvement", "no improvement", "the fastest valid candidate, r2c3, reaches 9.84×"],
    ["no-candidate", "no candidate", "region r3 (contraction) has no recipe in the kernel space"],
  ] as const)("says %s and why", async (outcome, headline, reason) => {
    const page = text(
      await renderReport(makeRun({ result: withoutGain(outcome, "region r3 (contraction) has no recipe in the kernel space") })),
    );
    expect(page).toContain(headline);
    expect(page.indexOf(reason)).toBeLessThan(page.indexOf("Each line unfolds"));
    expect(page).not.toContain("× faster");
  });

  it("shows an unfinished run, even one that was never traced, and how to go on", async () => {
    const run = makeRun({
      state: "unfinished",
      contract: null,
      validation: null,
      profile: null,
      rounds: [],
      candidates: [],
      result: null,
    });
    const page = text(await renderReport(run));
    expect(page).toContain("not finished");
    expect(page).toContain(`hiera resume ${run.id}`);
    expect(page).toContain("Nothing was timed");
  });

  it("gives each failed candidate's verdict, reason and log lines", async () => {
    const run = everyVerdict();
    const page = text(await renderReport(run));
    const failures = page.slice(page.indexOf("Failures"), page.indexOf("Settings:"));
    for (const { verdict } of run.candidates.filter((c) => c.verdict !== "valid"))
      for (const said of [verdict, `reason of ${verdict}`, `log of ${verdict}`]) expect(failures).toContain(said);
    expect(failures).not.toContain("reason of valid");
  });

  it("escapes whatever a problem, a proposer or a log says", async () => {
    const attack = `<script>alert("x")</script><img src=x onerror='y'>&\u001b[31m`;
    const hostile = makeCandidate("r1c1", {
      title: attack,
      reason: attack,
      log: [attack],
      verdict: "incorrect",
      files: { [attack]: attack },
      origin: { proposer: attack, recipes: [attack], note: attack },
      settings: { [attack]: 1 },
    });
    const won = makeCandidate("r1c2", { title: attack, reason: attack, files: { "kernel.cpp": attack } });
    const run = makeRun();
    const round = run.rounds[0] && { ...run.rounds[0], candidates: ["r1c1", "r1c2"] };
    const result = run.result && { ...run.result, best: "r1c2", reason: attack, stopped: attack, source: attack };
    const problem = { name: attack, file: attack, source: attack };
    const page = await renderReport(makeRun({ problem, candidates: [hostile, won], rounds: round ? [round] : [], result }));
    expect(page).not.toMatch(/<script|<img|onerror='/);
    expect(page).not.toContain("\u001b");
    expect(page.split("&lt;script&gt;").length).toBeGreaterThan(12);
  });

  it("fetches nothing and runs nothing", async () => {
    const page = await renderReport(makeRun());
    expect(page).toContain(`content="default-src &#39;none&#39;; style-src &#39;unsafe-inline&#39;"`);
    expect(page).not.toMatch(/https?:|url\(|@import|<script|<link|<iframe|src=/);
    for (const [, target] of page.matchAll(/href="([^"]*)"/g)) expect(target).toMatch(/^#r\d+c\d+$/);
  });

  it("has balanced elements and links that lead somewhere", async () => {
    const page = (await renderReport(everyVerdict())).replace(/<style>.*<\/style>/s, "");
    for (const element of [
      "div",
      "details",
      "summary",
      "table",
      "tr",
      "td",
      "th",
      "pre",
      "span",
      "i",
      "svg",
      "section",
      "li",
      "dl",
    ]) {
      const count = (pattern: RegExp) => page.match(pattern)?.length ?? 0;
      expect(count(new RegExp(`<${element}[ >]`, "g")), element).toBe(count(new RegExp(`</${element}>`, "g")));
    }
    for (const [, id] of page.matchAll(/href="#([^"]*)"/g)) expect(page).toContain(`id="${id}"`);
  });

  it("prints a dash where nothing was measured", async () => {
    const untimed = makeCandidate("r1c1", { verdict: null, ms: null, speedup: null, source: null });
    const broken = makeCandidate("r1c2", { ms: Number.NaN, speedup: { median: Number.NaN, low: Number.NaN, high: Number.NaN } });
    const run = makeRun({ candidates: [untimed, broken], validation: null, profile: null, bottleneck: null });
    const result = run.result && { ...run.result, best: null, speedup: null, baselineMs: null, bestMs: null, evaluation: null };
    const page = text(await renderReport({ ...run, result }));
    expect(page).not.toMatch(/NaN|undefined|Infinity|\[object/);
    expect(page).toContain("not judged");
  });

  it("compares the first valid candidate with the best, and the reference with the drop-in", async () => {
    const page = await renderReport(makeRun());
    const changes = page.slice(page.indexOf("<h2>Changes"), page.indexOf("<h2>Conditions"));
    expect(text(changes)).toContain("From r1c1 fused pointwise chain to r2c3");
    expect(changes).toMatch(/<span class="gone">.*omp/);
    expect(text(changes)).toContain("+#pragma omp simd simdlen(VECTOR)");
    expect(text(changes)).toContain("+class ModelNew(Model):");
  });
});
