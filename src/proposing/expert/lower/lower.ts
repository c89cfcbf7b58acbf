import { operatorClass } from "../../../knowledge/operators.ts";
import { access, layout, value } from "../../../planning/access.ts";
import { filled, literal } from "../../../planning/frames.ts";
import type { Region } from "../../../planning/region.ts";
import { regionFrame } from "../../../planning/region-frame.ts";
import type { Graph, Node, ValueId } from "../../../problem/graph.ts";
import { Builder, type Id, type Program, prune, type Store } from "../program.ts";
import { Context, onRegion } from "./context.ts";
import { pointwise } from "./pointwise.ts";
import { rows } from "./rows.ts";

/** Why a region has no lowered form, in one clause; null where `lower` gives one. */
export function refusal(region: Region, graph: Graph): string | null {
  for (const node of region.nodes) {
    const known = filled(node) !== undefined || node.op in pointwise || node.op in rows || operatorClass(node.op) === "view";
    if (!known) return `${node.target} has no scalar or row form`;
    if (node.mutates.length > 0) return `${node.target} changes ${node.mutates.join(", ")}`;
    if (node.op === "round" && ![0, undefined].includes(literal(node, "decimals") as number | undefined))
      return `${node.target} rounds to decimals`;
    if (["max", "min", "amax", "amin"].includes(node.op) && booleans(node, graph))
      return `${node.target} of booleans has no row form`;
    const complex = [...node.outputs, ...Object.values(node.args).flatMap((a) => ("value" in a ? [a.value] : []))].find(
      (id) => id !== null && value(graph, id).dtype.startsWith("complex"),
    );
    if (complex) return `${node.target} computes with complex numbers`;
  }
  const frame = regionFrame(graph, region.nodes);
  return typeof frame === "string" ? frame : null;
}

const booleans = (node: Node, graph: Graph): boolean =>
  node.args.self !== undefined && "value" in node.args.self && value(graph, node.args.self.value).dtype === "bool";

/** A region as scalar code over its index space. Precondition: `refusal` is null. */
export function lower(region: Region, graph: Graph): Program {
  const frame = regionFrame(graph, region.nodes);
  if (typeof frame === "string") throw new Error(`${region.id}: ${frame}`);
  const b = new Builder();
  const made = new Map<ValueId, Id>();
  for (const node of region.nodes) {
    const c = new Context(graph, frame, node, b, made);
    const fill = filled(node);
    const results =
      fill !== undefined
        ? [b.cast(b.constant(fill, "float64"), c.out())]
        : (rows[node.op]?.(c) ?? [(pointwise[node.op] ?? copy)(c)]);
    results.forEach((id, k) => {
      const output = node.outputs[k];
      if (output) made.set(output, b.cast(id, value(graph, output).dtype));
    });
  }
  const stores = region.writes.map((id): Store => {
    const node = region.nodes.find((n) => n.outputs.includes(id));
    if (!node) throw new Error(`${region.id} does not make ${id}`);
    const kept = frame.level.get(id) === "kept";
    return {
      value: id,
      definition: made.get(id) as Id,
      dtype: value(graph, id).dtype,
      kept,
      strides: stored(graph, frame, node.id, id, kept),
    };
  });
  return prune({ axes: frame.axes, definitions: b.definitions, stores });
}

type Frames = Exclude<ReturnType<typeof regionFrame>, string>;

/** Strides of a result along the region's axes; a reduction's result has its kept dimensions only, with or without the reduced ones as 1. */
function stored(graph: Graph, region: Frames, node: string, id: ValueId, kept: boolean): number[] {
  const own = region.frames.get(node);
  if (!own) throw new Error(`no frame for ${node}`);
  const { shape } = value(graph, id);
  const strides = value(graph, id).view ? rowMajorOr(graph, id) : layout(graph, id);
  if (!kept || shape.length === own.shape.length)
    return onRegion(region, own, { strides: strides.map((s, d) => (shape[d] === 1 ? 0 : s)) });
  let next = 0;
  return onRegion(region, own, { strides: own.shape.map((_, d) => (own.reduced.includes(d) ? 0 : (strides[next++] as number))) });
}

/** A view that is returned is written as its own tensor. */
const rowMajorOr = (graph: Graph, id: ValueId): readonly number[] => {
  const v = value(graph, id);
  return layout({ ...graph, values: { ...graph.values, [id]: { dtype: v.dtype, shape: v.shape, strides: v.strides } } }, id);
};

/** A view's elements, read through its base. */
const copy = (c: Context): Id => {
  const id = c.node.outputs.find((output) => output !== null) as ValueId;
  const a = access(c.graph, id);
  return c.b.add({ kind: "load", base: a.base, offset: a.offset, strides: c.strides(a), dtype: c.out() });
};
