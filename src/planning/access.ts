import type { Graph, Value, ValueId } from "../problem/graph.ts";
import { contiguousStrides, isDense } from "../problem/tensor.ts";

/** Where a tensor's elements lie: base + offset + Σ strides·i, in elements. Strides are one for each dimension of a given shape. */
export interface Access {
  readonly base: ValueId;
  readonly offset: number;
  readonly strides: readonly number[];
}

export function value(graph: Graph, id: ValueId): Value {
  const found = graph.values[id];
  if (!found) throw new Error(`graph has no value ${id}`);
  return found;
}

/** The tensor whose memory a value lies in; itself where it is no view. */
export function baseOf(graph: Graph, id: ValueId): ValueId {
  const view = value(graph, id).view;
  return view ? baseOf(graph, view.base) : id;
}

/** Strides that a value has in memory; see the layout rule in `recipe.ts`. A graph input keeps its own, whatever they are. */
export function layout(graph: Graph, id: ValueId): readonly number[] {
  const v = value(graph, id);
  const given = v.view !== undefined || graph.inputs.some((input) => input.id === id);
  return given || isDense(v) ? v.strides : contiguousStrides(v.shape);
}

/** A value's elements as its base sees them, over the value's own shape. */
export function access(graph: Graph, id: ValueId): Access {
  let offset = 0;
  let base = id;
  for (let view = value(graph, id).view; view; view = value(graph, base).view) {
    offset += view.offset;
    base = view.base;
  }
  return { base, offset, strides: layout(graph, id) };
}

/** The same elements over a larger shape, by PyTorch's broadcasting: aligned right, stride 0 where a size is 1 or absent. */
export function broadcast(a: Access, from: readonly number[], to: readonly number[]): Access {
  const skip = to.length - from.length;
  return { ...a, strides: to.map((_, d) => (d < skip || from[d - skip] === 1 ? 0 : (a.strides[d - skip] as number))) };
}
