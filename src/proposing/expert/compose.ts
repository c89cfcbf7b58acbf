import { HieraError } from "../../errors.ts";
import type { Contract } from "../../problem/contract.ts";
import type { Candidate } from "../proposer.ts";
import { assembleNative } from "./assemble.ts";
import { type Covered, narrowest } from "./cover.ts";
import type { Dialect } from "./dialect.ts";
import { cpp } from "./dialects/cpp.ts";
import { cuda } from "./dialects/cuda.ts";
import { callHelper, kernelStep, kernelsFile } from "./mixed.ts";
import type { Emitted, Recipe } from "./recipe.ts";
import { type Step, straightline } from "./torch/straightline.ts";

/** Recipe name → variant name. */
export type Choice = ReadonlyMap<string, string>;

export type Written = Pick<Candidate, "space" | "files" | "tunables">;

const dialectOf = (contract: Contract): Dialect => (contract.environment.kind === "cuda" ? cuda : cpp);

/** The region's function in the chosen variant. */
function emitRegion(contract: Contract, region: Covered["region"], recipe: Recipe, choice: Choice): Emitted {
  const variant = choice.get(recipe.name) ?? recipe.variants[0]?.name;
  if (variant === undefined) throw new HieraError("infrastructure", `recipe ${recipe.name} has no variant`);
  return recipe.emit(region, contract, dialectOf(contract), variant);
}

/** Every region in own code or a library's: one native file behind the contract's entry point. */
export function composeNative(contract: Contract, cover: readonly Covered[], choice: Choice): Written {
  const used = cover.flatMap(({ region, recipe }) => (recipe === null ? [] : [{ region, recipe }]));
  const steps = used.map(({ region, recipe }) => emitRegion(contract, region, recipe, choice));
  const name = contract.environment.kind === "cuda" ? "kernel.cu" : "kernel.cpp";
  return {
    space: narrowest(used.map(({ recipe }) => recipe)),
    files: { [name]: assembleNative(contract, steps, dialectOf(contract)) },
    tunables: steps.flatMap((step) => step.tunables),
  };
}

/** Regions without a recipe stay PyTorch calls, in their place among the others' kernels. */
export function composeMixed(contract: Contract, cover: readonly Covered[], choice: Choice): Written {
  const dialect = dialectOf(contract);
  const emitted = cover.map(({ region, recipe }) => (recipe === null ? null : emitRegion(contract, region, recipe, choice)));
  const native = emitted.filter((step): step is Emitted => step !== null);
  const steps = cover.flatMap(({ region }, index): Step[] => {
    const own = emitted[index];
    return own ? [kernelStep(contract, own)] : region.nodes.map((node) => ({ node }));
  });
  const name = contract.environment.kind === "cuda" ? "kernels.cu" : "kernels.cpp";
  return {
    space: "torch",
    files: { "model_new.py": straightline(contract, steps, callHelper), [name]: kernelsFile(contract, native, dialect) },
    tunables: native.flatMap((step) => step.tunables),
  };
}
