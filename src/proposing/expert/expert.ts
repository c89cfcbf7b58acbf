import type { Direction } from "../../knowledge/directions.ts";
import type { Contract } from "../../problem/contract.ts";
import type { Candidate, Outcome, Proposal, Proposer, Request } from "../proposer.ts";
import { type Choice, composeMixed, composeNative } from "./compose.ts";
import { type Covered, coverRegions, regionName } from "./cover.ts";
import type { Recipe } from "./recipe.ts";
import { recipes } from "./recipes/index.ts";
import { rewrites } from "./torch/index.ts";
import { refusesStraightline } from "./torch/straightline.ts";

/** One way to write the whole problem. `key` tells it from every other, so that none is proposed twice. */
interface Move {
  readonly key: string;
  readonly direction: Direction;
  readonly make: () => Candidate;
}

/** Recipes instead of a model: needs no key and no network, and gives the same candidates for the same history. */
export const expert: Proposer = {
  name: "expert",
  propose: (request) => Promise.resolve(propose(request)),
};

function propose({ contract, plan, count, history }: Request): Proposal {
  const covers = coversOf(contract, plan.space);
  const uncovered = covers[0]?.filter(({ recipe }) => recipe === null) ?? [];
  const tried = new Set(history.map(({ candidate }) => keyOf(candidate.origin.recipes)));
  const all = [
    ...(plan.space === "torch" || uncovered.length === 0 ? covers.flatMap((cover) => regionMoves(contract, cover, history)) : []),
    ...(plan.space === "torch" ? rewriteMoves(contract) : []),
  ];
  const fresh = [...new Map(all.map((move) => [move.key, move])).values()].filter((move) => !tried.has(move.key));
  // a stable sort: within a direction, recipes stay in the order in which experts would try them
  const ranked = [
    ...fresh.filter((move) => move.direction === plan.direction),
    ...fresh.filter((move) => move.direction !== plan.direction),
  ];
  return {
    candidates: ranked.slice(0, count).map((move) => move.make()),
    uncovered: plan.space === "torch" ? [] : uncovered.map(({ region, reason }) => ({ region: regionName(region), reason })),
  };
}

const keyOf = (parts: readonly string[]) => [...parts].sort().join(" ");

/** The same regions under each set of recipes that is worth a candidate of its own: all allowed ones, then own code alone. */
function coversOf(contract: Contract, space: Request["plan"]["space"]): Covered[][] {
  const refused = refusesStraightline(contract);
  if (refused !== null) return [[{ region: wholeGraph(contract), recipe: null, reason: refused }]];
  const widest = coverRegions(contract, space, recipes);
  const own = coverRegions(contract, "kernel", recipes);
  return space === "torch" && own.some(({ recipe }, index) => recipe !== widest[index]?.recipe) ? [widest, own] : [widest];
}

const wholeGraph = (contract: Contract): Covered["region"] => ({
  id: "graph",
  kind: "other",
  nodes: contract.graph.nodes,
  reads: [],
  writes: [],
});

/** The default variants, then each variant of each recipe in turn, on top of the best combination so far. */
function regionMoves(contract: Contract, cover: readonly Covered[], history: readonly Outcome[]): Move[] {
  const used = [...new Set(cover.flatMap(({ recipe }) => (recipe === null ? [] : [recipe])))];
  if (used.length === 0) return [];
  const defaults = new Map(used.map((recipe) => [recipe.name, recipe.variants[0]?.name ?? "default"]));
  const best = bestChoice(used, history) ?? defaults;
  const move = (choice: Choice, direction: Direction): Move => ({
    key: keyOf(partsOf(used, choice)),
    direction,
    make: () => compose(contract, cover, used, choice, direction),
  });
  return [
    move(defaults, "reuse"),
    ...used.flatMap((recipe) =>
      recipe.variants
        .filter((variant) => variant.name !== best.get(recipe.name))
        .map((variant) => move(new Map([...best, [recipe.name, variant.name]]), variant.direction)),
    ),
  ];
}

const partsOf = (used: readonly Recipe[], choice: Choice) => used.map((recipe) => `${recipe.name}:${choice.get(recipe.name)}`);

/** The variants of the fastest valid candidate that used exactly these recipes. */
function bestChoice(used: readonly Recipe[], history: readonly Outcome[]): Choice | null {
  const names = new Set(used.map((recipe) => recipe.name));
  const same = history.filter(({ candidate, speedup }) => {
    const parts = candidate.origin.recipes.map((part) => part.split(":")[0] ?? "");
    return speedup !== null && parts.length === names.size && parts.every((name) => names.has(name));
  });
  const best = same.reduce<Outcome | null>((a, b) => ((b.speedup ?? 0) > (a?.speedup ?? 0) ? b : a), null);
  return best && new Map(best.candidate.origin.recipes.map((part) => part.split(":") as [string, string]));
}

function compose(
  contract: Contract,
  cover: readonly Covered[],
  used: readonly Recipe[],
  choice: Choice,
  direction: Direction,
): Candidate {
  const left = cover.filter(({ recipe }) => recipe === null);
  const parts = partsOf(used, choice);
  const notes = used.flatMap((recipe) =>
    recipe.variants.filter((variant) => variant.name === choice.get(recipe.name)).map((variant) => variant.note),
  );
  const rest = left.length === 0 ? "" : `; ${left.map(({ region }) => regionName(region)).join(", ")} left to PyTorch`;
  const written = left.length === 0 ? composeNative(contract, cover, choice) : composeMixed(contract, cover, choice);
  return {
    title: `${parts.join(" + ")}${left.length === 0 ? "" : " + PyTorch"}`,
    direction,
    ...written,
    origin: {
      proposer: "expert",
      recipes: parts,
      note: `${cover.length - left.length} of ${cover.length} regions in own code: ${notes.join("; ")}${rest}`,
    },
  };
}

function rewriteMoves(contract: Contract): Move[] {
  return rewrites
    .filter((rewrite) => rewrite.refuses(contract) === null)
    .map((rewrite) => ({
      key: rewrite.name,
      direction: rewrite.direction,
      make: () => ({
        title: rewrite.name,
        space: "torch",
        direction: rewrite.direction,
        files: { "model_new.py": rewrite.emit(contract) },
        tunables: [],
        origin: { proposer: "expert", recipes: [rewrite.name], note: rewrite.note },
      }),
    }));
}
