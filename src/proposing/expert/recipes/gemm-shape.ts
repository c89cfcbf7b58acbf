import { access, broadcast, layout, value } from "../../../planning/access.ts";
import { product } from "../../../planning/axes.ts";
import { literal, operand } from "../../../planning/frames.ts";
import type { Graph, Node, ValueId } from "../../../problem/graph.ts";
import type { Dtype } from "../../../problem/tensor.ts";

/** A matrix (or a batch of them) as BLAS sees it: `columns`: columns are contiguous, `lead` elements apart; else rows are. */
export interface Matrix {
  readonly value: ValueId;
  readonly columns: boolean;
  readonly lead: number;
  /** elements from one matrix of the batch to the next, and from one row to the next */
  readonly batchStep: number;
  readonly rowStep: number;
}

/** out[b] = alpha · left[b] · right[b] + beta · added[b], with [m, k] · [k, n]. */
export interface GemmShape {
  readonly dtype: Dtype;
  readonly batch: number;
  readonly m: number;
  readonly n: number;
  readonly k: number;
  readonly left: Matrix;
  readonly right: Matrix;
  readonly out: Matrix;
  readonly alpha: number;
  readonly beta: number;
  /** strides over batch, row, column; absent where beta is 0, since PyTorch then ignores it, NaN too */
  readonly added?: { readonly value: ValueId; readonly strides: readonly number[] };
}

/** Names of the factors, by operator; `self` is what is added where there are three. */
const factors: Readonly<Record<string, readonly [left: string, right: string]>> = {
  mm: ["self", "mat2"],
  bmm: ["self", "mat2"],
  addmm: ["mat1", "mat2"],
  baddbmm: ["batch1", "batch2"],
};

/** Reads a product's arguments; a sentence that says why BLAS does not fit. */
export function gemmShape(graph: Graph, node: Node): GemmShape | string {
  const names = factors[node.op];
  if (!names) return `${node.op} is not one of ${Object.keys(factors).join(", ")}`;
  const [a, b, output] = [operand(node, names[0]), operand(node, names[1]), node.outputs[0]];
  if (!a || !b || !output) return `${node.op} lacks a tensor`;
  const [left, right, out] = [a, b, output].map((id) => value(graph, id)) as [Value, Value, Value];
  if (left.dtype !== "float32" && left.dtype !== "float64") return `${left.dtype} product: BLAS has float32 and float64`;
  if (right.dtype !== left.dtype || out.dtype !== left.dtype) return "the factors differ in dtype";
  if ([left, right, out].some((t) => t.shape.includes(0))) return "an empty tensor needs no product";
  const matrices = [a, b, output].map((id) => matrix(id, value(graph, id).shape, layout(graph, id)));
  for (const found of matrices) if (typeof found === "string") return found;
  const three = node.op.startsWith("add") || node.op === "baddbmm";
  const beta = three ? Number(literal(node, "beta") ?? 1) : 0;
  const self = operand(node, "self");
  if (three && beta !== 0 && (!self || value(graph, self).dtype !== left.dtype)) return `what ${node.op} adds differs in dtype`;
  const full = out.shape.length === 3 ? out.shape : [1, ...out.shape];
  return {
    dtype: left.dtype,
    batch: product(out.shape.slice(0, -2)),
    m: out.shape.at(-2) as number,
    n: out.shape.at(-1) as number,
    k: left.shape.at(-1) as number,
    left: matrices[0] as Matrix,
    right: matrices[1] as Matrix,
    out: matrices[2] as Matrix,
    alpha: three ? Number(literal(node, "alpha") ?? 1) : 1,
    beta,
    ...(self && beta !== 0 && three
      ? { added: { value: self, strides: broadcast(access(graph, self), value(graph, self).shape, full).strides } }
      : {}),
  };
}

type Value = Graph["values"][string];

/** A sentence where neither rows nor columns are contiguous. */
function matrix(id: ValueId, shape: readonly number[], strides: readonly number[]): Matrix | string {
  const [rows, cols] = shape.slice(-2) as [number, number];
  const [rowStep, colStep] = strides.slice(-2) as [number, number];
  const rest = { value: id, rowStep, batchStep: shape.length === 3 ? (strides[0] as number) : 0 };
  const fits = (inner: number, step: number, outer: number, lead: number) =>
    (inner === 1 || step === 1) && (outer === 1 || lead >= inner);
  if (fits(cols, colStep, rows, rowStep)) return { ...rest, columns: false, lead: rows === 1 ? cols : rowStep };
  if (fits(rows, rowStep, cols, colStep)) return { ...rest, columns: true, lead: cols === 1 ? rows : colStep };
  return `${id} has strides ${strides.join(", ")}: BLAS takes matrices whose rows or columns are contiguous`;
}
