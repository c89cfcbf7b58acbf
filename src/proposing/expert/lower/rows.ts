import type { Id } from "../program.ts";
import type { Context } from "./context.ts";

/** An operator's results, one for each output that has a form here. */
export type LowerRow = (c: Context) => readonly Id[];

const first = (c: Context): string => Object.keys(c.node.args).find((name) => "value" in (c.node.args[name] as object)) as string;
const x = (c: Context): Id => c.in(first(c), c.out());
const f = (c: Context, op: string, ...args: Id[]): Id => c.b.op(op, args, c.out());
const num = (c: Context, v: number): Id => c.b.constant(v, c.out());
const sum = (c: Context, a: Id): Id => c.b.reduce("sum", a, c.out());
const mean = (c: Context, a: Id): Id => f(c, "mul", sum(c, a), num(c, 1 / c.count));

/** Mean and the mean of squared deviations, in two passes over the row. */
function moments(c: Context, a: Id, correction = 0): { mean: Id; deviation: Id; variance: Id } {
  const center = mean(c, a);
  const deviation = f(c, "sub", a, center);
  const squares = sum(c, f(c, "mul", deviation, deviation));
  return { mean: center, deviation, variance: f(c, "mul", squares, num(c, 1 / Math.max(0, c.count - correction))) };
}

const affine = (c: Context, a: Id, weight: Id | null, bias: Id | null): Id => {
  const scaled = weight === null ? a : f(c, "mul", a, weight);
  return bias === null ? scaled : f(c, "add", scaled, bias);
};

const elementwise = (c: Context, name: string): Id | null => (c.has(name) ? c.in(name, c.out()) : null);
const byChannel = (c: Context, name: string): Id | null => (c.has(name) ? c.channel(name, 1, c.out()) : null);
const rstd = (c: Context, variance: Id, otherwise: number): Id =>
  f(c, "rsqrt", f(c, "add", variance, num(c, c.number("eps", otherwise))));

/** (x − mean)·rstd·weight + bias, statistics over the row. */
const standardise = (c: Context, weight: Id | null, bias: Id | null): readonly Id[] => {
  const m = moments(c, x(c));
  const r = rstd(c, m.variance, 1e-5);
  return [affine(c, f(c, "mul", m.deviation, r), weight, bias), m.mean, r];
};

const batchNorm: LowerRow = (c) => {
  if (c.literal("training") === true) return standardise(c, byChannel(c, "weight"), byChannel(c, "bias"));
  const center = c.channel("running_mean", 1, c.out());
  const r = rstd(c, c.channel("running_var", 1, c.out()), 1e-5);
  return [affine(c, f(c, "mul", f(c, "sub", x(c), center), r), byChannel(c, "weight"), byChannel(c, "bias"))];
};

const softmax = (c: Context, a: Id): { shifted: Id; power: Id; total: Id } => {
  const shifted = f(c, "sub", a, c.b.reduce("max", a, c.out()));
  const power = f(c, "exp", shifted);
  return { shifted, power, total: sum(c, power) };
};

/** Position of the extreme value, the first where several are equal; a NaN is the extreme. */
function locate(c: Context, op: "max" | "min"): { best: Id; position: Id } {
  const own = c.in(first(c));
  const dtype = c.b.dtype(own);
  const best = c.b.reduce(op, own, dtype);
  const said = c.literal("dim");
  const rank = c.frame.shape.length;
  const dims = typeof said === "number" ? [(said + rank) % Math.max(rank, 1)] : c.frame.shape.map((_, d) => d);
  const at = c.position(dims, c.count);
  const index = c.b.dtype(at);
  const floating = dtype.startsWith("float") || dtype === "bfloat16";
  const equal = c.b.op("eq", [own, best], "bool");
  const hit = floating ? c.b.op("logical_or", [equal, c.b.op("isnan", [own], "bool")], "bool") : equal;
  const none = c.b.constant(index === "int32" ? 2 ** 31 - 1 : 2 ** 62, index);
  return { best, position: c.b.cast(c.b.reduce("min", c.b.op("where", [hit, at, none], index), index), "int64") };
}

const extreme =
  (op: "max" | "min"): LowerRow =>
  (c) =>
    c.node.outputs.length > 1 ? [locate(c, op).best, locate(c, op).position] : [c.b.reduce(op, x(c), c.out())];

/** Through int32: true counts as 1. */
const truth = (c: Context, op: "max" | "min"): readonly Id[] => [
  c.b.cast(c.b.reduce(op, c.b.cast(c.b.cast(c.in(first(c)), "bool"), "int32"), "int32"), c.out()),
];

const deviation = (c: Context): number =>
  typeof c.literal("unbiased") === "boolean" ? Number(c.literal("unbiased")) : c.number("correction", 1);

const spreadOf =
  (root: boolean, withMean: boolean): LowerRow =>
  (c) => {
    const m = moments(c, x(c), deviation(c));
    const result = root ? f(c, "sqrt", m.variance) : m.variance;
    return withMean ? [result, m.mean] : [result];
  };

const norm: LowerRow = (c) => {
  const p = c.number(c.node.args.ord ? "ord" : "p", 2);
  const a = f(c, "abs", x(c));
  if (p === Infinity || p === -Infinity) return [c.b.reduce(p > 0 ? "max" : "min", a, c.out())];
  if (p === 0) return [sum(c, c.b.cast(c.b.op("ne", [a, num(c, 0)], "bool"), c.out()))];
  if (p === 1) return [sum(c, a)];
  if (p === 2) return [f(c, "sqrt", sum(c, f(c, "mul", x(c), x(c))))];
  return [f(c, "pow", sum(c, f(c, "pow", a, num(c, p))), num(c, 1 / p))];
};

/** A loss by element, then its mean or sum (ATen's `reduction`: 1 mean, 2 sum). */
const loss =
  (element: (c: Context, d: Id) => Id): LowerRow =>
  (c) => {
    const each = element(c, f(c, "sub", c.in("self", c.out()), c.in("target", c.out())));
    return [c.literal("reduction") === 2 || c.literal("reduction") === "sum" ? sum(c, each) : mean(c, each)];
  };

/** Quadratic below the bend, linear above. */
const bent = (c: Context, d: Id, bend: number, scale: number): Id => {
  const a = f(c, "abs", d);
  const inner = f(c, "mul", f(c, "mul", a, a), num(c, (0.5 / bend) * scale));
  const outer = f(c, "mul", f(c, "sub", a, num(c, 0.5 * bend)), num(c, scale));
  return bend === 0 ? a : c.b.op("where", [c.b.op("lt", [a, num(c, bend)], "bool"), inner, outer], c.out());
};

/** Reductions and normalisations: our operator name → scalar code with `reduce` over the row. */
export const rows: Readonly<Record<string, LowerRow>> = {
  all: (c) => truth(c, "min"),
  amax: extreme("max"),
  amin: extreme("min"),
  any: (c) => truth(c, "max"),
  argmax: (c) => [locate(c, "max").position],
  argmin: (c) => [locate(c, "min").position],
  batch_norm: batchNorm,
  count_nonzero: (c) => [c.b.reduce("sum", c.b.cast(c.b.cast(c.in(first(c)), "bool"), "int64"), "int64")],
  group_norm: (c) => standardise(c, byChannel(c, "weight"), byChannel(c, "bias")),
  gather: (c) => {
    const rank = c.frame.shape.length;
    const at = c.position([(c.number("dim") + rank) % rank], c.count);
    const hit = c.b.op("eq", [c.b.cast(at, "int64"), c.in("index", "int64")], "bool");
    return [sum(c, c.b.op("where", [hit, x(c), num(c, 0)], c.out()))];
  },
  huber_loss: loss((c, d) => bent(c, d, c.number("delta", 1), c.number("delta", 1))),
  instance_norm: (c) => standardise(c, byChannel(c, "weight"), byChannel(c, "bias")),
  l1_loss: loss((c, d) => f(c, "abs", d)),
  layer_norm: (c) => standardise(c, elementwise(c, "weight"), elementwise(c, "bias")),
  log_softmax: (c) => {
    const { shifted, total } = softmax(c, x(c));
    return [f(c, "sub", shifted, f(c, "log", total))];
  },
  linalg_vector_norm: norm,
  logsumexp: (c) => {
    const a = x(c);
    const top = c.b.reduce("max", a, c.out());
    const finite = c.b.op("where", [c.b.op("isinf", [top], "bool"), num(c, 0), top], c.out());
    return [f(c, "add", f(c, "log", sum(c, f(c, "exp", f(c, "sub", a, finite)))), finite)];
  },
  max: extreme("max"),
  mean: (c) => [mean(c, x(c))],
  min: extreme("min"),
  mse_loss: loss((c, d) => f(c, "mul", d, d)),
  norm,
  prod: (c) => [c.b.reduce("prod", x(c), c.out())],
  rms_norm: (c) => {
    const eps: Record<string, number> = { float64: 2 ** -52, float32: 2 ** -23, float16: 2 ** -10, bfloat16: 2 ** -7 };
    const r = rstd(c, mean(c, f(c, "mul", x(c), x(c))), eps[c.out()] as number);
    return [affine(c, f(c, "mul", x(c), r), elementwise(c, "weight"), null), r];
  },
  smooth_l1_loss: loss((c, d) => bent(c, d, c.number("beta", 1), 1)),
  softmax: (c) => {
    const { power, total } = softmax(c, x(c));
    return [f(c, "mul", power, f(c, "reciprocal", total))];
  },
  softmin: (c) => {
    const { power, total } = softmax(c, f(c, "neg", x(c)));
    return [f(c, "mul", power, f(c, "reciprocal", total))];
  },
  std: spreadOf(true, false),
  std_mean: spreadOf(true, true),
  sum: (c) => [sum(c, x(c))],
  var: spreadOf(false, false),
  var_mean: spreadOf(false, true),
};
