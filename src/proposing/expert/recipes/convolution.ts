import type { Region } from "../../../planning/region.ts";
import type { Contract } from "../../../problem/contract.ts";
import type { Node } from "../../../problem/graph.ts";
import { dtypeBytes } from "../../../problem/tensor.ts";
import type { Tunable } from "../../../spaces/space.ts";
import type { Recipe } from "../recipe.ts";
import { cppConvolution } from "../render/cpp-convolution.ts";
import { cudaConvolution } from "../render/cuda-convolution.ts";
import { type ConvolutionShape, convolutionShape } from "./convolution-shape.ts";

const known = {
  ROWS: { values: [1, 2, 4], initial: 4, meaning: "output rows computed together: a loaded element feeds all of them" },
  TILE: { values: [8, 32, 128, 512], initial: 32, meaning: "rows of a block that is walked through the depth" },
  COLUMNS: { values: [256, 1024, 4096], initial: 1024, meaning: "columns copied into padded lines at a time" },
  THREADS: { values: [64, 128, 256], initial: 128, meaning: "threads a block" },
} as const satisfies Record<string, Omit<Tunable, "name">>;

/** Which tunables each rendering reads. */
const chosen: Readonly<Record<string, readonly (keyof typeof known)[]>> = {
  rows: ["ROWS", "TILE"],
  padded: ["ROWS", "TILE", "COLUMNS"],
  interior: ["TILE"],
  cuda: ["ROWS", "THREADS"],
};

/** Stencils and depthwise convolutions, 1-D to 3-D: a window short enough to unroll, no matrix product. */
export const convolution: Recipe = {
  name: "convolution",
  space: "kernel",
  variants: [
    {
      name: "rows",
      direction: "reuse",
      note: "several output rows at once from registers: each input row is loaded once for all of them",
    },
    { name: "padded", direction: "memory", note: "rows copied into padded lines: pays for narrow rows and strides" },
    { name: "interior", direction: "control-flow", note: "one row at a time without a branch inside, borders peeled" },
  ],
  refuses: (region, contract) => {
    const shape = shapeOf(region, contract);
    return typeof shape === "string" ? shape : null;
  },
  emit: (region, contract, dialect, variant) => {
    const shape = shapeOf(region, contract) as ConvolutionShape;
    const symbol = `${region.id}_convolution`;
    const macro = (name: string): string => `HIERA_${region.id.toUpperCase()}_${name}`;
    const cuda = dialect.name === "cuda";
    const read = [shape.input, shape.weight, ...(shape.bias ? [shape.bias] : [])];
    return {
      symbol,
      code: cuda ? cudaConvolution(shape, dialect, symbol, macro) : cppConvolution(shape, dialect, symbol, macro, variant),
      parameters: [...read.map((value) => ({ value, access: "read" as const })), { value: shape.output, access: "write" }],
      scratchBytes: 0,
      tunables: (chosen[cuda ? "cuda" : variant] ?? []).map((name) => ({
        name: macro(name),
        ...known[name],
        ...(name === "ROWS" && !cuda && staysInCache(shape) ? { initial: 1 } : {}),
      })),
      libraries: [],
    };
  },
};

/** A small plane is read from cache however often: one output row at a time is then fastest (measured, depthwise 112 × 112). */
const staysInCache = ({ size, window, dtype }: ConvolutionShape): boolean =>
  window[0] === 1 && size[1] * size[2] * dtypeBytes[dtype] <= 1 << 17;

function shapeOf(region: Region, contract: Contract): ConvolutionShape | string {
  if (region.kind !== "convolution") return `a ${region.kind} region is no convolution`;
  if (region.nodes.length !== 1) return "more than one operator in a convolution's region";
  return convolutionShape(contract.graph, region.nodes[0] as Node);
}
