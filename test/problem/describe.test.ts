import { expect, test } from "vitest";
import { Contract } from "../../src/problem/contract.ts";
import { describeContract } from "../../src/problem/describe.ts";

const type = (shape: number[]) => ({
  dtype: "float32" as const,
  shape,
  strides: shape.map((_, i) => shape.slice(i + 1).reduce((a, b) => a * b, 1)),
});

/** One linear layer with a bias, whose output is returned in a dict beside a number. */
const contract = Contract.parse({
  version: 1,
  hash: "c0ffee".repeat(10),
  problem: { name: "linear", source: "secret source", hash: "beef".repeat(16) },
  interface: {
    inputs: [
      { name: "x", tensor: { ...type([8, 4]), strides: [1, 8], id: "v0", device: "cpu" } },
      { name: "scale", literal: 2.5 },
    ],
    outputs: [{ ...type([8, 3]), id: "v4", device: "cpu", path: "y" }],
    structure: { dict: { y: { tensor: "v4" }, n: { literal: 3 } } },
    initArguments: ["4", "3"],
    fixedArguments: {},
  },
  state: [
    { ...type([3, 4]), id: "v1", name: "fc.weight", kind: "parameter", role: "weight", usedBy: ["n0"], mutated: false },
    { ...type([3]), id: "v2", name: "seen", kind: "buffer", role: "counter", constraint: "≥ 0", usedBy: [], mutated: true },
  ],
  behaviour: { mode: "eval", modeMatters: false, mayChange: [], changesBuffers: ["seen"], fixedRng: false },
  numerics: { precision: "strict", tolerance: "budget", longestSum: 4 },
  environment: {
    kind: "cpu",
    name: "A processor",
    architecture: "x86-64-v4",
    cores: 4,
    threads: 2,
    memoryBytes: 24e9,
    cacheBytes: 32e6,
    os: "Debian 12",
    python: "3.11.2",
    torch: "1.13.1",
    compile: false,
    compiler: { command: "g++", version: "12.2.0" },
    libraries: { openblas: { version: "0.3.21", flags: ["-lopenblas"] } },
    rates: { copy: 25e9, matrix: { float32: 2e11 }, vector: { float32: 5e10 } },
    isolation: ["uid"],
    profiler: { available: true, why: "" },
  },
  performance: {
    floor: {
      ms: 0.012345,
      bound: "memory",
      memoryMs: 0.012345,
      computeMs: 0.001,
      bytes: 308625,
      operations: 216,
      assumes: "float32",
    },
  },
  graph: {
    values: { v0: { ...type([8, 4]), strides: [1, 8] }, v1: type([3, 4]), v2: type([3]), v3: type([4, 3]), v4: type([8, 3]) },
    inputs: [
      { id: "v0", role: "input", name: "x" },
      { id: "v1", role: "parameter", name: "fc.weight" },
      { id: "v2", role: "buffer", name: "seen" },
    ],
    nodes: [
      {
        id: "n0",
        op: "t",
        target: "aten.t",
        args: { self: { value: "v1" } },
        positional: ["self"],
        outputs: ["v3"],
        mutates: [],
        module: "fc",
      },
      {
        id: "n1",
        op: "matmul",
        target: "aten.mm",
        args: { self: { value: "v0" }, mat2: { value: "v3" }, dims: { literal: [1, 0] }, out: { literal: null } },
        positional: ["self", "mat2"],
        outputs: ["v4"],
        mutates: ["v2"],
        module: "fc",
      },
    ],
    output: { dict: { y: { tensor: "v4" }, n: { literal: 3 } } },
  },
});

test("a contract reads from what is asked to what it costs", () => {
  const parts = [{ id: "r0", kind: "contraction", nodes: contract.graph.nodes, reads: ["v0", "v1"], writes: ["v4"] }];
  expect(describeContract(contract, parts)).toMatchInlineSnapshot(`
    "linear  (contract c0ffeec0ffee, problem beefbeefbeef)

    Interface
      constructor         4, 3
      input        x      float32 [8, 4] strides [1, 8], 128 B
      input        scale  2.5, passed unchanged
      output       y      float32 [8, 3], 96 B
      returns             {y: tensor, n: 3}

    State
      parameter  fc.weight  float32 [3, 4]  weight; used by n0
      buffer     seen       float32 [3]     counter; ≥ 0; changed: counts as an output

    Behaviour
      mode         eval
      may change   seen
      precision    strict, judged by error budget against float64
      longest sum  4 elements

    Device
      name       A processor (cpu, x86-64-v4), 2 of 4 cores, 24 GB
      software   Debian 12, Python 3.11.2, torch 1.13.1 without torch.compile
      compiler   g++ 12.2.0
      libraries  openblas 0.3.21
      rates      copy 25 GB/s, products float32 200 GFLOP/s, vector float32 50 GFLOP/s

    Floor
      time     0.0123 ms, memory-bound
      memory   309 kB in 0.0123 ms
      compute  216 FLOP in 0.001 ms
      assumes  float32

    Operators
      n0  v3  t(fc.weight)                           float32 [4, 3]
      n1  v4  matmul(x, v3, dims=[1,0]) writes seen  float32 [8, 3]
              returns v4

    Regions
      r0  contraction  t matmul  reads x, fc.weight; writes v4, seen"
  `);
});

test("the problem's source stays out, and empty sections too", () => {
  const text = describeContract({ ...contract, state: [] });
  expect(text).not.toContain("secret source");
  expect(text).not.toMatch(/^(State|Regions)$/m);
});

test("a graph that cannot be taken apart says why", () => {
  const text = describeContract({ ...contract, graph: { ...contract.graph, opaque: "data-dependent control flow" } });
  expect(text).toContain("not to be taken apart: data-dependent control flow");
});
