import { HieraError } from "../../../errors.ts";
import type { Dtype } from "../../../problem/tensor.ts";

/** C types by dtype: in memory, and in registers. Both dialects use the same names. */
const types: Partial<Record<Dtype, readonly [storage: string, compute: string]>> = {
  float64: ["double", "double"],
  float32: ["float", "float"],
  float16: ["hiera_f16", "float"],
  bfloat16: ["hiera_bf16", "float"],
  int64: ["int64_t", "int64_t"],
  int32: ["int32_t", "int32_t"],
  int16: ["int16_t", "int32_t"],
  int8: ["int8_t", "int32_t"],
  uint8: ["uint8_t", "int32_t"],
  bool: ["bool", "bool"],
};

const pair = (dtype: Dtype): readonly [string, string] => {
  const found = types[dtype];
  if (!found) throw new HieraError("usage", `no C type for ${dtype}`);
  return found;
};

export const storage = (dtype: Dtype): string => pair(dtype)[0];
export const compute = (dtype: Dtype): string => pair(dtype)[1];

/** Names of the non-finite numbers are macros of <cmath>, known to nvcc too. */
export function literal(value: number, dtype: Dtype): string {
  const type = compute(dtype);
  if (type === "bool") return value ? "true" : "false";
  if (type === "int32_t") return String(value);
  if (type === "int64_t") return value <= -(2 ** 63) ? "INT64_MIN" : value >= 2 ** 63 ? "INT64_MAX" : `INT64_C(${BigInt(value)})`;
  const suffix = type === "float" ? "f" : "";
  if (Number.isNaN(value)) return `((${type})NAN)`;
  if (!Number.isFinite(value)) return `(${value < 0 ? "-" : ""}(${type})INFINITY)`;
  const rounded = type === "float" ? Math.fround(value) : value;
  if (!Number.isFinite(rounded)) return `(${rounded < 0 ? "-" : ""}(${type})INFINITY)`;
  const text = String(value);
  return `${/[.e]/.test(text) ? text : `${text}.0`}${suffix}`;
}

const half = new Set<Dtype>(["float16", "bfloat16"]);

export const load = (lvalue: string, dtype: Dtype): string =>
  half.has(dtype) ? `hiera_load(${lvalue})` : storage(dtype) === compute(dtype) ? lvalue : `(${compute(dtype)})${lvalue}`;

export const store = (value: string, dtype: Dtype): string =>
  half.has(dtype)
    ? `${storage(dtype)}_from(${value})`
    : storage(dtype) === compute(dtype)
      ? value
      : `(${storage(dtype)})(${value})`;
