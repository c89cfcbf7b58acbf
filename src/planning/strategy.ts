import type { Direction } from "../knowledge/directions.ts";
import type { Contract } from "../problem/contract.ts";
import type { Strategy } from "../proposing/proposer.ts";

type Template = Pick<Strategy, "steps" | "risks" | "tunables">;

/** What an expert would do first in each direction. */
const templates: Readonly<Record<Direction, Template>> = {
  "control-flow": {
    steps: [
      "specialise the loops for the contract's constant shapes",
      "split the interior from the boundary, so that the interior has no branch",
      "hoist invariant conditions out of the inner loop",
    ],
    risks: "a boundary element handled by neither part",
    tunables: [],
  },
  parallelism: {
    steps: [
      "spread the outermost independent dimensions over all threads",
      "give every thread a contiguous share of similar size",
      "split long reductions where there are fewer rows than threads",
    ],
    risks: "partial sums in another order change the last bits; too small a share costs more than it saves",
    tunables: ["CHUNKS", "PANELS", "THREADS"],
  },
  memory: {
    steps: [
      "walk memory in the order of the strides",
      "read and write with the widest vector that the alignment allows",
      "write results that nobody reads soon past the cache",
    ],
    risks: "wide accesses need aligned pointers and a remainder loop",
    tunables: ["BLOCK", "COLUMNS", "PER_THREAD"],
  },
  reuse: {
    steps: [
      "fuse neighbouring operators, so that intermediate values stay in registers",
      "tile loops, so that what is read twice is read from cache",
      "keep a row's values between the passes over it",
    ],
    risks: "too large a tile spills registers or leaves the cache",
    tunables: ["TILE", "ROWS"],
  },
  instructions: {
    steps: [
      "hand products to the unit made for them",
      "replace divisions and transcendental functions by cheaper forms within the error budget",
      "keep several independent accumulators in flight",
    ],
    risks: "a cheaper form may leave the error budget",
    tunables: [],
  },
};

/** The plan for one direction, with the most that it can bring. */
export function strategyFor(direction: Direction, contract: Contract, baselineMs: number): Strategy {
  const { ms, bound } = contract.performance.floor;
  const most = ms > 0 ? ` (at most ${Number((baselineMs / ms).toPrecision(2))}×)` : "";
  return {
    ...templates[direction],
    expects: `from ${Number(baselineMs.toPrecision(3))} ms towards the ${bound} floor of ${Number(ms.toPrecision(3))} ms${most}`,
  };
}
