import type { Node, ValueId } from "../problem/graph.ts";

/** A connected part of the operator graph with a contract of its own: reads these values, writes those. */
export interface Region {
  /** `r0`, `r1` … in execution order */
  readonly id: string;
  /** what its operators have in common: `pointwise`, `row`, `convolution`, `contraction`, `view`, `other` */
  readonly kind: RegionKind;
  /** in execution order */
  readonly nodes: readonly Node[];
  /** tensors from outside, bases resolved by whoever addresses them; no duplicates */
  readonly reads: readonly ValueId[];
  /** tensors that a later region or the output needs */
  readonly writes: readonly ValueId[];
}

export type RegionKind = "pointwise" | "row" | "convolution" | "contraction" | "view" | "other";
