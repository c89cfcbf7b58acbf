import type { Direction } from "../../knowledge/directions.ts";
import type { Region } from "../../planning/region.ts";
import type { Contract } from "../../problem/contract.ts";
import type { ValueId } from "../../problem/graph.ts";
import type { SpaceName, Tunable } from "../../spaces/space.ts";
import type { Dialect } from "./dialect.ts";

/** Another way to write the same region, and the direction in which it helps. */
export interface Variant {
  readonly name: string;
  readonly direction: Direction;
  /** what it does and when it pays, in one clause */
  readonly note: string;
}

/** Expert knowledge as code: one function in C++ or CUDA that computes a region. */
export interface Recipe {
  readonly name: string;
  /** the narrowest space that allows what it calls */
  readonly space: SpaceName;
  /** the first is the default; each listed name is accepted by `emit` */
  readonly variants: readonly Variant[];
  /** Why the region does not fit, in one clause that a user can act on; null where it fits. */
  readonly refuses: (region: Region, contract: Contract) => string | null;
  /** Called only where `refuses` says null. */
  readonly emit: (region: Region, contract: Contract, dialect: Dialect, variant: string) => Emitted;
}

/** A region as a host function: `static int <symbol>(<one pointer a parameter>, void* scratch, hiera_stream stream)`, 0 = success. */
export interface Emitted {
  /** unique by region: starts with the region's id */
  readonly symbol: string;
  /** definitions in the dialect, the function last */
  readonly code: string;
  /** the function's pointer parameters in order: values read (`const T*`), then values written (`T*`), each at its own first element */
  readonly parameters: readonly { readonly value: ValueId; readonly access: "read" | "write" }[];
  readonly scratchBytes: number;
  readonly tunables: readonly Tunable[];
  /** names in `DeviceFacts.libraries` that must be linked */
  readonly libraries: readonly string[];
}

/**
 * Layout rule between regions: a value written by a recipe has exactly the strides that the trace recorded when these are dense,
 * else row-major contiguous ones. A view is addressed through its base: pointer of the base + view.offset, with the view's strides.
 */
