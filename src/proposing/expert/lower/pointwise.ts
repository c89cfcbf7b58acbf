import type { Dtype } from "../../../problem/tensor.ts";
import type { Id } from "../program.ts";
import type { Context } from "./context.ts";
import { promote } from "./promote.ts";

/** An operator's result at one point. */
export type Lower = (c: Context) => Id;

const float = (dtype: Dtype): Dtype =>
  dtype === "float64" ? "float64" : dtype.startsWith("float") || dtype === "bfloat16" ? dtype : "float32";

/** Operators of one operand that are one scalar operation in the result's type. */
const unary: Lower = (c) => c.b.op(c.node.op, [x(c)], c.out());
const unaryNames = `abs acos acosh asin asinh atan atanh bitwise_not ceil cos cosh erf erfc exp exp2 expm1 floor log log10 log1p log2 neg
  reciprocal round rsqrt sgn sigmoid sign sin sinh sqrt tan tanh trunc`;

const binary: Lower = (c) => c.b.op(c.node.op, [c.in("self", c.out()), c.in("other", c.out())], c.out());
const binaryNames =
  "atan2 bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor floor_divide fmod hypot maximum minimum mul remainder xlogy";

/** Compared in the operands' common type. */
const comparison: Lower = (c) => {
  const dtype = promote(c.graph, c.node, ["self", "other"]);
  return c.b.op(c.node.op, [c.in("self", dtype), c.in("other", dtype)], "bool");
};
const comparisonNames = "eq ne lt le gt ge";

const logical: Lower = (c) => c.b.op(c.node.op, [c.in("self", "bool"), c.in("other", "bool")], "bool");
const test: Lower = (c) => c.b.op(c.node.op, [c.in("self", float(c.b.dtype(c.in("self"))))], "bool");

/** The operand in the result's type. */
const x = (c: Context): Id => c.in("self", c.out());
const num = (c: Context, v: number): Id => c.b.constant(v, c.out());
const f = (c: Context, op: string, ...args: Id[]): Id => c.b.op(op, args, c.out());
const select = (c: Context, when: Id, yes: Id, no: Id): Id => c.b.op("where", [when, yes, no], c.out());
const is = (c: Context, op: string, a: Id, b: Id): Id => c.b.op(op, [a, b], "bool");
const param = (c: Context, name: string, otherwise?: number): Id => num(c, c.number(name, otherwise));

const scaled = (c: Context, name: string, by: string): Id => {
  const value = c.in(name, c.out());
  return c.has(by) && c.number(by) !== 1 ? f(c, "mul", value, param(c, by)) : value;
};

const clamp = (c: Context, a: Id, low: Id | null, high: Id | null): Id => {
  const above = low === null ? a : f(c, "maximum", a, low);
  return high === null ? above : f(c, "minimum", above, high);
};

const identity: Lower = (c) => c.in(c.node.args.self ? "self" : "src", c.out());

/** log(1 + e^(bx))/b, x itself where bx passes the threshold. */
const softplus = (c: Context, a: Id, beta: number, threshold: number): Id => {
  const bx = beta === 1 ? a : f(c, "mul", a, num(c, beta));
  const soft = f(c, "log1p", f(c, "exp", bx));
  return select(c, is(c, "gt", bx, num(c, threshold)), a, beta === 1 ? soft : f(c, "mul", soft, num(c, 1 / beta)));
};

const gelu: Lower = (c) => {
  const a = x(c);
  const half = f(c, "mul", a, num(c, 0.5));
  if (c.literal("approximate") !== "tanh")
    return f(c, "mul", half, f(c, "add", num(c, 1), f(c, "erf", f(c, "mul", a, num(c, Math.SQRT1_2)))));
  const cubic = f(c, "mul", f(c, "mul", a, a), a);
  const inner = f(c, "mul", num(c, Math.sqrt(2 / Math.PI)), f(c, "add", a, f(c, "mul", num(c, 0.044715), cubic)));
  return f(c, "mul", half, f(c, "add", num(c, 1), f(c, "tanh", inner)));
};

/** ELU's family: scale·x above 0, scale·alpha·(e^(slope·x) − 1) below. */
const elu = (c: Context, alpha: number, scale: number, slope: number): Id => {
  const a = x(c);
  const low = f(c, "mul", num(c, alpha * scale), f(c, "expm1", slope === 1 ? a : f(c, "mul", a, num(c, slope))));
  return select(c, is(c, "gt", a, num(c, 0)), scale === 1 ? a : f(c, "mul", a, num(c, scale)), low);
};

const pow: Lower = (c) => {
  const exponent = c.literal("exponent");
  const a = c.in("self", c.out());
  if (typeof exponent !== "number") return f(c, "pow", a, c.in("exponent", c.out()));
  const square = f(c, "mul", a, a);
  const easy: Record<number, () => Id> = {
    0: () => num(c, 1),
    1: () => a,
    2: () => square,
    3: () => f(c, "mul", square, a),
    4: () => f(c, "mul", square, square),
    0.5: () => f(c, "sqrt", a),
    [-0.5]: () => f(c, "rsqrt", a),
    [-1]: () => f(c, "reciprocal", a),
    [-2]: () => f(c, "reciprocal", square),
  };
  const floating = c.out().startsWith("float") || c.out() === "bfloat16";
  return exponent >= 0 || floating
    ? (easy[exponent] ?? (() => f(c, "pow", a, num(c, exponent))))()
    : f(c, "pow", a, num(c, exponent));
};

const div: Lower = (c) => {
  const mode = c.literal("rounding_mode");
  const [a, b] = [c.in("self", c.out()), c.in("other", c.out())];
  return f(c, mode === "floor" ? "floor_divide" : mode === "trunc" ? "truncate_divide" : "div", a, b);
};

const special: Record<string, Lower> = {
  add: (c) => f(c, "add", x(c), scaled(c, "other", "alpha")),
  sub: (c) => f(c, "sub", x(c), scaled(c, "other", "alpha")),
  rsub: (c) => f(c, "sub", c.in("other", c.out()), scaled(c, "self", "alpha")),
  addcmul: (c) =>
    f(c, "add", x(c), f(c, "mul", f(c, "mul", param(c, "value", 1), c.in("tensor1", c.out())), c.in("tensor2", c.out()))),
  addcdiv: (c) =>
    f(c, "add", x(c), f(c, "mul", param(c, "value", 1), f(c, "div", c.in("tensor1", c.out()), c.in("tensor2", c.out())))),
  celu: (c) => elu(c, c.number("alpha", 1), 1, 1 / c.number("alpha", 1)),
  clamp: (c) => clamp(c, x(c), c.has("min") ? c.in("min", c.out()) : null, c.has("max") ? c.in("max", c.out()) : null),
  clamp_max: (c) => clamp(c, x(c), null, c.in("max", c.out())),
  clamp_min: (c) => clamp(c, x(c), c.in("min", c.out()), null),
  clone: identity,
  copy: (c) => c.in("src", c.out()),
  div,
  elu: (c) => elu(c, c.number("alpha", 1), c.number("scale", 1), c.number("input_scale", 1)),
  frac: (c) => f(c, "sub", x(c), f(c, "trunc", x(c))),
  gelu,
  hardshrink: (c) => select(c, is(c, "le", f(c, "abs", x(c)), param(c, "lambd", 0.5)), num(c, 0), x(c)),
  hardsigmoid: (c) => f(c, "mul", clamp(c, f(c, "add", x(c), num(c, 3)), num(c, 0), num(c, 6)), num(c, 1 / 6)),
  hardswish: (c) => f(c, "mul", f(c, "mul", x(c), clamp(c, f(c, "add", x(c), num(c, 3)), num(c, 0), num(c, 6))), num(c, 1 / 6)),
  hardtanh: (c) => clamp(c, x(c), param(c, "min_val", -1), param(c, "max_val", 1)),
  leaky_relu: (c) => select(c, is(c, "gt", x(c), num(c, 0)), x(c), f(c, "mul", x(c), param(c, "negative_slope", 0.01))),
  lerp: (c) => f(c, "add", x(c), f(c, "mul", c.in("weight", c.out()), f(c, "sub", c.in("end", c.out()), x(c)))),
  log_sigmoid: (c) => f(c, "sub", f(c, "minimum", x(c), num(c, 0)), f(c, "log1p", f(c, "exp", f(c, "neg", f(c, "abs", x(c)))))),
  logical_not: (c) => c.b.op("logical_not", [c.in("self", "bool")], "bool"),
  masked_fill: (c) => select(c, c.in("mask", "bool"), c.in("value", c.out()), x(c)),
  mish: (c) => f(c, "mul", x(c), f(c, "tanh", softplus(c, x(c), 1, Infinity))),
  pad: (c) => {
    const said = c.literal("pad");
    const widths = Array.isArray(said) ? said.map(Number) : [];
    const rank = c.frame.shape.length;
    const low = c.frame.shape.map((_, d) => widths[2 * (rank - 1 - d)] ?? 0);
    return c.padded("self", low, param(c, "value", 0));
  },
  pow,
  prelu: (c) => {
    const weight = c.node.args.weight;
    const vector =
      weight &&
      "value" in weight &&
      c.graph.values[weight.value]?.shape.length === 1 &&
      c.graph.values[weight.value]?.shape[0] !== 1;
    return select(
      c,
      is(c, "gt", x(c), num(c, 0)),
      x(c),
      f(c, "mul", x(c), vector ? c.channel("weight", 1, c.out()) : c.in("weight", c.out())),
    );
  },
  relu: (c) => f(c, "relu", x(c)),
  relu6: (c) => clamp(c, x(c), num(c, 0), num(c, 6)),
  selu: (c) => elu(c, 1.6732632423543772, 1.0507009873554805, 1),
  silu: (c) => f(c, "mul", x(c), f(c, "sigmoid", x(c))),
  softplus: (c) => softplus(c, x(c), c.number("beta", 1), c.number("threshold", 20)),
  softshrink: (c) => {
    const cut = c.number("lambd", 0.5);
    const low = select(c, is(c, "lt", x(c), num(c, -cut)), f(c, "add", x(c), num(c, cut)), f(c, "mul", x(c), num(c, 0)));
    return select(c, is(c, "gt", x(c), num(c, cut)), f(c, "sub", x(c), num(c, cut)), low);
  },
  square: (c) => f(c, "mul", x(c), x(c)),
  threshold: (c) => select(c, is(c, "le", x(c), param(c, "threshold")), param(c, "value"), x(c)),
  to: identity,
  where: (c) => select(c, c.in("condition", "bool"), c.in("self", c.out()), c.in("other", c.out())),
};

const each = (names: string, lower: Lower): [string, Lower][] => names.split(/\s+/).map((name) => [name, lower]);

/** Our operator name → the scalar code of its result. */
export const pointwise: Readonly<Record<string, Lower>> = Object.fromEntries([
  ...each(unaryNames, unary),
  ...each(binaryNames, binary),
  ...each(comparisonNames, comparison),
  ...each("logical_and logical_or logical_xor", logical),
  ...each("isnan isinf isfinite", test),
  ...Object.entries(special),
]);
