import { execFileSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Graph } from "../../../src/problem/graph.ts";
import { cuda } from "../../../src/proposing/expert/dialects/cuda.ts";
import { GraphBuilder } from "./graph-builder.ts";
import { emitAll, found, macros } from "./harness.ts";

const nvcc = found("nvcc");

function graphs(): [string, Graph][] {
  const chain = new GraphBuilder();
  const s = { shape: [16, 8, 64] };
  const b = chain.node("add", { self: chain.input("x", s.shape), other: chain.input("b", [8, 1]), alpha: 1 }, s);
  const flat = new GraphBuilder();
  const half = { shape: [4096], dtype: "bfloat16" as const };
  const f = flat.node(
    "gelu",
    { self: flat.input("x", [4096], "float16"), approximate: "tanh" },
    { shape: [4096], dtype: "float16" },
  );
  const softmax = (shape: number[], dim: number): Graph => {
    const g = new GraphBuilder();
    return g.returns(
      g.node("softmax", { self: g.node("mul", { self: g.input("x", shape), other: 0.125 }, { shape }), dim }, { shape }),
    );
  };
  const arg = new GraphBuilder();
  return [
    [
      "chain",
      chain.returns(chain.node("mish", { self: b }, s), chain.node("gt", { self: b, other: 0 }, { ...s, dtype: "bool" })),
    ],
    ["flat", flat.returns(flat.node("to", { self: f }, half))],
    ["warp", softmax([64, 512], 1)],
    ["block", softmax([64, 4096], 1)],
    ["across", softmax([64, 300, 500], 1)],
    [
      "arg",
      arg.returns(
        arg.node(
          "argmax",
          { self: arg.input("x", [8, 100000], "float64"), dim: 1, keepdim: false },
          { shape: [8], dtype: "int64" },
        ),
      ),
    ],
  ];
}

test.skipIf(!nvcc)("CUDA text of pointwise and row regions compiles for sm_90", { timeout: 120_000 }, () => {
  const all = graphs().flatMap(([, graph], k) => [
    ...emitAll(graph, cuda, `a${k}`, undefined, 1),
    ...emitAll(graph, cuda, `b${k}`, "streaming", 1),
    ...emitAll(graph, cuda, `c${k}`, "split", 1),
  ]);
  const folder = mkdtempSync(join(tmpdir(), "hiera-cuda-"));
  const uses = all.map((e) => `  (void)&${e.symbol};`).join("\n");
  const text = [macros(all), cuda.prelude, ...all.map((e) => e.code), `extern "C" void uses() {\n${uses}\n}`].join("\n");
  writeFileSync(join(folder, "kernel.cu"), text);
  const log = execFileSync(
    "nvcc",
    [
      "-std=c++17",
      "-arch=sm_90",
      "-O3",
      "-Xcompiler",
      "-fPIC",
      "-shared",
      join(folder, "kernel.cu"),
      "-o",
      join(folder, "kernel.so"),
    ],
    { encoding: "utf8" },
  );
  expect(log).not.toMatch(/error/);
});
