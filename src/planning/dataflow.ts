import { type Graph, leaves, type Node, reads, type ValueId } from "../problem/graph.ts";
import { baseOf, value } from "./access.ts";
import { filled } from "./frames.ts";

/** Who makes and who needs what, views looked through. */
export interface Dataflow {
  /** nodes that do something the result depends on, views left out, in execution order */
  readonly work: readonly Node[];
  readonly isView: (node: Node) => boolean;
  readonly isFill: (node: Node) => boolean;
  /** position in execution order */
  readonly index: (node: Node) => number;
  /** tensors whose elements a node needs: a fill needs none, whatever it takes its shape from */
  readonly needs: (node: Node) => ValueId[];
  /** nodes that write the memory that a node needs, in execution order */
  readonly producers: (node: Node) => Node[];
  readonly consumers: (node: Node) => readonly Node[];
  /** tensors that some node needs or the graph returns */
  readonly used: ReadonlySet<ValueId>;
}

/** Nodes that the result depends on, or that change a buffer. */
function live(graph: Graph, needs: (node: Node) => ValueId[]): Node[] {
  const wanted = new Set(leaves(graph.output).map((id) => baseOf(graph, id)));
  const alive = graph.nodes.toReversed().filter((node) => {
    const needed = node.mutates.length > 0 || node.outputs.some((id) => id !== null && wanted.has(baseOf(graph, id)));
    if (needed) for (const id of needs(node)) wanted.add(id);
    return needed;
  });
  return alive.toReversed();
}

/** Value → the nodes that touch it in some way, in execution order. */
function grouped(nodes: readonly Node[], touched: (node: Node) => readonly ValueId[]): ReadonlyMap<ValueId, readonly Node[]> {
  const groups = new Map<ValueId, Node[]>();
  for (const node of nodes) for (const id of new Set(touched(node))) groups.set(id, [...(groups.get(id) ?? []), node]);
  return groups;
}

export function dataflow(graph: Graph): Dataflow {
  const order = new Map(graph.nodes.map((node, k) => [node.id, k]));
  const index = (node: Node): number => order.get(node.id) ?? -1;
  const isView = (node: Node): boolean =>
    node.outputs.length > 0 && node.outputs.every((id) => id === null || value(graph, id).view !== undefined);
  const isFill = (node: Node): boolean => filled(node) !== undefined;
  const needs = (node: Node): ValueId[] => (isFill(node) ? [] : [...new Set(reads(node).map((id) => baseOf(graph, id)))]);
  const work = live(graph, needs).filter((node) => !isView(node));
  const makers = grouped(work, (node) => [...node.outputs.filter((id) => id !== null), ...node.mutates]);
  const readers = grouped(work, needs);
  const before = (node: Node) => (other: Node) => index(other) < index(node);
  const producers = (node: Node): Node[] => {
    // a buffer that changes has several makers: the last before the node made what it reads, and who reads must come before who writes
    const made = needs(node).flatMap((id) => makers.get(id)?.findLast(before(node)) ?? []);
    const waited = node.mutates.flatMap((id) => [...(readers.get(id) ?? []), ...(makers.get(id) ?? [])].filter(before(node)));
    return [...new Set([...made, ...waited])].sort((a, b) => index(a) - index(b));
  };
  const users = new Map<string, Node[]>();
  for (const node of work) for (const p of producers(node)) users.set(p.id, [...(users.get(p.id) ?? []), node]);
  const returned = leaves(graph.output).map((id) => baseOf(graph, id));
  return {
    work,
    isView,
    isFill,
    index,
    needs,
    producers,
    consumers: (node) => users.get(node.id) ?? [],
    used: new Set([...work.flatMap(needs), ...returned]),
  };
}
