import { z } from "zod";
import { TensorType } from "./tensor.ts";

/**
 * The operator graph of one forward call, in ATen operators under our names, shapes static, single assignment.
 * In-place writes are renamed by the tracer where no view sees them; where that cannot be done, `opaque` says why
 * and only whole-module rewrites may use the graph.
 */

export const ValueId = z.string();
export type ValueId = z.infer<typeof ValueId>;

/** A tensor. A view shares its base's memory: element i lives at base + offset + Σ strides·i, in elements. */
export const Value = TensorType.extend({
  view: z.object({ base: ValueId, offset: z.int() }).optional(),
});
export type Value = z.infer<typeof Value>;

/** A number that JSON lacks travels as its name; a dtype, layout or device as its PyTorch name. */
export type Literal = null | boolean | number | string | Literal[];
export const Literal: z.ZodType<Literal> = z.lazy(() =>
  z.union([z.null(), z.boolean(), z.number(), z.string(), z.array(Literal)]),
);

/** An operator's argument: a tensor, a list of tensors (null for an absent one), or a plain value. */
export const Arg = z.union([
  z.object({ value: ValueId }),
  z.object({ values: z.array(ValueId.nullable()) }),
  /** `float`: a float that JSON would not tell from an integer */
  z.object({ literal: Literal, float: z.literal(true).optional() }),
]);
export type Arg = z.infer<typeof Arg>;

export const Node = z.object({
  id: z.string(),
  /** our name, version-independent: `add`, `gelu`, `softmax`; a known module is `module:LSTM` */
  op: z.string(),
  /** the operator as called: `aten.add.Tensor`, or a module's path */
  target: z.string(),
  /** schema name → argument, defaults filled in, so that no reader counts positions */
  args: z.record(z.string(), Arg),
  /** how `target` is called: the leading names of `args` that are positional */
  positional: z.array(z.string()),
  outputs: z.array(ValueId.nullable()),
  /** registered buffers (or parameters) that the call writes */
  mutates: z.array(ValueId),
  /** path of the `nn.Module` that made the call, "" for the root */
  module: z.string(),
});
export type Node = z.infer<typeof Node>;

export const GraphInput = z.object({
  id: ValueId,
  role: z.enum(["input", "parameter", "buffer", "attribute", "constant"]),
  /** forward's argument name, `state_dict` key or attribute path */
  name: z.string(),
  /** a constant's elements in row-major order, where it has at most 64 */
  data: z.array(z.union([z.number(), z.string(), z.boolean()])).optional(),
});
export type GraphInput = z.infer<typeof GraphInput>;

export type Tree =
  | { tensor: ValueId }
  | { tuple: Tree[] }
  | { list: Tree[] }
  | { dict: Record<string, Tree> }
  | { literal: Literal };
export const Tree: z.ZodType<Tree> = z.lazy(() =>
  z.union([
    z.object({ tensor: ValueId }),
    z.object({ tuple: z.array(Tree) }),
    z.object({ list: z.array(Tree) }),
    z.object({ dict: z.record(z.string(), Tree) }),
    z.object({ literal: Literal }),
  ]),
);

export const Graph = z.object({
  values: z.record(ValueId, Value),
  inputs: z.array(GraphInput),
  nodes: z.array(Node),
  output: Tree,
  opaque: z.string().optional(),
});
export type Graph = z.infer<typeof Graph>;

/** Tensors of an output structure in the order in which they are returned. */
export function leaves(tree: Tree): ValueId[] {
  if ("tensor" in tree) return [tree.tensor];
  if ("tuple" in tree) return tree.tuple.flatMap(leaves);
  if ("list" in tree) return tree.list.flatMap(leaves);
  if ("dict" in tree) return Object.values(tree.dict).flatMap(leaves);
  return [];
}

/** Tensor arguments of a call, in order. */
export function reads(node: Node): ValueId[] {
  return Object.values(node.args).flatMap((arg) =>
    "value" in arg ? [arg.value] : "values" in arg ? arg.values.filter((v): v is ValueId => v !== null) : [],
  );
}

/** The tensor that owns a value's memory; itself where it is no view. The tracer flattens chains of views. */
export const rootOf = ({ values }: Graph, id: ValueId): ValueId => values[id]?.view?.base ?? id;
