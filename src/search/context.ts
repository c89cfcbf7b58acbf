import type { ProblemSpec } from "../evaluation/calls.ts";
import type { Contract } from "../problem/contract.ts";
import type { Journal } from "../store/journal.ts";
import type { Observer } from "./events.ts";
import type { Link } from "./link.ts";

/** What every stage of one run needs. */
export interface RunContext {
  readonly journal: Journal;
  readonly link: Link;
  readonly observe: Observer;
}

/** A run whose problem is understood: contract made, oracle and baseline ready. */
export interface PreparedContext extends RunContext {
  readonly problem: ProblemSpec;
  readonly contract: Contract;
}
