import type { Direction } from "../knowledge/directions.ts";
import type { Contract } from "../problem/contract.ts";
import type { Files, SpaceName, Tunable } from "../spaces/space.ts";

/** A structured plan for one direction. */
export interface Strategy {
  readonly steps: readonly string[];
  /** what should move, and by how much, against the floor */
  readonly expects: string;
  readonly risks: string;
  /** names of tunables to expose */
  readonly tunables: readonly string[];
}

/** The decision of one round. */
export interface Plan {
  readonly round: number;
  readonly space: SpaceName;
  readonly direction: Direction;
  /** why this space and direction: floor, classification, history */
  readonly reason: string;
  readonly scores: Readonly<Record<Direction, number>>;
  readonly strategy: Strategy;
}

/** Files in one space that satisfy the contract's entry point, with where they came from. */
export interface Candidate {
  readonly title: string;
  /** the narrowest space that allows all its parts */
  readonly space: SpaceName;
  readonly direction: Direction;
  readonly files: Files;
  readonly tunables: readonly Tunable[];
  /** recipe names, model name or `hand`, and what was done */
  readonly origin: { readonly proposer: string; readonly recipes: readonly string[]; readonly note: string };
}

/** What became of an earlier candidate, as a proposer sees it. */
export interface Outcome {
  readonly candidate: Candidate;
  readonly settings: Readonly<Record<string, number>>;
  readonly verdict: string;
  readonly reason: string;
  readonly log: readonly string[];
  readonly speedup: number | null;
  readonly ms: number | null;
}

export interface Request {
  readonly contract: Contract;
  readonly plan: Plan;
  readonly count: number;
  /** oldest first; a proposer never repeats one */
  readonly history: readonly Outcome[];
}

/** What a proposer says: candidates, and for what it cannot cover, which region and why. */
export interface Proposal {
  readonly candidates: readonly Candidate[];
  readonly uncovered: readonly { readonly region: string; readonly reason: string }[];
}

/** Whoever writes candidates. An empty proposal is an answer, not an error. */
export interface Proposer {
  readonly name: string;
  propose(request: Request): Promise<Proposal>;
}
