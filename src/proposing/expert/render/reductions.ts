import type { Dtype } from "../../../problem/tensor.ts";
import { type Dialect, isFloat } from "../dialect.ts";
import type { Definition, Id, Reduction } from "../program.ts";
import type { Names } from "./names.ts";

export const reduction = (n: Names, id: Id): Definition & { kind: "reduce" } => {
  const d = n.program.definitions[id] as Definition;
  if (d.kind !== "reduce") throw new Error(`definition ${id} is no reduction`);
  return d;
};

/** OpenMP's name of each; those of max and min are declared in the prelude, because OpenMP's own lose NaN. */
export const clauses: Readonly<Record<Reduction, string>> = { sum: "+", prod: "*", max: "hiera_max", min: "hiera_min" };

/** The value that changes nothing. */
export function identity(op: Reduction, dtype: Dtype, dialect: Dialect): string {
  if (op === "sum" || op === "prod") return dialect.literal(op === "sum" ? 0 : 1, dtype);
  const sign = op === "max" ? -1 : 1;
  if (isFloat(dtype)) return dialect.literal(sign * Infinity, dtype);
  if (dialect.compute(dtype) === "int64_t") return op === "max" ? "INT64_MIN" : "INT64_MAX";
  return op === "max" ? "INT32_MIN" : "INT32_MAX";
}

/** Both taken together. */
export const combine = (op: Reduction, a: string, b: string): string =>
  op === "sum" ? `${a} + ${b}` : op === "prod" ? `${a} * ${b}` : `hiera_${op}(${a}, ${b})`;
