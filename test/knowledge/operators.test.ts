import { expect, test } from "vitest";
import { fills, operatorClass } from "../../src/knowledge/operators.ts";
import { pointwise } from "../../src/proposing/expert/lower/pointwise.ts";
import { rows } from "../../src/proposing/expert/lower/rows.ts";

test.each([
  ["add", "pointwise"],
  ["argmax", "reduction"],
  ["layer_norm", "normalisation"],
  ["addmm", "contraction"],
  ["convolution", "convolution"],
  ["view", "view"],
  ["zeros", "creation"],
  ["randn", "random"],
  ["module:LSTM", "other"],
])("%s is of class %s", (op, cls) => expect(operatorClass(op)).toBe(cls));

test("what has a lowered form is classed so that regions take it up", () => {
  expect(Object.keys(pointwise).filter((op) => operatorClass(op) !== "pointwise")).toEqual([]);
  expect(Object.keys(rows).filter((op) => !["reduction", "normalisation"].includes(operatorClass(op)))).toEqual([]);
  expect(Object.keys(fills).filter((op) => operatorClass(op) !== "creation")).toEqual([]);
});
