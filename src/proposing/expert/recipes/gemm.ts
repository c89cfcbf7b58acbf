import { HieraError } from "../../../errors.ts";
import type { Region } from "../../../planning/region.ts";
import type { Contract } from "../../../problem/contract.ts";
import type { Node } from "../../../problem/graph.ts";
import type { Recipe } from "../recipe.ts";
import { cppGemm } from "../render/cpp-gemm.ts";
import { type GemmShape, gemmShape } from "./gemm-shape.ts";

/** Matrix products through OpenBLAS, operands where they lie: transposed views cost nothing. */
export const gemm: Recipe = {
  name: "gemm",
  space: "libraries",
  variants: [
    { name: "threaded", direction: "instructions", note: "the library's own threads share each product" },
    {
      name: "panels",
      direction: "parallelism",
      note: "each thread multiplies panels of rows alone: pays where products are many or flat",
    },
  ],
  refuses: (region, contract) => {
    if (contract.environment.kind === "cuda")
      return "products through cuBLAS are not written by recipes: PyTorch calls it already";
    if (region.nodes.some((node) => node.mutates.length > 0)) return "the product writes a module's tensor in place";
    if (!contract.environment.libraries.openblas) return "OpenBLAS was not found here: install libopenblas-dev";
    const shape = shapeOf(region, contract);
    return typeof shape === "string" ? shape : null;
  },
  emit: (region, contract, dialect, variant) => {
    if (dialect.name === "cuda")
      throw new HieraError("usage", "products through cuBLAS are not written by recipes", {
        where: region.id,
        todo: "leave the region to PyTorch or to another proposer",
      });
    const shape = shapeOf(region, contract) as GemmShape;
    const symbol = `${region.id}_gemm`;
    const panels = variant === "panels" ? `HIERA_${region.id.toUpperCase()}_PANELS` : undefined;
    const read = [shape.left.value, shape.right.value, ...(shape.added ? [shape.added.value] : [])];
    return {
      symbol,
      code: cppGemm(shape, dialect, symbol, panels),
      parameters: [...read.map((value) => ({ value, access: "read" as const })), { value: shape.out.value, access: "write" }],
      scratchBytes: 0,
      tunables: panels
        ? [
            {
              name: panels,
              values: [1, 2, 4, 8],
              initial: shape.batch > 1 ? 1 : 4,
              meaning: "panels of rows that each product is cut into",
            },
          ]
        : [],
      libraries: ["openblas"],
    };
  },
};

function shapeOf(region: Region, contract: Contract): GemmShape | string {
  if (region.kind !== "contraction") return `a ${region.kind} region is no product`;
  if (region.nodes.length !== 1) return "more than one operator in a product's region";
  return gemmShape(contract.graph, region.nodes[0] as Node);
}
