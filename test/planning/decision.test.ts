import { describe, expect, test } from "vitest";
import { classify } from "../../src/knowledge/bottlenecks.ts";
import { type Direction, directions } from "../../src/knowledge/directions.ts";
import { type Context, decide } from "../../src/planning/decision.ts";
import type { Contract } from "../../src/problem/contract.ts";
import type { Plan } from "../../src/proposing/proposer.ts";
import { facts, scaledRelu, tensor } from "../fixtures/contract.ts";

const contract = scaledRelu();

/** The fixture's graph with one operator renamed. */
const withOperator = (op: string): Contract => ({
  ...contract,
  graph: { ...contract.graph, nodes: contract.graph.nodes.map((node, index) => (index === 0 ? { ...node, op } : node)) },
});

const context = (rest: Partial<Context> = {}): Context => ({
  round: 1,
  contract,
  baselineMs: 10,
  bottleneck: {
    kind: "memory",
    why: "memory-bound: as tested",
    floorShare: 0.1,
    launchShare: 0,
    trafficShare: 0.5,
    trafficRatio: 2,
  },
  space: null,
  exhausted: [],
  past: [],
  ...rest,
});

const plan = (rest: Partial<Context> = {}): Plan => {
  const made = decide(context(rest));
  if (made === null) throw new Error("no plan");
  return made;
};

const past = (round: number, space: Plan["space"], direction: Direction, gain: number, valid = 1) => ({
  plan: { ...plan(), round, space, direction },
  gain,
  valid,
});

describe("the space", () => {
  test("is the narrowest at first, and libraries where there are products", () => {
    expect(plan().space).toBe("kernel");
    for (const op of ["mm", "addmm", "module:LSTM", "scaled_dot_product_attention"]) {
      expect(plan({ contract: withOperator(op) }).space).toBe("libraries");
    }
  });

  test("a stencil is no product, a full convolution is", () => {
    const convolution = (channels: number): Contract => {
      const { graph } = withOperator("conv2d");
      const [first, ...rest] = graph.nodes;
      if (first === undefined) throw new Error("no node");
      const node = { ...first, args: { ...first.args, weight: { value: "k" } } };
      return {
        ...contract,
        graph: { ...graph, nodes: [node, ...rest], values: { ...graph.values, k: tensor([8, channels, 3, 3]) } },
      };
    };
    expect(plan({ contract: convolution(1) }).space).toBe("kernel");
    expect(plan({ contract: convolution(8) }).space).toBe("libraries");
  });

  test("stays where the last round gained, widens where it did not", () => {
    expect(plan({ past: [past(1, "kernel", "reuse", 2)] }).space).toBe("kernel");
    expect(plan({ past: [past(1, "kernel", "reuse", 1)] }).space).toBe("libraries");
    expect(plan({ past: [past(1, "kernel", "reuse", 1), past(2, "libraries", "memory", 1.01)] }).space).toBe("torch");
  });

  test("skips what is exhausted and says why, until nothing is left", () => {
    const exhausted = [{ space: "kernel" as const, why: "r0: no recipe sorts" }];
    expect(plan({ exhausted })).toMatchObject({ space: "libraries", reason: expect.stringContaining("r0: no recipe sorts") });
    expect(decide(context({ space: "kernel", exhausted }))).toBeNull();
  });

  test("is the user's where the user names one", () => {
    expect(plan({ space: "torch" })).toMatchObject({ space: "torch", reason: expect.stringContaining("the user asked for it") });
    expect(plan({ space: "kernel", contract: withOperator("mm") }).space).toBe("kernel");
  });
});

describe("the direction", () => {
  test("scores all five, and the best is taken", () => {
    const { scores, direction } = plan();
    expect(Object.keys(scores).sort()).toEqual(Object.keys(directions).sort());
    expect(scores[direction]).toBe(Math.max(...Object.values(scores)));
  });

  test("follows the bottleneck", () => {
    const directionFor = (kind: "memory" | "compute" | "latency" | "launch", trafficRatio: number) =>
      plan({ bottleneck: { ...context().bottleneck, kind, trafficRatio } }).direction;
    expect(directionFor("memory", 1)).toBe("memory");
    expect(directionFor("memory", 3)).toBe("reuse");
    expect(directionFor("compute", 1)).toBe("instructions");
    expect(directionFor("latency", 1)).toBe("parallelism");
    expect(directionFor("launch", 1)).toBe("reuse");
  });

  test("loses score where it gave nothing, more where all failed", () => {
    const base = plan().scores.reuse;
    expect(plan({ past: [past(1, "kernel", "reuse", 1.5)] }).scores.reuse).toBeGreaterThan(base);
    const nothing = plan({ past: [past(1, "kernel", "reuse", 1)] });
    const failed = plan({ past: [past(1, "kernel", "reuse", 1, 0)] });
    expect(nothing.scores.reuse).toBeLessThan(base);
    expect(failed.scores.reuse).toBeLessThan(nothing.scores.reuse);
    expect(nothing.direction).not.toBe("reuse");
    expect(nothing.reason).toContain("reuse gained nothing in round 1");
  });

  test("comes with a strategy that names what is to be gained", () => {
    const { strategy } = plan();
    expect(strategy.steps.length).toBeGreaterThan(1);
    expect(strategy.expects).toBe("from 10 ms towards the memory floor of 1 ms (at most 10×)");
  });
});

describe("what bounds the reference", () => {
  const floor = (ms: number, bound: "memory" | "compute" = "memory") => ({
    ...contract.performance.floor,
    ms,
    bound,
    computeMs: ms,
  });
  const kindOf = (ms: number, baselineMs: number, bound?: "memory" | "compute", rows = 4096) =>
    classify(scaledRelu(rows, 4096).graph, floor(ms, bound), facts, baselineMs).kind;

  test("launch: dispatch takes a good part of a short call", () => expect(kindOf(0.001, 0.02, "memory", 1)).toBe("launch"));
  // 4096 × 4096 float32 through two operators: 256 MiB and the weight, 6.7 ms at 40 GB/s
  test("memory: traffic explains the time", () => expect(kindOf(3.4, 9)).toBe("memory"));
  test("compute: arithmetic explains the time", () => expect(kindOf(15, 20, "compute")).toBe("compute"));
  test("latency: nothing does", () => expect(kindOf(3.4, 100)).toBe("latency"));

  test("the sentence holds the numbers", () => {
    const { why, trafficRatio } = classify(scaledRelu(4096, 4096).graph, { ...floor(3.4), bytes: 2 ** 27 }, facts, 9);
    expect(why).toBe(
      "memory-bound: 2 operators move 256 MiB where 128 MiB is unavoidable; at the copy rate that is 75 % of the call",
    );
    expect(trafficRatio).toBeCloseTo(2, 2);
  });
});
