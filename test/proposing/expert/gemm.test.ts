import { existsSync, readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { formRegions } from "../../../src/planning/regions.ts";
import { cpp } from "../../../src/proposing/expert/dialects/cpp.ts";
import { cuda } from "../../../src/proposing/expert/dialects/cuda.ts";
import { gemm } from "../../../src/proposing/expert/recipes/gemm.ts";
import { GraphBuilder } from "./graph-builder.ts";
import { python } from "./harness.ts";
import { contractFor, runWhole, wholeFile } from "./whole.ts";

const openblas = { openblas: { version: "test", flags: ["-lopenblas"] } };
const installed = ["/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib"].some(
  (folder) => existsSync(folder) && readdirSync(folder).includes("libopenblas.so"),
);

/** Every kind of product and operand layout, all outputs of one graph. */
function products() {
  const g = new GraphBuilder();
  const inputs: Record<string, string> = {};
  const add = (name: string, shape: number[], dtype: "float32" | "float64" = "float32") => {
    inputs[name] = `torch.randn(${shape.join(",")},dtype=torch.${dtype})`;
    return g.input(name, shape, dtype);
  };
  const [a, b] = [add("a", [37, 53]), add("b", [53, 29])];
  const bt = add("bt", [29, 53]);
  const at = add("at", [53, 37]);
  const [row, matrix, column] = [add("row", [29]), add("full", [37, 29]), add("column", [37, 1])];
  const [d, e] = [add("d", [40, 33], "float64"), add("e", [33, 21], "float64")];
  const [batchA, batchB, batchBt] = [add("ba", [5, 12, 17]), add("bb", [5, 17, 9]), add("bbt", [5, 9, 17])];
  const wide = add("wide", [37, 80]);
  const turnedB = g.view("t", bt, [53, 29], [1, 53]);
  const turnedA = g.view("t", at, [37, 53], [1, 37]);
  const part = g.view("slice", wide, [37, 53], [80, 1], 7);
  const turnedBatch = g.view("transpose", batchBt, [5, 17, 9], [153, 1, 17]);
  const vector = add("vector", [1, 53]);
  const mn = { shape: [37, 29] };
  const outputs: [string, string][] = [
    [g.node("mm", { self: a, mat2: b }, mn), "a@b"],
    [g.node("mm", { self: a, mat2: turnedB }, mn), "a@bt.t()"],
    [g.node("mm", { self: turnedA, mat2: turnedB }, mn), "at.t()@bt.t()"],
    [g.node("mm", { self: part, mat2: b }, mn), "wide[:,7:60]@b"],
    [g.node("mm", { self: turnedA, mat2: b }, { shape: [37, 29], strides: [1, 37] }), "at.t()@b"],
    [g.node("mm", { self: d, mat2: e }, { shape: [40, 21], dtype: "float64" }), "d@e"],
    [g.node("mm", { self: vector, mat2: b }, { shape: [1, 29] }), "vector@b"],
    [g.node("addmm", { self: row, mat1: a, mat2: turnedB, beta: 1, alpha: 1 }, mn), "torch.addmm(row,a,bt.t())"],
    [g.node("addmm", { self: matrix, mat1: a, mat2: b, beta: 0.5, alpha: -2 }, mn), "torch.addmm(full,a,b,beta=0.5,alpha=-2)"],
    [g.node("addmm", { self: column, mat1: a, mat2: b, beta: 3, alpha: 1 }, mn), "torch.addmm(column,a,b,beta=3)"],
    [g.node("bmm", { self: batchA, mat2: batchB }, { shape: [5, 12, 9] }), "torch.bmm(ba,bb)"],
    [
      g.node(
        "baddbmm",
        { self: batchB, batch1: batchB, batch2: g.input("square", [5, 9, 9]), beta: 2, alpha: 0.25 },
        { shape: [5, 17, 9] },
      ),
      "torch.baddbmm(bb,bb,square,beta=2,alpha=0.25)",
    ],
    [g.node("bmm", { self: batchA, mat2: turnedBatch }, { shape: [5, 12, 9] }), "torch.bmm(ba,bbt.transpose(1,2))"],
  ];
  inputs.square = "torch.randn(5,9,9)";
  return {
    contract: contractFor(g.returns(...outputs.map(([id]) => id)), openblas),
    inputs,
    expect: outputs.map(([, text]) => text),
  };
}

const absent = python === undefined ? "a Python with torch" : installed ? undefined : "libopenblas-dev";
if (absent) console.log(`skipped: values of products, for want of ${absent}`);
const choices = [{ variant: "threaded" }, { variant: "panels" }, { variant: "panels", settings: { PANELS: 8 } }];
test.skipIf(absent !== undefined).each(choices)("agrees with float64: $variant $settings", { timeout: 60_000 }, (choice) => {
  const cases = products();
  const { shares } = runWhole({ ...cases, recipe: gemm, ...choice, link: ["-lopenblas"] });
  expect(shares).toHaveLength(cases.expect.length);
  for (const [k, share] of shares.entries()) expect(share, cases.expect[k] ?? "").toBeLessThan(1);
});

function oneProduct(strides: number[], libraries = openblas, dtype: "float32" | "int64" = "float32") {
  const g = new GraphBuilder();
  const [self, mat2] = [g.input("a", [8, 6], dtype, strides), g.input("b", [6, 4], dtype)];
  const contract = contractFor(g.returns(g.node("mm", { self, mat2 }, { shape: [8, 4], dtype })), libraries);
  return { contract, region: formRegions(contract.graph)[0] as never };
}

test("refuses with the reason", () => {
  const why = (...given: Parameters<typeof oneProduct>) => {
    const { contract, region } = oneProduct(...given);
    return gemm.refuses(region, contract);
  };
  expect(why([6, 1])).toBeNull();
  expect(why([12, 2])).toContain("strides 12, 2");
  expect(why([0, 1])).toContain("strides 0, 1");
  expect(why([6, 1], {} as typeof openblas)).toContain("libopenblas-dev");
  expect(why([6, 1], openblas, "int64")).toContain("int64");
});

test("beta 0 leaves what is added unread", () => {
  const g = new GraphBuilder();
  const [self, mat1, mat2] = [g.input("c", [4]), g.input("a", [8, 6]), g.input("b", [6, 4])];
  const contract = contractFor(g.returns(g.node("addmm", { self, mat1, mat2, beta: 0, alpha: 1 }, { shape: [8, 4] })), openblas);
  expect(wholeFile(contract, gemm, cpp, "threaded")).not.toContain("added");
});

test("says that it writes no cuBLAS", () => {
  const { contract, region } = oneProduct([6, 1]);
  expect(() => gemm.emit(region, contract, cuda, "threaded")).toThrow("cuBLAS");
});
