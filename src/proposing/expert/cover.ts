import type { Region } from "../../planning/region.ts";
import { formRegions } from "../../planning/regions.ts";
import type { Contract } from "../../problem/contract.ts";
import { type SpaceName, spaceNames } from "../../spaces/space.ts";
import type { Recipe } from "./recipe.ts";

/** A region with the recipe that computes it, or with every recipe's reason not to. */
export interface Covered {
  readonly region: Region;
  readonly recipe: Recipe | null;
  readonly reason: string;
}

const within = (narrow: SpaceName, wide: SpaceName) => spaceNames.indexOf(narrow) <= spaceNames.indexOf(wide);

/** The regions in execution order, each with the first recipe that fits and that `space` allows. Returned views cost nothing and are left out. */
export function coverRegions(contract: Contract, space: SpaceName, recipes: readonly Recipe[]): Covered[] {
  const allowed = recipes.filter((recipe) => within(recipe.space, space));
  return formRegions(contract.graph)
    .filter((region) => region.kind !== "view")
    .map((region) => {
      const reasons: string[] = [];
      for (const recipe of allowed) {
        const reason = recipe.refuses(region, contract);
        if (reason === null) return { region, recipe, reason: "" };
        reasons.push(`${recipe.name}: ${reason}`);
      }
      return { region, recipe: null, reason: [...new Set(reasons)].join("; ") || `no recipe in space ${space}` };
    });
}

/** The narrowest space that allows every recipe of the list. */
export const narrowest = (recipes: readonly Recipe[]): SpaceName =>
  recipes.reduce<SpaceName>((space, recipe) => (within(recipe.space, space) ? space : recipe.space), "kernel");

/** A region as a person names it: `r2 (aten.cumsum)`. */
export const regionName = ({ id, nodes }: Region): string => `${id} (${[...new Set(nodes.map((node) => node.op))].join(", ")})`;
