import type { Dtype } from "../../../problem/tensor.ts";
import { type Dialect, isFloat } from "../dialect.ts";
import type { Definition, Program } from "../program.ts";

type Write = (args: readonly string[], type: string) => string;

const call =
  (name: string): Write =>
  (args) =>
    `hiera_${name}(${args.join(", ")})`;

const infix =
  (operator: string): Write =>
  ([a, b]) =>
    `(${a} ${operator} ${b})`;

/** Integer arithmetic wraps around, as PyTorch's does; C++ defines that for unsigned types only. */
const wrapping =
  (operator: string): Write =>
  ([a, b], type) =>
    type.startsWith("int") ? `((${type})((u${type})${a} ${operator} (u${type})${b}))` : `(${a} ${operator} ${b})`;

const one = (type: string): string => (type === "float" ? "1.0f" : type === "double" ? "1.0" : "1");

/** Scalar operation → C++ and CUDA text. Arguments are names or literals of the compute type `type` of the result, or of what is compared. */
const table: Record<string, Write> = {
  ...Object.fromEntries(
    `acos acosh asin asinh atan atanh ceil cos cosh erf erfc exp exp2 expm1 floor log log10 log1p log2 sigmoid sin sinh sqrt tan tanh
    trunc atan2 fmod hypot pow remainder`
      .split(/\s+/)
      .map((name) => [name, call(name)]),
  ),
  abs: ([a], type) =>
    type.startsWith("int") ? `(${a} < 0 ? (${type})(0 - (u${type})${a}) : ${a})` : type === "bool" ? `${a}` : `hiera_fabs(${a})`,
  add: wrapping("+"),
  sub: wrapping("-"),
  mul: wrapping("*"),
  div: infix("/"),
  neg: ([a], type) => (type.startsWith("int") ? `((${type})(0 - (u${type})${a}))` : `(-${a})`),
  round: call("rint"),
  reciprocal: ([a], type) => `(${one(type)} / ${a})`,
  rsqrt: ([a], type) => `(${one(type)} / hiera_sqrt(${a}))`,
  maximum: ([a, b], type) => (type === "bool" ? `(${a} || ${b})` : `hiera_max(${a}, ${b})`),
  minimum: ([a, b], type) => (type === "bool" ? `(${a} && ${b})` : `hiera_min(${a}, ${b})`),
  relu: ([a]) => `(${a} < 0 ? 0 : ${a})`,
  sign: ([a], type) => (type === "bool" ? `${a}` : `((${type})((${a} > 0) - (${a} < 0)))`),
  sgn: ([a], type) => (type === "bool" ? `${a}` : `((${type})((${a} > 0) - (${a} < 0)))`),
  floor_divide: call("floordiv"),
  truncate_divide: ([a, b], type) => (type.startsWith("int") ? `hiera_truncdiv(${a}, ${b})` : `hiera_trunc(${a} / ${b})`),
  xlogy: ([a, b], type) => `(${b} != ${b} ? ${b} : ${a} == 0 ? (${type})0 : ${a} * hiera_log(${b}))`,
  where: ([when, yes, no]) => `(${when} ? ${yes} : ${no})`,
  eq: infix("=="),
  ne: infix("!="),
  lt: infix("<"),
  le: infix("<="),
  gt: infix(">"),
  ge: infix(">="),
  logical_and: infix("&&"),
  logical_or: infix("||"),
  logical_xor: infix("!="),
  logical_not: ([a]) => `(!${a})`,
  bitwise_and: ([a, b], type) => (type === "bool" ? `(${a} && ${b})` : `(${a} & ${b})`),
  bitwise_or: ([a, b], type) => (type === "bool" ? `(${a} || ${b})` : `(${a} | ${b})`),
  bitwise_xor: ([a, b], type) => (type === "bool" ? `(${a} != ${b})` : `(${a} ^ ${b})`),
  bitwise_not: ([a], type) => (type === "bool" ? `(!${a})` : `(~${a})`),
  bitwise_left_shift: ([a, b], type) => `((${type})((u${type})${a} << ${b}))`,
  bitwise_right_shift: infix(">>"),
  isnan: ([a]) => `(${a} != ${a})`,
  isinf: ([a]) => `(hiera_fabs(${a}) == INFINITY)`,
  isfinite: ([a]) => `(hiera_fabs(${a}) < INFINITY)`,
};

/** Operations worth keeping rather than computing again. */
const dear = new Set(
  `acos acosh asin asinh atan atanh cos cosh erf erfc exp exp2 expm1 log log10 log1p log2 sigmoid sin sinh tan tanh atan2 fmod hypot
  pow remainder`.split(/\s+/),
);
export const isDear = (d: Definition): boolean => d.kind === "op" && dear.has(d.op);

/** The narrow integer types hold what their width allows: computed in 32 bits, then cut. */
const narrowed = (text: string, dtype: Dtype, dialect: Dialect): string =>
  dialect.storage(dtype) === dialect.compute(dtype) || isFloat(dtype)
    ? text
    : `(${dialect.compute(dtype)})(${dialect.storage(dtype)})${text}`;

/** One operation on operands that are named already. */
export function scalar(program: Program, d: Definition & { kind: "op" }, args: readonly string[], dialect: Dialect): string {
  const type = dialect.compute(d.dtype);
  if (d.op === "cast") {
    const from = program.definitions[d.args[0] as number] as Definition;
    if (d.dtype === "bool") return `(${args[0]} != 0)`;
    if (dialect.compute(from.dtype) === type) return narrowed(`${args[0]}`, d.dtype, dialect);
    return narrowed(`((${type})${args[0]})`, d.dtype, dialect);
  }
  const write = table[d.op];
  if (!write) throw new Error(`no scalar form of ${d.op}`);
  return narrowed(write(args, type), d.dtype, dialect);
}
