import type { Dialect } from "../dialect.ts";
import { libraryFunctions, mathCpp, shared } from "./math-cpp.ts";
import { compute, literal, load, storage, store } from "./types.ts";

const prelude = `#include <cmath>
#include <cstdint>
#include <cstring>
#include <omp.h>
typedef void* hiera_stream;
typedef _Float16 hiera_f16;
struct hiera_bf16 { uint16_t bits; };
${mathCpp}
static inline double hiera_sigmoid(double x) { return 1.0 / (1.0 + std::exp(-x)); }
static inline float hiera_load(hiera_f16 h) { return (float)h; }
static inline hiera_f16 hiera_f16_from(float x) { return (hiera_f16)x; }
static inline float hiera_load(hiera_bf16 h) { return hiera_as_float((uint32_t)h.bits << 16); }
static inline hiera_bf16 hiera_bf16_from(float x) {
  const uint32_t b = hiera_as_bits(x);
  return {(uint16_t)(x == x ? (b + 0x7fffu + ((b >> 16) & 1u)) >> 16 : 0x7fc0u)};
}
${libraryFunctions("static inline", (name) => `std::${name}`, false)}
${shared("static inline")}
${["max", "min"]
  .map(
    (op) =>
      `#pragma omp declare reduction(hiera_${op} : float, double, int32_t, int64_t : omp_out = hiera_${op}(omp_out, omp_in)) initializer(omp_priv = omp_orig)`,
  )
  .join("\n")}
`;

/** C++17 with OpenMP, for g++ 12 or newer with -O3 -fopenmp -fno-math-errno -fno-trapping-math. */
export const cpp: Dialect = { name: "c++", prelude, inline: "static inline", storage, compute, literal, load, store };
