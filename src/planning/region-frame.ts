import { operatorClass } from "../knowledge/operators.ts";
import { type Graph, type Node, reads, type ValueId } from "../problem/graph.ts";
import { baseOf, value } from "./access.ts";
import { contiguous, cuts, product, refine, spread } from "./axes.ts";
import { type Axis, along, type Frame, filled, frameOf, operandAccess, subject } from "./frames.ts";

/** `full`: one element for each point of the region's index space. `kept`: one for each row, a row being what reductions run over. */
export type Level = "full" | "kept";

/** The one index space of a region's operators. */
export interface RegionFrame {
  /** in memory order, outermost first */
  readonly axes: readonly { readonly size: number; readonly reduced: boolean }[];
  /** by value that the region makes */
  readonly level: ReadonlyMap<ValueId, Level>;
  readonly frames: ReadonlyMap<string, Frame>;
}

interface Segment {
  size: number;
  reduced: boolean;
}

/** Neighbouring axes of one kind taken as one. */
function segments(axes: readonly Axis[]): Segment[] {
  const list: Segment[] = [];
  for (const { size, reduced } of axes) {
    const last = list.at(-1);
    if (last && last.reduced === reduced) last.size *= size;
    else list.push({ size, reduced });
  }
  return list;
}

/** Boundaries inside the kept elements, as boundaries of the whole space. */
function lift(keptCuts: readonly number[], list: readonly Segment[]): number[] {
  return keptCuts.map((cut) => {
    let outer = 1;
    let kept = 1;
    for (const { size, reduced } of list.toReversed()) {
      if (!reduced && cut < kept * size) return outer * (cut / kept);
      outer *= size;
      if (!reduced) kept *= size;
    }
    return outer;
  });
}

const sizes = (axes: readonly { size: number }[]): number[] => axes.map((a) => a.size);

/**
 * The index space that all the operators share, or in one clause why there is none. Reductions must run over the same part of it,
 * and whatever one operator reads of another must lie where it was made: the same element, or its row's.
 * @param nodes pointwise operators, reductions, normalisations and fills, in execution order
 */
export function regionFrame(graph: Graph, nodes: readonly Node[]): RegionFrame | string {
  const frames = new Map<string, Frame>();
  for (const node of nodes) {
    const frame = frameOf(graph, node);
    if (!frame) return `${node.op} has no index space`;
    if (frame.shape.includes(0)) return `${node.op} has no elements`;
    const odd = node.outputs.find((id) => id !== null && value(graph, id).dtype.startsWith("complex"));
    if (odd) return `${node.op} makes ${value(graph, odd).dtype}`;
    frames.set(node.id, frame);
  }
  const frameFor = (node: Node): Frame => frames.get(node.id) as Frame;
  const work = nodes.filter((node) => filled(node) === undefined);
  const all = work.length > 0 ? work : nodes;
  const reducing = all.filter((node) => operatorClass(node.op) === "reduction" || frameFor(node).axes.some((a) => a.reduced));
  const shaping = reducing[0] ?? all[0];
  if (!shaping) return "no operators";
  const parts = segments(frameFor(shaping).axes);
  const total = product(sizes(parts));
  const kept = product(sizes(parts.filter((p) => !p.reduced)));

  const level = new Map<ValueId, Level>();
  const boundaries = new Set(cuts(sizes(parts)));
  for (const node of all) {
    const own = sizes(frameFor(node).axes);
    const full = product(own) === total;
    if (!full && (reducing.length === 0 || reducing.includes(node) || product(own) !== kept))
      return `${node.op} has another number of elements`;
    if (reducing.includes(node) && JSON.stringify(segments(frameFor(node).axes)) !== JSON.stringify(parts))
      return `${node.op} reduces other dimensions`;
    for (const cut of full ? cuts(own) : lift(cuts(own), parts)) boundaries.add(cut);
    const result: Level = full && operatorClass(node.op) !== "reduction" ? "full" : "kept";
    for (const id of node.outputs) if (id !== null) level.set(id, result);
  }
  const refined = refine(total, boundaries);
  if (!refined) return "dimensions that do not divide one another";
  const kinds = axisKinds(refined, parts);
  const axes = refined.map((size, k) => ({ size, reduced: kinds[k] as boolean }));
  const reason = all.map((node) => misread(graph, node, frameFor(node), axes, level, total)).find((why) => why !== null);
  return reason ?? { axes, level, frames };
}

/** Which of the refined axes are reduced. */
function axisKinds(refined: readonly number[], parts: readonly Segment[]): boolean[] {
  const marked = parts.map((p) => ({ size: p.size, stride: p.reduced ? 1 : 0 }));
  return spread(marked, refined).map((stride) => stride !== 0);
}

/** Why an operator cannot take an operand from inside the region; null where it can. */
function misread(
  graph: Graph,
  node: Node,
  frame: Frame,
  axes: RegionFrame["axes"],
  level: ReadonlyMap<ValueId, Level>,
  total: number,
): string | null {
  const full = product(sizes(frame.axes)) === total;
  for (const id of reads(node)) {
    const base = baseOf(graph, id);
    const made = level.get(base);
    if (made === undefined) continue;
    const normalises = operatorClass(node.op) === "normalisation" || node.op === "prelu" || node.op === "glu";
    if (normalises && id !== subject(node)) return `${node.op} computes a parameter`;
    const a = operandAccess(graph, id, frame.shape);
    if (a.offset !== 0 || node.op === "pad") return `${node.op} reads shifted elements`;
    const own = along(a, frame.axes);
    const walked = full ? axes : axes.filter((axis) => !axis.reduced);
    const strides = spread(own, sizes(walked)).map((stride, k) => ({
      stride,
      ...(walked[k] as { size: number; reduced: boolean }),
    }));
    if (made === "full" ? !full || !contiguous(strides) : !rowwise(strides)) return `${node.op} reads elements in another order`;
  }
  return null;
}

/** Steps through one element a row, rows in order. */
const rowwise = (axes: readonly { size: number; stride: number; reduced: boolean }[]): boolean =>
  contiguous(axes.filter((a) => !a.reduced)) && axes.every((a) => !a.reduced || a.stride === 0);
