import { value } from "../../../planning/access.ts";
import { product } from "../../../planning/axes.ts";
import { lower, refusal } from "../lower/lower.ts";
import type { Recipe } from "../recipe.ts";
import { cppRows, shapeOf, splitScratch } from "../render/cpp-rows.ts";
import { cudaRows } from "../render/cuda-rows.ts";
import { names } from "../render/names.ts";
import { coalesce, type Policy, schedule } from "../schedule.ts";
import { largest, type TunableName, tunables } from "./tunables.ts";

/** Bytes of a row's buffer that stay in a core's second-level cache, and what a block's shared memory holds. */
const bufferLimit = { "c++": 512 * 1024, cuda: 48 * 1024 };

/** Reductions with everything around them that walks the same rows: norms, softmax, arg max, losses, statistics, sums. */
export const rows: Recipe = {
  name: "rows",
  space: "kernel",
  variants: [
    {
      name: "cached",
      direction: "reuse",
      note: "all passes over a row while it is in cache; dear values are kept between passes",
    },
    {
      name: "recomputed",
      direction: "instructions",
      note: "nothing is kept between passes: pays where arithmetic is cheaper than memory",
    },
    { name: "split", direction: "parallelism", note: "threads share each row: pays where rows are few and long" },
  ],
  refuses: (region, contract) =>
    region.kind !== "row" ? `a ${region.kind} region has no rows` : refusal(region, contract.graph),
  emit: (region, contract, dialect, variant) => {
    const n = names(coalesce(lower(region, contract.graph)), dialect, (id) => value(contract.graph, id).dtype);
    const across = shapeOf(n) === "across";
    const { axes } = n.program;
    const tasks =
      product(axes.filter((a) => !a.reduced).map((a) => a.size)) / (across ? Math.min(128, axes.at(-1)?.size ?? 1) : 1);
    const few = tasks < 2 * contract.environment.threads && product(axes.map((a) => a.size)) > 65536;
    const split = axes.some((a) => a.reduced) && (variant === "split" || (variant === "cached" && few));
    const tileBytes = across ? 128 : 1;
    const policy: Policy = variant === "recomputed" ? "recompute" : "keep";
    const plan = schedule(n.program, policy, split ? 0 : bufferLimit[dialect.name] / tileBytes);
    const symbol = `${region.id}_rows`;
    const cpp: TunableName[] = [...(across ? (["TILE"] as const) : []), ...(split ? (["CHUNKS"] as const) : [])];
    const t = tunables(region.id, dialect.name === "cuda" ? ["THREADS", ...(split ? (["CHUNKS"] as const) : [])] : cpp);
    const render = dialect.name === "cuda" ? cudaRows : cppRows;
    return {
      symbol,
      code: render(n, plan, symbol, t.macro, split),
      parameters: n.parameters,
      scratchBytes: split ? splitScratch(n, plan, largest("CHUNKS"), across ? largest("TILE") : 1) : 0,
      tunables: t.tunables,
      libraries: [],
    };
  },
};
