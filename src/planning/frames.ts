import { fills, operatorClass } from "../knowledge/operators.ts";
import type { Graph, Literal, Node, ValueId } from "../problem/graph.ts";
import { isDense } from "../problem/tensor.ts";
import { type Access, access, broadcast, layout, value } from "./access.ts";

/** Part of a logical dimension: index along the dimension = Σ step·i over its axes. */
export interface Axis {
  readonly dim: number;
  readonly step: number;
  readonly size: number;
  readonly reduced: boolean;
}

/** The index space of one operator, axes in memory order of what it writes (reads, for a reduction), sizes above 1 only. */
export interface Frame {
  readonly shape: readonly number[];
  /** logical dimensions that are reduced, of size 1 too */
  readonly reduced: readonly number[];
  readonly axes: readonly Axis[];
}

export const literal = (node: Node, name: string): Literal | undefined => {
  const arg = node.args[name];
  return arg && "literal" in arg ? arg.literal : undefined;
};

export const operand = (node: Node, name: string): ValueId | undefined => {
  const arg = node.args[name];
  return arg && "value" in arg ? arg.value : undefined;
};

/** The first tensor argument, which gives reductions and normalisations their index space. */
export const subject = (node: Node): ValueId | undefined =>
  Object.values(node.args).flatMap((arg) => ("value" in arg ? [arg.value] : []))[0];

/** The number that fills the result, where the operator is a fill and the number is known. */
export function filled(node: Node): number | undefined {
  const known = fills[node.op];
  if (known === undefined) return undefined;
  const said = known ?? literal(node, "fill_value") ?? literal(node, "s") ?? literal(node, "value");
  return typeof said === "boolean"
    ? Number(said)
    : typeof said === "string"
      ? Number(said.replace("inf", "Infinity"))
      : ((said ?? undefined) as number | undefined);
}

const dims = (said: Literal | undefined, rank: number): number[] => {
  const list =
    said === undefined || said === null || (Array.isArray(said) && said.length === 0) ? [...Array(rank).keys()] : [said].flat();
  return list.map((d) => (Number(d) + rank) % Math.max(rank, 1));
};

const trailing = (node: Node, rank: number): number[] => {
  const normalized = literal(node, "normalized_shape");
  const count = Array.isArray(normalized) ? normalized.length : 1;
  return [...Array(count).keys()].map((d) => rank - count + d);
};

/** Which logical dimensions each operator reduces; one that is not here reduces its `dim` argument, all where that is absent. */
const reducedDims: Record<string, (node: Node, rank: number) => number[]> = {
  layer_norm: trailing,
  rms_norm: trailing,
  batch_norm: (node, rank) => (literal(node, "training") === true ? [...Array(rank).keys()].filter((d) => d !== 1) : []),
  instance_norm: (_node, rank) => [...Array(rank).keys()].filter((d) => d > 1),
  group_norm: (_node, rank) => [...Array(rank).keys()].filter((d) => d > 1),
};

/** One element of each row is taken: then it is the sum of the row with the others masked out. */
function gathersOne(graph: Graph, node: Node): boolean {
  const [source, index] = [operand(node, "self"), operand(node, "index")];
  if (source === undefined || index === undefined) return false;
  const [from, to] = [value(graph, source).shape, value(graph, index).shape];
  const [dim] = dims(literal(node, "dim"), from.length);
  return to.every((size, d) => size === (d === dim ? 1 : from[d]));
}

/** A loss reduces nothing where its `reduction` is none (0, by ATen's enumeration). */
const reducesNothing = (node: Node): boolean => literal(node, "reduction") === 0 || literal(node, "reduction") === "none";

/** The index space of a pointwise operator, a reduction or a normalisation; null where the operator has none. */
export function frameOf(graph: Graph, node: Node): Frame | null {
  const cls = operatorClass(node.op);
  const result = node.outputs[0];
  if (result === null || result === undefined) return null;
  if (cls === "pointwise" || cls === "view" || filled(node) !== undefined)
    return frame(value(graph, result).shape, layout(graph, result), []);
  const source = subject(node);
  if ((cls !== "reduction" && cls !== "normalisation") || source === undefined) return null;
  const shape = value(graph, source).shape;
  if (reducesNothing(node)) return null;
  const along = (reducedDims[node.op] ?? ((n: Node, rank: number) => dims(literal(n, "dim"), rank)))(node, shape.length);
  if (node.op === "gather" && !gathersOne(graph, node)) return null;
  const dense = isDense(value(graph, source));
  const strides =
    cls === "normalisation" || along.length === 0
      ? layout(graph, result)
      : dense
        ? layout(graph, source)
        : shape.map((_, d) => -d);
  const groups = literal(node, "num_groups") ?? literal(node, "group");
  return frame(shape, strides, along, typeof groups === "number" && node.op === "group_norm" ? groups : undefined);
}

function frame(shape: readonly number[], strides: readonly number[], reduced: readonly number[], groups?: number): Frame {
  const order = shape.map((_, d) => d).sort((a, b) => (strides[b] as number) - (strides[a] as number) || a - b);
  const axes = order.flatMap((dim): Axis[] => {
    const size = shape[dim] as number;
    if (groups === undefined || dim !== 1) return [{ dim, step: 1, size, reduced: reduced.includes(dim) }];
    const inside = size / groups;
    return [
      { dim, step: inside, size: groups, reduced: false },
      { dim, step: 1, size: inside, reduced: true },
    ];
  });
  return { shape, reduced, axes: axes.filter((axis) => axis.size !== 1) };
}

/** A tensor operand over an operator's index space, by broadcasting. */
export const operandAccess = (graph: Graph, id: ValueId, shape: readonly number[]): Access =>
  broadcast(access(graph, id), value(graph, id).shape, shape);

/** Strides of an access along a frame's axes. */
export const along = (a: Access, axes: readonly Axis[]): { size: number; stride: number }[] =>
  axes.map(({ dim, step, size }) => ({ size, stride: (a.strides[dim] as number) * step }));
