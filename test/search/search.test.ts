import { describe, expect, test } from "vitest";
import { HieraError } from "../../src/errors.ts";
import { memoryStore } from "../../src/store/memory.ts";
import { search } from "./scenario.ts";

const tile = { name: "TILE", values: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024], initial: 8, meaning: "rows at once" };
const good = (speedup: number, rest: object = {}) => ({ title: `runs ${speedup}`, verdict: "valid", speedup, ...rest });
const bad = (verdict: string) => ({ title: `is ${verdict}`, verdict });

describe("a search", () => {
  test("ends with the fastest valid candidate, verified on new seeds", async () => {
    const { record } = await search({ answers: [[good(1.5), good(3), bad("incorrect")]] });
    expect(record.state).toBe("finished");
    expect(record.result).toMatchObject({
      outcome: "improved",
      best: "r1c2",
      verdict: "valid",
      space: "kernel",
      candidates: { total: 3, valid: 2 },
    });
    expect(record.result?.speedup?.median).toBeGreaterThanOrEqual(3);
    expect(record.result?.source).toContain("runs 3");
    expect(record.candidates.map((candidate) => candidate.verdict)).toEqual(["valid", "valid", "incorrect"]);
    expect(record.candidates[1]?.final?.verdict).toBe("valid");
    expect(record.candidates[0]?.final).toBeNull();
  });

  test("tells the proposer what became of earlier candidates", async () => {
    const { proposer } = await search({ answers: [[good(2), bad("runtime-error")], [good(2.5)]] });
    // two rounds, then each space once more in vain
    expect(proposer.requests).toHaveLength(5);
    expect(proposer.requests[0]?.history).toEqual([]);
    expect(proposer.requests[1]?.history.map(({ verdict }) => verdict).sort()).toEqual(["runtime-error", "valid"]);
    expect(proposer.requests[1]?.history.find(({ verdict }) => verdict === "runtime-error")?.log).toEqual([
      "null: runtime-error",
    ]);
  });

  test("stops after a round without gain, at the floor, and at the budget, and says which", async () => {
    const stopped = async (answers: Parameters<typeof search>[0]["answers"], options = {}) =>
      (await search({ answers, options })).record;
    const noGain = await stopped([[good(2)], [good(1.9)], [good(3)]]);
    expect(noGain.result?.stopped).toBe("round 2 brought no gain");
    expect(noGain.rounds).toHaveLength(2);
    const floor = await stopped([[good(9)], [good(12)]]);
    expect(floor.result?.stopped).toMatch(/^the best reaches 9\d % of the floor$/);
    expect((await stopped([[good(2)], [good(3)], [good(4)], [good(5)]])).result?.stopped).toBe("the budget of 3 rounds is used");
    expect((await stopped([[good(2)], [good(3)]], { rounds: 1 })).rounds).toHaveLength(1);
    expect((await stopped([[good(2), good(3), good(4)]], { candidates: 2 })).candidates).toHaveLength(2);
  });

  test("goes on while nothing is won and a wider space is open", async () => {
    const { record } = await search({ answers: [[good(0.5)], [good(0.6)], [good(2, { space: "torch" })]] });
    expect(record.rounds.map(({ plans }) => plans.at(-1)?.space)).toEqual(["kernel", "libraries", "torch"]);
    expect(record.result).toMatchObject({ outcome: "improved", best: "r3c1", space: "torch" });
  });

  test("widens the space within a round where the proposer covers nothing", async () => {
    const uncovered = { candidates: [], uncovered: [{ region: "r0", reason: "no recipe sorts" }] };
    const { record } = await search({ answers: [uncovered, uncovered, [good(2, { space: "torch" })]] });
    expect(record.rounds[0]?.plans.map(({ space }) => space)).toEqual(["kernel", "libraries", "torch"]);
    expect(record.rounds[0]?.uncovered).toMatchObject([{ region: "r0", space: "kernel" }, { space: "libraries" }]);
    expect(record.rounds[0]?.plans.at(-1)?.reason).toContain("no recipe sorts");
    expect(record.result?.outcome).toBe("improved");
  });

  test("in a space that is asked for and not covered, ends without a candidate and names the region", async () => {
    const uncovered = { candidates: [], uncovered: [{ region: "r0", reason: "no recipe sorts" }] };
    const { record } = await search({ answers: [uncovered], options: { space: "kernel" } });
    expect(record.result).toMatchObject({ outcome: "no-candidate", verdict: "no-candidate", source: null, speedup: null });
    expect(record.result?.reason).toBe("space kernel does not cover region r0: no recipe sorts");
  });

  test("where nothing is faster, the answer is the reference itself, verified", async () => {
    const { record } = await search({ answers: [[good(0.9), bad("incorrect")]] });
    expect(record.result).toMatchObject({ outcome: "no-improvement", best: null, verdict: "valid", direction: null });
    expect(record.result?.source).toMatch(/class ModelNew\(Model\):\s+pass/);
  });

  test("a winner that fails on new seeds gives way to the next", async () => {
    let finals = 0;
    const { record } = await search({
      answers: [[good(3), good(2)]],
      device: {
        fail: (method, _, params) => {
          const final = method === "evaluate" && (params as { effort: string }).effort === "final";
          return final && ++finals <= 3 ? new HieraError("infrastructure", "gone") : undefined;
        },
      },
    });
    expect(record.result).toMatchObject({ outcome: "improved", best: "r1c2" });
    expect(record.candidates[0]?.verdict).toBe("infrastructure");
  });
});

describe("tuning", () => {
  test("measures a bounded number of settings and keeps the best", async () => {
    const { record } = await search({
      answers: [[{ title: "tunable", tunables: [tile], verdict: "valid" }]],
      options: { rounds: 1 },
    });
    const [candidate] = record.candidates;
    expect(candidate?.trials).toHaveLength(9);
    expect(new Set(candidate?.trials.map(({ settings }) => settings.TILE)).size).toBe(9);
    expect(candidate?.trials[0]?.settings).toEqual({ TILE: 8 });
    const best = Math.max(...(candidate?.trials ?? []).map(({ speedup }) => speedup?.median ?? 0));
    const chosen = candidate?.trials.find(({ settings }) => settings.TILE === candidate.settings.TILE);
    expect((chosen?.speedup?.median ?? 0) * 1.02).toBeGreaterThanOrEqual(best);
  });

  test("leaves alone what is far from the best", async () => {
    const { record } = await search({ answers: [[good(4), good(1.2, { tunables: [tile] })]], options: { rounds: 1 } });
    expect(record.candidates[1]?.trials).toHaveLength(1);
    expect(record.candidates[1]?.full?.verdict).toBe("valid");
  });
});

describe("failures that are not the candidate's", () => {
  test("a worker that dies is started again and the step repeated", async () => {
    let died = false;
    const once = (method: string) => {
      if (method !== "evaluate" || died) return undefined;
      died = true;
      return "die" as const;
    };
    const { record, events } = await search({ answers: [[good(2)]], device: { fail: once } });
    expect(events.filter(({ type }) => type === "retry")).toHaveLength(1);
    expect(record.result).toMatchObject({ outcome: "improved", best: "r1c1" });
  });

  test("a candidate at which every worker dies is recorded and not scored, and the search goes on", async () => {
    const deadly = (method: string, params: unknown) => method === "evaluate" && JSON.stringify(params).includes("is deadly");
    const { record, events } = await search({
      answers: [[bad("deadly"), good(2)]],
      device: { fail: (method, _, params) => (deadly(method, params) ? "die" : undefined) },
    });
    expect(events.filter(({ type }) => type === "retry")).toHaveLength(2);
    expect(record.candidates.map(({ verdict }) => verdict)).toEqual(["infrastructure", "valid"]);
    expect(record.result).toMatchObject({ outcome: "improved", best: "r1c2", candidates: { total: 2, valid: 1 } });
  });

  test("two failures are retried, and the result is as if they had not been", async () => {
    let failures = 0;
    const fail = (method: string) =>
      method === "evaluate" && ++failures <= 2 ? new HieraError("infrastructure", "flaky") : undefined;
    const { record, events } = await search({ answers: [[good(2)]], device: { fail } });
    expect(events.filter(({ type }) => type === "retry")).toHaveLength(2);
    expect(record.result).toMatchObject({ outcome: "improved", best: "r1c1" });
  });

  test("a device that stays away ends the run with an infrastructure error; it can be driven again", async () => {
    const store = memoryStore();
    const down = { fail: (method: string) => (method === "trace" ? ("die" as const) : undefined) };
    await expect(search({ answers: [[good(2)]], device: down, store })).rejects.toMatchObject({ code: "infrastructure" });
    const { record } = await search({ answers: [[good(2)]], store });
    expect(record.result?.outcome).toBe("improved");
  });

  test("a problem that cannot be used ends the run as such", async () => {
    const fail = (method: string) => (method === "validate" ? new HieraError("problem-invalid", "random") : undefined);
    await expect(search({ answers: [], device: { fail } })).rejects.toMatchObject({ code: "problem-invalid", message: "random" });
  });

  test("no profile is no error", async () => {
    const fail = (method: string) => (method === "profile" ? new HieraError("infrastructure", "no permission") : undefined);
    const { record } = await search({ answers: [[good(2)]], device: { fail } });
    expect(record.profile).toMatchObject({ available: false, why: "no permission" });
  });

  test("an interrupted run stops, frees the run and goes on where it was", async () => {
    const store = memoryStore();
    const stop = new AbortController();
    const running = search({ answers: [[good(2), good(3)]], device: { delayMs: 10 }, store, signal: stop.signal });
    setTimeout(() => stop.abort(), 75);
    await expect(running).rejects.toMatchObject({ code: "interrupted" });
    const before = store.facts("run");
    expect(before.length).toBeGreaterThan(2);
    const { record } = await search({ answers: [[good(2), good(3)]], store });
    expect(record.result?.outcome).toBe("improved");
    expect(store.facts("run").slice(0, before.length)).toEqual(before);
  });
});

test("a time budget is a recorded decision: a second drive repeats it", async () => {
  const store = memoryStore();
  const options = { minutes: 0.001 };
  const { record } = await search({ answers: [[good(2), good(3)]], options, device: { delayMs: 20 }, store });
  expect(record.result?.stopped).toBe("the budget of 0.001 minutes is used");
  expect((await search({ answers: [], options, store })).record).toEqual(record);
});

test("a finished run asks nothing of device or proposer again", async () => {
  const first = await search({ answers: [[good(2)]] });
  const again = await search({
    answers: [],
    store: first.store,
    device: { fail: () => new HieraError("infrastructure", "must not be asked") },
  });
  expect(again.record).toEqual(first.record);
  expect(again.proposer.requests).toHaveLength(0);
});
