import type { Graph, Node, ValueId } from "../../../problem/graph.ts";
import { literal, tuple } from "../../../spaces/python.ts";
import { any, type Expressions, op, type Shape } from "./expression.ts";

/** One PyTorch call that makes the same tensor as the expression that ends at a node. */
export interface Replacement {
  readonly reads: readonly ValueId[];
  /** Python over the tensors' names */
  readonly call: (name: (id: ValueId) => string) => string;
}

export interface Pattern {
  readonly name: string;
  readonly match: (node: Node, expressions: Expressions) => Replacement | null;
}

const x = any("x");
const cube = [op("pow", x, 3), op("mul", op("mul", x, x), x)];
const inner = cube.map((x3) => op("mul", op("add", x, op("mul", x3, 0.044715)), Math.sqrt(2 / Math.PI)));
const root = [op("div", x, Math.SQRT2), op("mul", x, Math.SQRT1_2)];
/** ½·x·(1 + t), in the three orders in which people multiply it. */
const half = (t: Shape) => {
  const one = op("add", t, 1);
  return [op("mul", op("mul", x, 0.5), one), op("mul", op("mul", x, one), 0.5), op("mul", x, op("mul", one, 0.5))];
};

/** An expression of one tensor, in any of several forms. */
const written = (name: string, shapes: readonly Shape[], call: (x: string) => string): Pattern => ({
  name,
  match: (node, expressions) => {
    const id = node.outputs[0];
    for (const shape of id ? shapes : []) {
      const found = expressions.match(id as ValueId, shape)?.get("x");
      if (found !== undefined) return { reads: [found], call: (of) => call(of(found)) };
    }
    return null;
  },
});

const literalOf = (node: Node | undefined, name: string) => {
  const arg = node?.args[name];
  return arg && "literal" in arg ? arg.literal : undefined;
};
const tensorOf = (node: Node | undefined, name: string): ValueId | undefined => {
  const arg = node?.args[name];
  return arg && "value" in arg ? arg.value : undefined;
};

/** exp(x - max x) / Σ exp(x - max x), over one kept dimension. */
const softmax: Pattern = {
  name: "softmax",
  match: (node, expressions) => {
    if (node.op !== "div") return null;
    const [top, bottom] = [tensorOf(node, "self"), tensorOf(node, "other")];
    const sum = expressions.maker(bottom);
    const shifted = top === undefined ? null : expressions.match(top, op("exp", op("sub", x, any("max"))));
    const from = shifted?.get("x");
    const max = expressions.maker(shifted?.get("max"));
    const dims = [sum, max].map((reduction) => [literalOf(reduction, "dim")].flat());
    const kept = [sum, max].every((reduction) => literalOf(reduction, "keepdim") === true);
    const same = dims[0]?.length === 1 && dims[1]?.length === 1 && typeof dims[0][0] === "number" && dims[0][0] === dims[1][0];
    const reduces =
      sum?.op === "sum" &&
      tensorOf(sum, "self") === top &&
      ["max", "amax"].includes(max?.op ?? "") &&
      tensorOf(max, "self") === from;
    if (!from || !reduces || !kept || !same) return null;
    return { reads: [from], call: (of) => `torch.softmax(${of(from)}, ${dims[0]?.[0]})` };
  },
};

/** Looks through reshapes and copies of a batched product's operand, to the tensor with its `rank` dimensions still apart. */
function unfolded(id: ValueId | undefined, rank: number, { graph, maker }: Expressions): ValueId | undefined {
  const rankOf = (at: ValueId | undefined) => graph.values[at ?? ""]?.shape.length;
  let at = id;
  for (let node = maker(at); node && ["view", "expand", "clone"].includes(node.op); node = maker(at)) {
    const source = tensorOf(node, "self");
    // an expansion to the size that is there already, and a copy, change nothing; a reshape within the rank might
    if (rankOf(at) === rank && (node.op === "view" || rankOf(source) !== rank || !sameShape(graph, at, source))) break;
    at = source;
  }
  return rankOf(at) === rank ? at : undefined;
}

const sameShape = ({ values }: Graph, a: ValueId | undefined, b: ValueId | undefined): boolean =>
  `${values[a ?? ""]?.shape}` === `${values[b ?? ""]?.shape}`;

/** softmax(q·kᵀ·scale, masked) · v, as one fused call; q, k, v with their batch and head dimensions apart. */
const attention: Pattern = {
  name: "attention",
  match: (node, expressions) => {
    const { graph } = expressions;
    if (node.op !== "bmm") return null;
    const weights = expressions.maker(unfolded(tensorOf(node, "self"), 4, expressions));
    if (weights?.op !== "softmax" || ![-1, 3].includes(literalOf(weights, "dim") as number)) return null;
    const masked = expressions.maker(tensorOf(weights, "self"));
    const mask = masked?.op === "masked_fill" && literalOf(masked, "value") === "-inf" ? tensorOf(masked, "mask") : undefined;
    const scaledBy = mask === undefined ? masked : expressions.maker(tensorOf(masked, "self"));
    const factor = literalOf(scaledBy, "other");
    const scale =
      typeof factor !== "number" ? undefined : scaledBy?.op === "div" ? 1 / factor : scaledBy?.op === "mul" ? factor : undefined;
    const product = expressions.maker(unfolded(scale === undefined ? undefined : tensorOf(scaledBy, "self"), 4, expressions));
    const scores = product?.op === "view" ? expressions.maker(tensorOf(product, "self")) : product;
    if (scores?.op !== "bmm") return null;
    const [q, kT, v] = [tensorOf(scores, "self"), tensorOf(scores, "mat2"), tensorOf(node, "mat2")].map((id) =>
      unfolded(id, 4, expressions),
    );
    const out = graph.values[node.outputs[0] ?? ""];
    if (!q || !kT || !v || !out) return null;
    // a row that is masked whole is NaN here and 0 in the fused call: only masks that are part of the module are sure
    if (
      mask !== undefined &&
      !["buffer", "constant", "attribute"].includes(graph.inputs.find(({ id }) => id === mask)?.role ?? "")
    )
      return null;
    const given = mask === undefined ? "" : `, attn_mask=~{mask}`;
    return {
      reads: [q, kT, v, ...(mask === undefined ? [] : [mask])],
      call: (of) =>
        `torch.nn.functional.scaled_dot_product_attention(${of(q)}, ${of(kT)}.transpose(-2, -1), ${of(v)}${given.replace("{mask}", mask ? of(mask) : "")}, scale=${literal(scale)}).reshape(${tuple(out.shape)})`,
    };
  },
};

/** Tried in this order at every node. A new pattern is one value and one line here. */
export const patterns: readonly Pattern[] = [
  attention,
  softmax,
  written(
    "gelu (tanh)",
    inner.flatMap((t) => half(op("tanh", t))),
    (of) => `torch.nn.functional.gelu(${of}, approximate="tanh")`,
  ),
  written(
    "gelu (erf)",
    root.flatMap((t) => half(op("erf", t))),
    (of) => `torch.nn.functional.gelu(${of})`,
  ),
  written("silu", [op("mul", x, op("sigmoid", x))], (of) => `torch.nn.functional.silu(${of})`),
];
