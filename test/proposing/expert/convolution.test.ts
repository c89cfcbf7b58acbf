import { execFileSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { formRegions } from "../../../src/planning/regions.ts";
import type { Dtype } from "../../../src/problem/tensor.ts";
import { cuda } from "../../../src/proposing/expert/dialects/cuda.ts";
import { convolution } from "../../../src/proposing/expert/recipes/convolution.ts";
import { GraphBuilder } from "./graph-builder.ts";
import { found, python } from "./harness.ts";
import { contractFor, runWhole, type Whole, wholeFile } from "./whole.ts";

interface Layer {
  readonly x: readonly number[];
  readonly w: readonly number[];
  readonly stride?: number[];
  readonly padding?: number[];
  readonly dilation?: number[];
  readonly groups?: number;
  readonly bias?: boolean;
  readonly dtype?: Dtype;
}

/** Each layer a convolution of its own input and weight, all outputs of one graph. */
function layers(list: readonly Layer[]): Pick<Whole, "contract" | "inputs" | "expect"> {
  const g = new GraphBuilder();
  const inputs: Record<string, string> = {};
  const expect: string[] = [];
  const outputs = list.map((l, k) => {
    const dtype = l.dtype ?? "float32";
    const spatial = l.x.length - 2;
    const full = (given: number[] | undefined, absent: number) => given ?? new Array<number>(spatial).fill(absent);
    const [stride, padding, dilation] = [full(l.stride, 1), full(l.padding, 0), full(l.dilation, 1)] as [
      number[],
      number[],
      number[],
    ];
    const at = (list: readonly number[], d: number) => list[list.length === 1 ? 0 : d] as number;
    const random = (shape: readonly number[]) => `torch.randn(${shape.join(",")},dtype=torch.${dtype})`;
    const add = (name: string, shape: readonly number[]) => {
      inputs[`${name}${k}`] = random(shape);
      return g.input(`${name}${k}`, shape, dtype);
    };
    const [input, weight, bias] = [add("x", l.x), add("w", l.w), l.bias ? add("b", [l.w[0] as number]) : null];
    const out = Array.from(
      { length: spatial },
      (_, d) =>
        Math.floor(
          ((l.x[d + 2] as number) + 2 * at(padding, d) - at(dilation, d) * ((l.w[d + 2] as number) - 1) - 1) / at(stride, d),
        ) + 1,
    );
    const groups = l.groups ?? 1;
    expect.push(
      `F.conv${spatial}d(x${k},w${k},${l.bias ? `b${k}` : "None"},(${stride},),(${padding},),(${dilation},),${groups})`,
    );
    const shape = [l.x[0] as number, l.w[0] as number, ...out];
    return g.node(
      "convolution",
      { input, weight, bias, stride, padding, dilation, transposed: false, output_padding: new Array(spatial).fill(0), groups },
      { shape, dtype },
    );
  });
  return { contract: contractFor(g.returns(...outputs)), inputs, expect };
}

const shapes: Layer[] = [
  { x: [1, 1, 37, 53], w: [1, 1, 3, 3] },
  { x: [2, 1, 9, 70], w: [1, 1, 3, 3], padding: [1, 1], bias: true },
  { x: [2, 3, 19, 23], w: [5, 3, 3, 3], padding: [1, 1], bias: true },
  { x: [2, 6, 17, 40], w: [12, 1, 3, 3], padding: [1], groups: 6, bias: true },
  { x: [1, 4, 21, 33], w: [4, 1, 5, 3], stride: [2, 2], padding: [2, 1], groups: 4 },
  { x: [1, 4, 30, 50], w: [2, 2, 3, 5], stride: [1, 3], padding: [0, 4], dilation: [2, 3], groups: 2, dtype: "float64" },
  { x: [1, 2, 5, 4], w: [2, 1, 3, 7], padding: [3, 5], groups: 2 },
  { x: [1, 3, 1, 1], w: [3, 1, 3, 3], padding: [1, 1], groups: 3 },
  { x: [1, 1, 11, 13, 50], w: [1, 1, 3, 3, 3], padding: [1, 1, 1], dtype: "float64" },
  { x: [2, 2, 6, 7, 20], w: [4, 2, 2, 3, 3], stride: [2, 1, 2], padding: [0, 2, 1], dilation: [1, 2, 1], bias: true },
  { x: [2, 8, 100], w: [8, 1, 4], stride: [2], padding: [3], dilation: [2], groups: 8 },
];

const settings: Pick<Whole, "variant" | "settings" | "language">[] = [
  { variant: "rows", settings: { ROWS: 4, TILE: 8 } },
  { variant: "padded", settings: { ROWS: 2, TILE: 8, COLUMNS: 16 } },
  { variant: "padded", settings: { ROWS: 1, TILE: 32, COLUMNS: 1024 } },
  { variant: "interior", settings: { TILE: 512 } },
  { variant: "rows", settings: { ROWS: 4, THREADS: 64 }, language: "cuda" },
];

if (python === undefined) console.log("skipped: values of convolutions, for want of a Python with torch");
test.skipIf(python === undefined).each(settings)(
  "agrees with float64: $variant $settings $language",
  { timeout: 120_000 },
  (choice) => {
    const { shares } = runWhole({ ...layers(shapes), recipe: convolution, ...choice });
    expect(shares).toHaveLength(shapes.length);
    for (const [k, share] of shares.entries()) expect(share, JSON.stringify(shapes[k])).toBeLessThan(1);
  },
);

if (!found("nvcc")) console.log("skipped: CUDA text of convolutions, for want of nvcc");
test.skipIf(!found("nvcc"))("compiles as CUDA", { timeout: 120_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), "hiera-test-"));
  writeFileSync(join(folder, "kernel.cu"), wholeFile(layers(shapes.slice(2, 10)).contract, convolution, cuda, "rows"));
  execFileSync("nvcc", ["-std=c++17", "-arch=sm_90", "-c", join(folder, "kernel.cu"), "-o", join(folder, "kernel.o")], {
    stdio: "pipe",
  });
});

const why = (layer: Layer, change: (g: ReturnType<typeof layers>["contract"]) => void = () => {}): string | null => {
  const { contract } = layers([layer]);
  change(contract);
  return convolution.refuses(formRegions(contract.graph)[0] as never, contract);
};

test("refuses what a matrix product does better, with the reason", () => {
  expect(why({ x: [1, 8, 9, 9], w: [4, 8, 3, 3] })).toBe("each output sums 72 products: direct code pays up to 64");
  expect(why({ x: [1, 7, 9, 9], w: [4, 7, 3, 3] })).toBeNull();
  expect(why({ x: [1, 1, 9, 9], w: [1, 1, 3, 3], dtype: "float16" })).toContain("float16");
  const transposed = why({ x: [1, 1, 9, 9], w: [1, 1, 3, 3] }, ({ graph }) => {
    for (const node of graph.nodes) node.args.transposed = { literal: true };
  });
  expect(transposed).toContain("transposed");
  const channelsLast = why({ x: [1, 4, 9, 9], w: [4, 1, 3, 3], groups: 4 }, ({ graph }) => {
    const x = graph.values[graph.inputs[0]?.id ?? ""];
    if (x) x.strides = [324, 1, 36, 4];
  });
  expect(channelsLast).toContain("channels-last");
});
