import type { Bottleneck, BottleneckKind } from "../knowledge/bottlenecks.ts";
import { type Direction, directions } from "../knowledge/directions.ts";
import { operatorClass } from "../knowledge/operators.ts";
import type { Contract } from "../problem/contract.ts";
import type { Graph, Node } from "../problem/graph.ts";
import type { Plan } from "../proposing/proposer.ts";
import { type SpaceName, spaceNames } from "../spaces/space.ts";
import { strategyFor } from "./strategy.ts";

/** What a finished round brought. */
export interface Past {
  readonly plan: Plan;
  readonly valid: number;
  /** best speedup after the round over best before it; 1: nothing gained */
  readonly gain: number;
}

export interface Context {
  readonly round: number;
  readonly contract: Contract;
  /** of the reference, milliseconds a call */
  readonly baselineMs: number;
  readonly bottleneck: Bottleneck;
  /** the user's choice; null: the planner's */
  readonly space: SpaceName | null;
  /** spaces in which the proposer has nothing (more) to offer, and why */
  readonly exhausted: readonly { readonly space: SpaceName; readonly why: string }[];
  /** oldest first */
  readonly past: readonly Past[];
}

/** The space and direction of the next round, with the numbers that speak for them; null where every allowed space is exhausted. */
export function decide(context: Context): Plan | null {
  const chosen = chooseSpace(context);
  if (chosen === null) return null;
  const scores = scoreDirections(context);
  const direction = (Object.keys(scores) as Direction[]).reduce((a, b) => (scores[b] > scores[a] ? b : a));
  const reason = `Space ${chosen.space}: ${chosen.why}. Direction ${direction} (score ${scores[direction].toFixed(2)}): ${context.bottleneck.why}${memoryOf(context, direction)}.`;
  return {
    round: context.round,
    space: chosen.space,
    direction,
    reason,
    scores,
    strategy: strategyFor(direction, context.contract, context.baselineMs),
  };
}

/** A round gained where its best is this much faster than before: timing noise stays below. */
export const gainThreshold = 1.02;

function chooseSpace(context: Context): { space: SpaceName; why: string } | null {
  const open = spaceNames.filter(
    (space) => (context.space === null || space === context.space) && !context.exhausted.some((entry) => entry.space === space),
  );
  if (open.length === 0) return null;
  const rule = spaceRules.map((entry) => entry(context, open)).find((answer) => answer !== null);
  return rule ?? { space: open[0] as SpaceName, why: `it is the narrowest that is left${exhaustion(context)}` };
}

type SpaceRule = (context: Context, open: readonly SpaceName[]) => { space: SpaceName; why: string } | null;

/** The first rule with an answer decides. */
const spaceRules: readonly SpaceRule[] = [
  ({ space }, open) => (space !== null && open.includes(space) ? { space, why: "the user asked for it" } : null),
  ({ past }, open) => {
    const best = past.findLast((entry) => entry.gain >= gainThreshold)?.plan;
    const last = past.at(-1)?.plan;
    return best !== undefined && best === last && open.includes(best.space)
      ? { space: best.space, why: `round ${best.round} gained there` }
      : null;
  },
  ({ past }, open) => {
    const last = past.at(-1)?.plan;
    const wider = open.find((space) => last !== undefined && spaceNames.indexOf(space) > spaceNames.indexOf(last.space));
    return last !== undefined && wider !== undefined
      ? { space: wider, why: `round ${last.round} gained nothing in ${last.space}, and this is the next wider` }
      : null;
  },
  ({ contract }, open) => {
    const products = contract.graph.nodes.filter((node) => isProduct(node, contract.graph));
    return products.length > 0 && open.includes("libraries")
      ? {
          space: "libraries",
          why: `${products.length} of ${contract.graph.nodes.length} operators are products or convolutions, where vendor libraries are hard to beat`,
        }
      : null;
  },
];

const exhaustion = ({ exhausted }: Context) => exhausted.map(({ space, why }) => `; ${space} has nothing more (${why})`).join("");

/** True where the operator's time is that of a matrix product; a convolution over one channel a group is a stencil. */
function isProduct(node: Node, { values }: Graph): boolean {
  if (operatorClass(node.op) === "contraction" || /^(module:|scaled_dot_product)/.test(node.op)) return true;
  const weight = node.args.weight;
  const shape = weight !== undefined && "value" in weight ? values[weight.value]?.shape : undefined;
  return operatorClass(node.op) === "convolution" && (shape?.[1] ?? 0) > 1;
}

/** How much each direction promises against each bottleneck, 0 to 1: expert judgement, adjusted by history below. */
const promise: Readonly<Record<BottleneckKind, Readonly<Record<Direction, number>>>> = {
  memory: { "control-flow": 0.3, parallelism: 0.5, memory: 0.7, reuse: 0.6, instructions: 0.2 },
  compute: { "control-flow": 0.3, parallelism: 0.6, memory: 0.3, reuse: 0.7, instructions: 0.8 },
  latency: { "control-flow": 0.5, parallelism: 0.8, memory: 0.5, reuse: 0.6, instructions: 0.3 },
  launch: { "control-flow": 0.5, parallelism: 0.3, memory: 0.3, reuse: 0.9, instructions: 0.2 },
};

function scoreDirections(context: Context): Record<Direction, number> {
  const { kind, trafficRatio } = context.bottleneck;
  const scores = { ...promise[kind] };
  // Fusion saves what operators hand to one another through memory: that share of all traffic.
  scores.reuse += 0.5 * Math.max(0, 1 - 1 / trafficRatio);
  for (const { plan, valid, gain } of context.past) {
    scores[plan.direction] += valid === 0 ? -0.4 : gain < gainThreshold ? -0.3 : 0.05;
  }
  for (const direction of Object.keys(directions) as Direction[]) scores[direction] = Math.round(100 * scores[direction]) / 100;
  return scores;
}

function memoryOf({ past }: Context, direction: Direction): string {
  const tried = past.filter(({ plan }) => plan.direction === direction);
  const others = past.filter(({ plan, gain }) => plan.direction !== direction && gain < gainThreshold);
  return [
    ...tried.map(({ plan, gain }) => `; round ${plan.round} gained ${gain.toFixed(2)}× with it`),
    ...others.map(({ plan }) => `; ${plan.direction} gained nothing in round ${plan.round}`),
  ].join("");
}
