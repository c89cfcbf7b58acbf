import type { Dtype } from "../../problem/tensor.ts";

/**
 * The language that a recipe is rendered in: C++17 with OpenMP for a CPU, CUDA C++ for an NVIDIA GPU.
 * What differs between the two is here and in `render/`; a lowered program knows neither.
 */
export interface Dialect {
  readonly name: "c++" | "cuda";
  /**
   * Once a file, before any emitted code: includes, `hiera_stream` (`cudaStream_t`, or `void*` in C++), storage types and the
   * scalar functions `hiera_exp`, `hiera_tanh`, `hiera_erf` … overloaded for float and double (see `dialects/`).
   */
  readonly prelude: string;
  /** prefix of a helper that kernels call */
  readonly inline: string;
  /** An element's type in memory. Throws HieraError("usage") on a complex dtype. */
  readonly storage: (dtype: Dtype) => string;
  /** The type that arithmetic is done in: float for the 16-bit floating types, int for the small integers. */
  readonly compute: (dtype: Dtype) => string;
  /** A number as a literal of the compute type; `Infinity` and `NaN` have one too. */
  readonly literal: (value: number, dtype: Dtype) => string;
  /** An element read from memory, as the compute type. */
  readonly load: (lvalue: string, dtype: Dtype) => string;
  /** A value of the compute type, as the storage type (rounded to nearest even). */
  readonly store: (value: string, dtype: Dtype) => string;
}

export const isFloat = (dtype: Dtype): boolean => dtype.startsWith("float") || dtype === "bfloat16";

/** Opening line of a region's host function; see `Emitted`. `parameters`: `const float* x`, `float* y` … */
export const hostFunction = (symbol: string, parameters: readonly string[]): string =>
  `static int ${symbol}(${[...parameters, "void* scratch", "hiera_stream stream"].join(", ")})`;
