import { expect, test } from "vitest";
import { floorOf } from "../../src/problem/floor.ts";
import { facts } from "../fixtures/contract.ts";

const work = { bytes: 4e8, operations: { matrix: 0, vector: 1e8 }, dtype: "float32", longestSum: 1 };

test("the larger of bytes over bandwidth and operations over rate, by hand", () => {
  expect(floorOf(work, facts)).toMatchObject({
    ms: 10,
    bound: "memory",
    memoryMs: 10,
    computeMs: 2,
    bytes: 4e8,
    operations: 1e8,
  });
  const product = { ...work, operations: { matrix: 2e9, vector: 1e8 } };
  expect(floorOf(product, facts)).toMatchObject({ ms: 22, bound: "compute", computeMs: 22 });
});

test("a GPU does products beside other arithmetic", () => {
  const both = { ...work, operations: { matrix: 2e9, vector: 1e8 } };
  expect(floorOf(both, { ...facts, kind: "cuda" }).computeMs).toBe(20);
});

test("each dtype has its own rate, and one without is computed in float32", () => {
  const double = { ...work, dtype: "float64" };
  expect(floorOf(double, facts)).toMatchObject({ computeMs: 4, assumes: expect.stringContaining("float64 arithmetic") });
  const integer = { ...work, dtype: "int64" };
  expect(floorOf(integer, facts)).toMatchObject({ computeMs: 2, assumes: expect.stringContaining("float32 arithmetic") });
});

test("no work takes no time", () => {
  const none = { ...work, bytes: 0, operations: { matrix: 0, vector: 0 } };
  expect(floorOf(none, { ...facts, rates: { copy: 1e9, matrix: {}, vector: {} } })).toMatchObject({ ms: 0, computeMs: 0 });
});
