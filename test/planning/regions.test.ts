import { expect, test } from "vitest";
import { formRegions } from "../../src/planning/regions.ts";
import type { Graph } from "../../src/problem/graph.ts";
import { GraphBuilder } from "../proposing/expert/graph-builder.ts";

const shape = [8, 16];
const s = { shape };
const show = (graph: Graph): string[] => formRegions(graph).map((r) => `${r.kind}: ${r.nodes.map((n) => n.op).join(" ")}`);

test("a fusion that would wait for itself is not made", () => {
  const g = new GraphBuilder();
  const a = g.node("relu", { self: g.input("x", shape) }, s);
  const m = g.node("mm", { self: a, mat2: g.input("w", [16, 16]) }, s);
  expect(show(g.returns(g.node("add", { self: a, other: m, alpha: 1 }, s)))).toEqual([
    "pointwise: relu",
    "contraction: mm",
    "pointwise: add",
  ]);
});

test("two producers and their consumer are one region", () => {
  const g = new GraphBuilder();
  const [a, b] = [g.node("exp", { self: g.input("x", shape) }, s), g.node("tanh", { self: g.input("y", shape) }, s)];
  const graph = g.returns(g.node("mul", { self: a, other: b }, s));
  expect(show(graph)).toEqual(["pointwise: exp tanh mul"]);
  expect(formRegions(graph)[0]).toMatchObject({ id: "r0", reads: ["v0", "v2"], writes: ["v4"] });
});

test("reductions over different dimensions are different regions", () => {
  const g = new GraphBuilder();
  const rows = g.node("softmax", { self: g.input("x", shape), dim: 1 }, s);
  expect(show(g.returns(g.node("softmax", { self: rows, dim: 0 }, s)))).toEqual(["row: softmax", "row: softmax"]);
});

test("a transposed reader starts a region of its own", () => {
  const g = new GraphBuilder();
  const a = g.node("exp", { self: g.input("x", [16, 16]) }, { shape: [16, 16] });
  const t = g.view("t", a, [16, 16], [1, 16]);
  expect(show(g.returns(g.node("add", { self: a, other: t, alpha: 1 }, { shape: [16, 16] })))).toEqual([
    "pointwise: exp",
    "pointwise: add",
  ]);
});

test("what a later region needs is written, what stays inside is not", () => {
  const g = new GraphBuilder();
  const a = g.node("exp", { self: g.input("x", shape) }, s);
  const b = g.node("neg", { self: a }, s);
  const m = g.node("mm", { self: g.view("t", b, [16, 8], [1, 16]), mat2: b }, { shape: [16, 16] });
  expect(formRegions(g.returns(m)).map((r) => r.writes)).toEqual([[b], [m]]);
});

test("nodes that nothing depends on are left out", () => {
  const g = new GraphBuilder();
  const x = g.input("x", shape);
  g.node("empty", { size: [0] }, { shape: [0] });
  g.node("exp", { self: x }, s);
  expect(show(g.returns(g.node("neg", { self: x }, s)))).toEqual(["pointwise: neg"]);
});

test("a node that changes a buffer keeps to itself", () => {
  const g = new GraphBuilder();
  const x = g.input("x", shape);
  const graph = g.returns(g.node("relu", { self: g.node("exp", { self: x }, s) }, s));
  graph.nodes[0]?.mutates.push("p0");
  expect(show(graph)).toEqual(["other: exp", "pointwise: relu"]);
});

test("a chain of 300 operators is formed in a second", { timeout: 5000 }, () => {
  const g = new GraphBuilder();
  let x = g.input("x", shape);
  for (let k = 0; k < 300; k++) x = g.node("relu", { self: x }, s);
  expect(show(g.returns(x))).toHaveLength(1);
});
