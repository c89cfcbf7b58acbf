import { operatorClass } from "../knowledge/operators.ts";
import { type Graph, leaves, type Node, reads } from "../problem/graph.ts";
import { baseOf } from "./access.ts";
import { type Dataflow, dataflow } from "./dataflow.ts";
import type { Region, RegionKind } from "./region.ts";
import { regionFrame } from "./region-frame.ts";

/**
 * Partitions the operator graph, views and fills left out, into regions in execution order: pointwise operators, reductions and
 * normalisations that can share one index space are one region, anything else is a region of its own. Fusion never makes a circle:
 * groups merge only where no path leaves the pair and comes back. Views are free, but one that is returned is a region that copies it;
 * a fill (zeros, ones, full) belongs to each region that reads it.
 */
export function formRegions(graph: Graph): Region[] {
  const flow = dataflow(graph);
  const fusable = fusability(graph, flow);
  const fills = flow.work.filter(flow.isFill);
  const groups = ordered(flow, merge(graph, flow, fusable)).map((nodes) => {
    const own = fills.filter((fill) => fusable(nodes[0] as Node) && nodes.some((node) => flow.producers(node).includes(fill)));
    return [...own, ...nodes];
  });
  const returned = new Set(leaves(graph.output));
  const apart = fills.filter(
    (fill) =>
      fill.outputs.some((id) => id !== null && [...returned].some((leaf) => baseOf(graph, leaf) === id)) ||
      flow.consumers(fill).some((node) => !fusable(node)),
  );
  const copies = graph.nodes.filter((node) => flow.isView(node) && node.outputs.some((id) => id !== null && returned.has(id)));
  const all = [...apart.map((fill) => [fill]), ...groups, ...copies.map((view) => [view])];
  return describe(graph, flow, fusable, all);
}

/** Groups of nodes, in execution order within each. */
function merge(graph: Graph, flow: Dataflow, fusable: Fusable): Node[][] {
  const home = new Map<string, Node[]>();
  for (const node of flow.work) {
    if (flow.isFill(node)) continue;
    home.set(node.id, [node]);
    if (!fusable(node)) continue;
    for (const producer of flow.producers(node).toReversed()) {
      const [upper, lower] = [home.get(producer.id), home.get(node.id) as Node[]];
      if (!upper || upper === lower || !fusable(producer) || detour(flow, [...upper, ...lower])) continue;
      const joined = [...upper, ...lower].sort((a, b) => flow.index(a) - flow.index(b));
      if (typeof regionFrame(graph, joined) !== "string") for (const member of joined) home.set(member.id, joined);
    }
  }
  return [...new Set(home.values())];
}

/** Operators with a second result have one here only where it is a row's too. */
const severalResults = new Set(["max", "min", "std_mean", "var_mean"]);

type Fusable = (node: Node) => boolean;

/** Whether a node may share a region, decided once a node. */
function fusability(graph: Graph, flow: Dataflow): Fusable {
  const known = new Map<string, boolean>();
  const decide = (node: Node): boolean => {
    const extra = node.outputs.slice(1).some((id) => id !== null && flow.used.has(id));
    return node.mutates.length === 0 && (!extra || severalResults.has(node.op)) && typeof regionFrame(graph, [node]) !== "string";
  };
  return (node) => {
    const answer = known.get(node.id) ?? decide(node);
    known.set(node.id, answer);
    return answer;
  };
}

/** True where a path leaves the nodes and comes back: executed as one, they would wait for themselves. */
function detour(flow: Dataflow, nodes: readonly Node[]): boolean {
  const inside = new Set(nodes.map((n) => n.id));
  const stack = nodes.flatMap(flow.consumers).filter((n) => !inside.has(n.id));
  const seen = new Set<string>();
  for (let node = stack.pop(); node; node = stack.pop()) {
    if (seen.has(node.id)) continue;
    seen.add(node.id);
    const next = flow.consumers(node);
    if (next.some((n) => inside.has(n.id))) return true;
    stack.push(...next);
  }
  return false;
}

/** Groups in an order in which each comes after those that it needs, otherwise as they were made. */
function ordered(flow: Dataflow, groups: readonly Node[][]): Node[][] {
  const home = new Map(groups.flatMap((group) => group.map((n) => [n.id, group] as const)));
  const list = new Set<Node[]>();
  const open = new Set<Node[]>();
  const visit = (group: Node[]): void => {
    if (open.has(group)) return;
    open.add(group);
    for (const producer of group.flatMap(flow.producers)) {
      const other = home.get(producer.id);
      if (other) visit(other);
    }
    list.add(group);
  };
  for (const group of groups) visit(group);
  return [...list];
}

function describe(graph: Graph, flow: Dataflow, fusable: Fusable, groups: readonly Node[][]): Region[] {
  const returned = leaves(graph.output);
  const readers = new Map<string, Set<number>>();
  groups.forEach((nodes, k) => {
    for (const id of nodes.flatMap(flow.needs)) readers.set(id, (readers.get(id) ?? new Set()).add(k));
  });
  const returnedBases = new Set(returned.map((id) => baseOf(graph, id)));
  return groups.map((nodes, k): Region => {
    const copies = flow.isView(nodes[0] as Node);
    const made = nodes.flatMap((n) => n.outputs.filter((id) => id !== null));
    const elsewhere = (id: string): boolean => [...(readers.get(id) ?? [])].some((reader) => reader !== k);
    const outside = nodes.filter((n) => !flow.isFill(n)).flatMap(reads);
    return {
      id: `r${k}`,
      kind: copies ? "view" : kindOf(graph, flow, fusable, nodes),
      nodes,
      reads: [...new Set(outside)].filter((id) => !made.includes(baseOf(graph, id))),
      writes: made.filter((id) => (copies ? returned.includes(id) : returnedBases.has(id) || elsewhere(id))),
    };
  });
}

function kindOf(graph: Graph, flow: Dataflow, fusable: Fusable, nodes: readonly Node[]): RegionKind {
  const first = nodes[0] as Node;
  const cls = operatorClass(first.op);
  if (cls === "contraction" || cls === "convolution") return cls;
  const frame = regionFrame(graph, nodes);
  if (typeof frame === "string" || !nodes.every((n) => flow.isFill(n) || fusable(n))) return "other";
  return nodes.some((n) => operatorClass(n.op) === "reduction") || frame.axes.some((a) => a.reduced) ? "row" : "pointwise";
}
