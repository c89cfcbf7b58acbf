import type { Direction } from "../../../knowledge/directions.ts";
import type { Contract } from "../../../problem/contract.ts";

/** Another way to run the whole module with PyTorch's own operators. */
export interface Rewrite {
  readonly name: string;
  readonly direction: Direction;
  /** what it does and when it pays, in one clause */
  readonly note: string;
  /** Why it does not apply, in one clause; null where it does. */
  readonly refuses: (contract: Contract) => string | null;
  /** Text that defines `class ModelNew(Model)`; called only where `refuses` says null. */
  readonly emit: (contract: Contract) => string;
}
