import type { BuildResult, Evaluation, Interval } from "../../src/evaluation/calls.ts";
import { type Verdict, verdicts } from "../../src/evaluation/verdict.ts";
import type { Contract } from "../../src/problem/contract.ts";
import type { Graph } from "../../src/problem/graph.ts";
import type { Plan } from "../../src/proposing/proposer.ts";
import type { CandidateRecord, ResultRecord, RoundRecord, RunRecord, Trial } from "../../src/search/record.ts";

const reference = `import torch
import torch.nn as nn


class Model(nn.Module):
    """GELU, tanh form, spelled out."""

    def forward(self, x):
        return 0.5 * x * (1.0 + torch.tanh(0.7978845608 * (x + 0.044715 * x * x * x)))


def get_inputs():
    return [torch.randn(4096, 4096)]


def get_init_inputs():
    return []
`;

const kernel = (body: string) => `#include "contract.h"
#include <cmath>

// y = gelu(x), one pass: each element is read and written once.
static inline float gelu(float x) {
  return 0.5f * x * (1.0f + std::tanh(0.7978845608f * (x + 0.044715f * x * x * x)));
}

extern "C" int64_t hiera_workspace_bytes() { return 0; }

extern "C" int hiera_forward(const HieraTensors* t, void*, hiera_stream) {
${body}
  return 0;
}
`;

const plain = kernel(`#pragma omp parallel for
  for (int64_t i = 0; i < X_NUMEL; ++i) t->y[i] = gelu(t->x[i]);`);

const wide = kernel(`#pragma omp parallel for schedule(static)
  for (int64_t b = 0; b < X_NUMEL; b += BLOCK) {
    const float* x = t->x + b;
    float* y = t->y + b;
#pragma omp simd simdlen(VECTOR)
    for (int i = 0; i < BLOCK; ++i) y[i] = gelu(x[i]);
  }`);

const matrix = { dtype: "float32" as const, shape: [4096, 4096], strides: [4096, 1] };

const node = (id: string, op: string, args: Graph["nodes"][number]["args"], output: string): Graph["nodes"][number] => ({
  id,
  op,
  target: `aten.${op}.Tensor`,
  args,
  positional: Object.keys(args),
  outputs: [output],
  mutates: [],
  module: "",
});

const graph: Graph = {
  values: { x: matrix, a: matrix, b: matrix, y: matrix },
  inputs: [{ id: "x", role: "input", name: "x" }],
  nodes: [
    node("n0", "mul", { self: { value: "x" }, other: { literal: 0.5 } }, "a"),
    node("n1", "tanh", { self: { value: "x" } }, "b"),
    node("n2", "mul", { self: { value: "a" }, other: { value: "b" } }, "y"),
  ],
  output: { tensor: "y" },
};

const contract: Contract = {
  version: 1,
  hash: "5f3a9c0e77d1b264",
  problem: { name: "gelu_chain", source: reference, hash: "c0ffee1234567890" },
  interface: {
    inputs: [{ name: "x", tensor: { ...matrix, id: "x", device: "cpu" } }],
    outputs: [{ ...matrix, id: "y", device: "cpu", path: "" }],
    structure: { tensor: "y" },
    initArguments: [],
    fixedArguments: {},
  },
  state: [],
  behaviour: { mode: "train", modeMatters: false, mayChange: [], changesBuffers: [], fixedRng: false },
  numerics: { precision: "strict", tolerance: "budget", longestSum: 1 },
  environment: {
    kind: "cpu",
    name: "Some Processor 9000",
    architecture: "x86_64 avx512",
    cores: 2,
    threads: 2,
    memoryBytes: 24 * 2 ** 30,
    cacheBytes: 32 * 2 ** 20,
    os: "Debian 12",
    python: "3.11.2",
    torch: "2.13.0",
    compile: true,
    compiler: { command: "g++", version: "12.2.0" },
    libraries: { openblas: { version: "0.3.21", flags: ["-lopenblas"] } },
    rates: { copy: 14.2e9, matrix: { float32: 310e9 }, vector: { float32: 95e9 } },
    isolation: ["uid", "network"],
    profiler: { available: false, why: "no hardware counters here" },
  },
  performance: {
    floor: {
      ms: 9.45,
      bound: "memory",
      memoryMs: 9.45,
      computeMs: 1.9,
      bytes: 2 * 4 * 4096 * 4096,
      operations: 180e6,
      assumes: "each input read once, each output written once, float32",
    },
  },
  graph,
};

const built: BuildResult = { ok: true, cached: false, seconds: 0.31, log: [] };

const around = (median: number): Interval => ({ median, low: median * 0.97, high: median * 1.04 });

const baselineMs = 118;

const evaluation = (verdict: Verdict, reason: string, log: readonly string[], speedup: number | null): Evaluation => ({
  verdict,
  reason,
  log: [...log],
  checks: ["oracle: float64", "isolation: uid", "variants: own, zero-mean, scaled"],
  error: verdict === "compile-error" ? null : { share: verdict === "valid" ? 0.23 : 7.1, where: "output, variant own" },
  timing:
    speedup === null
      ? null
      : {
          candidateMs: baselineMs / speedup,
          baselineMs,
          speedup: around(speedup),
          pairs: 40,
          spread: 0.0124,
          cache: "cold",
          callsPerBurst: 3,
        },
  seconds: { build: 0.31, start: 0.8, verify: 2.1, measure: 4.4 },
});

type Sketch = Partial<CandidateRecord> & { readonly speedupMedian?: number };

/** A candidate as the store would assemble it; `speedupMedian` gives it times. */
export function makeCandidate(id: string, { speedupMedian, ...given }: Sketch = {}): CandidateRecord {
  const verdict = given.verdict === undefined ? "valid" : given.verdict;
  const timed = verdict === "valid" ? (speedupMedian ?? 4) : null;
  const reason = given.reason ?? (verdict === "valid" ? "every output within the budget, faster than the reference" : "");
  const judged = verdict === null ? null : evaluation(verdict, reason, given.log ?? [], timed);
  const settings = given.settings ?? { VECTOR: 16, BLOCK: 4096 };
  const trial: Trial = {
    settings,
    verdict: verdict ?? "valid",
    reason,
    ms: timed && baselineMs / timed,
    speedup: timed ? around(timed) : null,
  };
  return {
    id,
    round: Number(id[1] ?? 1),
    title: "fused pointwise chain",
    space: "kernel",
    direction: "reuse",
    files: { "kernel.cpp": plain },
    tunables: [{ name: "VECTOR", values: [8, 16], initial: 8, meaning: "floats a SIMD step" }],
    origin: { proposer: "expert", recipes: ["pointwise"], note: "one loop over all elements" },
    log: [],
    speedup: timed ? around(timed) : null,
    ms: timed ? baselineMs / timed : null,
    source: `${reference}\n\nclass ModelNew(Model):\n    pass\n`,
    builds: [built],
    trials: verdict === null ? [] : [{ ...trial, settings: { VECTOR: 8, BLOCK: 1024 } }, trial],
    full: judged,
    final: null,
    ...given,
    verdict,
    reason,
    settings,
  };
}

const plan = (round: number, space: Plan["space"], direction: Plan["direction"], reason: string): Plan => ({
  round,
  space,
  direction,
  reason,
  scores: { "control-flow": 0.1, parallelism: 0.35, memory: 0.62, reuse: 0.55, instructions: 0.2, [direction]: 0.9 },
  strategy: {
    steps: ["fuse the chain into one pass over the elements", "vectorise with a fixed width", "split rows over the threads"],
    expects: "traffic falls from 12 passes to 2; up to 12× where memory bounds",
    risks: "tanh may not vectorise without a polynomial",
    tunables: ["VECTOR", "BLOCK"],
  },
});

const candidates: readonly CandidateRecord[] = [
  makeCandidate("r1c1", { speedupMedian: 4.1, settings: { VECTOR: 8, BLOCK: 1024 } }),
  makeCandidate("r1c2", { title: "fused chain, blocked", speedupMedian: 7.75, files: { "kernel.cpp": wide } }),
  makeCandidate("r1c3", {
    title: "fused chain, fast tanh",
    verdict: "imprecise",
    reason: "worst error 7.1 times the budget at strict precision; passes at bf16: use a longer polynomial",
    log: ["output [112, 4031]: 0.84119, oracle 0.84134", "variant scaled: 7.1 times the budget"],
  }),
  makeCandidate("r2c1", { title: "torch.compile", space: "torch", direction: "control-flow", speedupMedian: 3.02 }),
  makeCandidate("r2c2", {
    title: "streaming stores",
    direction: "memory",
    verdict: "compile-error",
    reason: "kernel.cpp:14: '_mm512_stream_ps' was not declared: include <immintrin.h>",
    log: ["kernel.cpp:14:5: error: '_mm512_stream_ps' was not declared in this scope", "   14 |     _mm512_stream_ps(y + i, v);"],
  }),
  makeCandidate("r2c3", {
    title: "fused chain, blocked, static schedule",
    direction: "memory",
    speedupMedian: 9.84,
    files: { "kernel.cpp": wide.replace("tanh(", "tanhf(") },
    final: evaluation("valid", "every output within the budget, faster than the reference", [], 9.84),
  }),
];

const rounds: readonly RoundRecord[] = [
  {
    round: 1,
    plans: [plan(1, "kernel", "reuse", "12 operators move 1.5 GiB where 128 MiB is unavoidable: fuse them")],
    uncovered: [],
    candidates: ["r1c1", "r1c2", "r1c3"],
  },
  {
    round: 2,
    plans: [
      plan(2, "libraries", "memory", "80 % of the floor reached; what is left is traffic"),
      plan(2, "torch", "memory", "no library covers the region r0; wider space"),
    ],
    uncovered: [{ region: "r0", reason: "no BLAS call computes tanh", space: "libraries" }],
    candidates: ["r2c1", "r2c2", "r2c3"],
  },
];

const result: ResultRecord = {
  outcome: "improved",
  best: "r2c3",
  stopped: "no gain in round 2",
  verdict: "valid",
  reason: "every output within the budget, faster than the reference",
  speedup: around(9.84),
  baselineMs,
  bestMs: baselineMs / 9.84,
  floorMs: 9.45,
  space: "kernel",
  direction: "memory",
  candidates: { total: 6, valid: 4 },
  source: `${reference}\n_hiera_source = r'''${wide}'''\n\n\nclass ModelNew(Model):\n    def forward(self, x):\n        return _hiera_call(x)\n`,
  evaluation: evaluation("valid", "every output within the budget, faster than the reference", [], 9.84),
};

/** A finished run with realistic values; `given` replaces any part. */
export const makeRun = (given: Partial<RunRecord> = {}): RunRecord => ({
  id: "gelu_chain-7f3a",
  hiera: "0.1.0",
  state: "finished",
  createdAt: "2026-03-01T10:00:00.000Z",
  updatedAt: "2026-03-01T10:02:23.000Z",
  activeSeconds: 143,
  problem: { name: "gelu_chain", file: "examples/gelu_chain.py", source: reference },
  options: {
    device: "cpu",
    proposer: "expert",
    space: null,
    rounds: 3,
    candidates: 6,
    minutes: null,
    mode: "as-is",
    precision: "strict",
    fixedRng: false,
    tolerance: "budget",
    threads: null,
  },
  contract,
  validation: { baselineMs, variants: ["own", "zero-mean", "scaled"], checks: ["planted: zeros, mean, copy refused"] },
  profile: {
    available: true,
    why: "",
    operators: [
      { name: "aten::mul", ms: 61, calls: 5 },
      { name: "aten::tanh", ms: 37, calls: 1 },
    ],
    totalMs: 118,
  },
  bottleneck: {
    kind: "memory",
    why: "memory-bound: 12 operators move 1.5 GiB where 128 MiB is unavoidable",
    floorShare: 0.08,
    launchShare: 0.001,
    trafficShare: 0.96,
    trafficRatio: 12,
  },
  rounds,
  candidates,
  result,
  log: [],
  ...given,
});

/** The result of a run that found nothing better, or nothing at all. */
export const withoutGain = (outcome: "no-improvement" | "no-candidate", reason: string): ResultRecord => ({
  ...result,
  outcome,
  best: null,
  verdict: outcome === "no-candidate" ? "no-candidate" : "valid",
  reason,
  speedup: null,
  bestMs: null,
  space: null,
  direction: null,
  source: outcome === "no-candidate" ? null : reference,
  evaluation: null,
});

/** A run with one candidate of each verdict, whose reasons and log lines name it. */
export const everyVerdict = (): RunRecord => {
  const all = verdicts.map((verdict, i) =>
    makeCandidate(`r1c${i + 1}`, { verdict, reason: `reason of ${verdict}`, log: [`log of ${verdict}`] }),
  );
  const only = { ...(rounds[0] as RoundRecord), candidates: all.map((c) => c.id) };
  return makeRun({ candidates: all, rounds: [only], result: { ...result, best: `r1c${verdicts.length}` } });
};
