import { expect, test } from "vitest";
import { nullFacts, nullTrace } from "../../src/devices/null-answers.ts";
import { Contract, DeviceFacts, Trace } from "../../src/problem/contract.ts";
import { canonical, sha256 } from "../../src/problem/hash.ts";
import { makeContract, type Problem } from "../../src/problem/make.ts";

const facts = DeviceFacts.parse(nullFacts);
const trace = Trace.parse(nullTrace);
const problem: Problem = {
  name: "double",
  source: "class Model: ...",
  options: { mode: "as-is", precision: "strict", threads: 2, fixedRng: false, tolerance: "budget" },
};

const buffer = (name: string, mutated: boolean) => ({
  ...{ id: name, name, kind: "buffer" as const, role: "buffer", usedBy: [], mutated },
  ...{ dtype: "float32" as const, shape: [1], strides: [1] },
});

test("a contract satisfies its own schema and states what the trace showed", () => {
  const shown = { ...trace, training: true, mutatedInputs: ["x"], state: [buffer("calls", true), buffer("table", false)] };
  const contract = makeContract(problem, shown, facts);
  expect(Contract.parse(contract)).toEqual(contract);
  expect(contract.behaviour).toEqual({
    mode: "train",
    modeMatters: false,
    mayChange: ["x"],
    changesBuffers: ["calls"],
    fixedRng: false,
  });
  expect(contract.problem.hash).toBe(sha256(problem.source));
  expect(contract.performance.floor.memoryMs).toBeCloseTo((8 * 2 ** 20) / 10e9 / 1e-3, 9);
});

test("the hash ignores measured rates and nothing else", () => {
  const { hash } = makeContract(problem, trace, facts);
  const faster = { ...facts, rates: { ...facts.rates, copy: 20e9 } };
  expect(makeContract(problem, trace, faster).hash).toBe(hash);
  const others = [
    makeContract({ ...problem, source: `${problem.source}\n` }, trace, facts),
    makeContract({ ...problem, options: { ...problem.options, precision: "bf16" } }, trace, facts),
    makeContract(problem, { ...trace, mutatedInputs: ["x"] }, facts),
    makeContract(problem, trace, { ...facts, torch: "2.13.0" }),
  ];
  expect(new Set([hash, ...others.map((other) => other.hash)]).size).toBe(5);
});

test("canonical JSON does not depend on the order of keys", () => {
  expect(canonical({ b: [{ d: 1, c: 2 }], a: undefined, e: null })).toBe('{"b":[{"c":2,"d":1}],"e":null}');
  expect(sha256({ a: 1, b: 2 })).toBe(sha256({ b: 2, a: 1 }));
});
