import { value } from "../../../planning/access.ts";
import { lower, refusal } from "../lower/lower.ts";
import type { Recipe } from "../recipe.ts";
import { cppPointwise } from "../render/cpp-pointwise.ts";
import { cudaPointwise } from "../render/cuda-pointwise.ts";
import { names } from "../render/names.ts";
import { coalesce } from "../schedule.ts";
import { tunables } from "./tunables.ts";

/** Chains of operators on one element at a time, with broadcasting, strides and type conversion, in one walk over memory. */
export const pointwise: Recipe = {
  name: "pointwise",
  space: "kernel",
  variants: [
    { name: "blocks", direction: "memory", note: "one pass in wide vectors; each thread takes contiguous blocks" },
    {
      name: "streaming",
      direction: "memory",
      note: "stores pass the cache by: pays where the output is larger than the cache and not read soon",
    },
  ],
  refuses: (region, contract) =>
    region.kind !== "pointwise" && region.kind !== "view"
      ? `a ${region.kind} region is not pointwise`
      : refusal(region, contract.graph),
  emit: (region, contract, dialect, variant) => {
    const n = names(coalesce(lower(region, contract.graph)), dialect, (id) => value(contract.graph, id).dtype);
    const symbol = `${region.id}_pointwise`;
    const t = tunables(region.id, dialect.name === "cuda" ? ["THREADS", "PER_THREAD"] : ["BLOCK"]);
    const render = dialect.name === "cuda" ? cudaPointwise : cppPointwise;
    return {
      symbol,
      code: render(n, symbol, t.macro, variant === "streaming"),
      parameters: n.parameters,
      scratchBytes: 0,
      tunables: t.tunables,
      libraries: [],
    };
  },
};
