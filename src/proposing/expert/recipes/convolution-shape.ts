import { layout, value } from "../../../planning/access.ts";
import { literal, operand } from "../../../planning/frames.ts";
import type { Graph, Node, ValueId } from "../../../problem/graph.ts";
import { type Dtype, isContiguous } from "../../../problem/tensor.ts";

/** Depth, height, width; a 1-D or 2-D convolution has sizes 1 in front. */
export type Triple = readonly [number, number, number];

/** Strides in elements of batch, channel, depth, height; that of the width is 1. */
export type Steps = readonly [number, number, number, number];

/** A convolution with every number that its code needs. */
export interface ConvolutionShape {
  readonly dtype: Dtype;
  readonly input: ValueId;
  readonly weight: ValueId;
  readonly bias: ValueId | undefined;
  readonly output: ValueId;
  readonly batch: number;
  readonly outChannels: number;
  /** input channels and output channels of a group */
  readonly groupIn: number;
  readonly groupOut: number;
  readonly size: Triple;
  readonly outSize: Triple;
  readonly window: Triple;
  readonly stride: Triple;
  readonly padding: Triple;
  readonly dilation: Triple;
  readonly inSteps: Steps;
  readonly outSteps: Steps;
}

/** Multiply-adds of one output beyond which a blocked matrix product beats direct code. */
const mostTaps = 64;

/** Reads the arguments of `aten::convolution`; a sentence that says why where direct code does not fit. */
export function convolutionShape(graph: Graph, node: Node): ConvolutionShape | string {
  if (node.op !== "convolution") return `${node.op} is not aten::convolution`;
  if (literal(node, "transposed") === true) return "a transposed convolution scatters: direct code gathers";
  const [input, weight, bias] = [operand(node, "input") ?? operand(node, "self"), operand(node, "weight"), operand(node, "bias")];
  const output = node.outputs[0];
  if (!input || !weight || !output) return "input, weight or output is no tensor";
  const [x, w, y] = [value(graph, input), value(graph, weight), value(graph, output)];
  const spatial = x.shape.length - 2;
  if (spatial < 1 || spatial > 3) return `${spatial} spatial dimensions: direct code has 1 to 3`;
  if (x.dtype !== "float32" && x.dtype !== "float64") return `${x.dtype} convolution: direct code has float32 and float64`;
  if ([w, y, ...(bias ? [value(graph, bias)] : [])].some((t) => t.dtype !== x.dtype))
    return "input, weight and bias differ in dtype";
  if ([x, w, y].some((t) => t.shape.includes(0))) return "an empty tensor needs no code";
  const groups = Number(literal(node, "groups") ?? 1);
  const taps = w.shape.slice(1).reduce((a, b) => a * b, 1);
  if (taps > mostTaps) return `each output sums ${taps} products: direct code pays up to ${mostTaps}`;
  if (!isContiguous(w) || (bias && !isContiguous(value(graph, bias)))) return "weight or bias is not contiguous";
  const inSteps = steps(x.shape, layout(graph, input));
  const outSteps = steps(y.shape, layout(graph, output));
  if (!inSteps) return "input is not contiguous along its width (channels-last, transposed or strided)";
  if (!outSteps) return "output is not contiguous along its width (channels-last, say)";
  const window = triple(w.shape.slice(2), 1);
  return {
    dtype: x.dtype,
    input,
    weight,
    bias,
    output,
    batch: x.shape[0] as number,
    outChannels: w.shape[0] as number,
    groupIn: w.shape[1] as number,
    groupOut: (w.shape[0] as number) / groups,
    size: triple(x.shape.slice(2), 1),
    outSize: triple(y.shape.slice(2), 1),
    window,
    stride: triple(list(literal(node, "stride"), spatial, 1), 1),
    padding: triple(list(literal(node, "padding"), spatial, 0), 0),
    dilation: triple(list(literal(node, "dilation"), spatial, 1), 1),
    inSteps,
    outSteps,
  };
}

/** One number stands for all dimensions, as in PyTorch. */
function list(given: unknown, count: number, absent: number): number[] {
  const numbers = (Array.isArray(given) ? given : [given ?? absent]).map(Number);
  return Array.from({ length: count }, (_, d) => (numbers.length === 1 ? numbers[0] : numbers[d]) ?? absent);
}

const triple = (last: readonly number[], filler: number): Triple =>
  [...new Array<number>(3 - last.length).fill(filler), ...last] as unknown as Triple;

/** Null unless neighbours along the width are neighbours in memory. */
function steps(shape: readonly number[], strides: readonly number[]): Steps | null {
  if (shape.at(-1) !== 1 && strides.at(-1) !== 1) return null;
  const middle = [0, 0, ...strides.slice(2, -1)].slice(-2);
  return [strides[0] as number, strides[1] as number, ...middle] as unknown as Steps;
}
