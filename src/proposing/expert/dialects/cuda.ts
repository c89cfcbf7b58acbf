import type { Dialect } from "../dialect.ts";
import { vectorPrelude } from "../render/cuda-pointwise.ts";
import { teamPrelude } from "../render/cuda-rows.ts";
import { libraryFunctions, shared } from "./math-cpp.ts";
import { compute, literal, load, storage, store } from "./types.ts";

const inline = "__device__ __forceinline__";

/** 16-bit types are converted by instructions, so that no header of theirs has to be compiled. */
const prelude = `#include <cmath>
#include <cstdint>
#include <cuda_runtime.h>
typedef cudaStream_t hiera_stream;
struct hiera_f16 { uint16_t bits; };
struct hiera_bf16 { uint16_t bits; };
${inline} float hiera_load(hiera_f16 h) { float f; asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(h.bits)); return f; }
${inline} hiera_f16 hiera_f16_from(float x) { hiera_f16 h; asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h.bits) : "f"(x)); return h; }
${inline} float hiera_load(hiera_bf16 h) { return __uint_as_float((uint32_t)h.bits << 16); }
${inline} hiera_bf16 hiera_bf16_from(float x) { hiera_bf16 h; asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(h.bits) : "f"(x)); return h; }
${libraryFunctions(inline, (name, type) => (type === "float" ? (name === "fabs" ? "fabsf" : `${name}f`) : name), true)}
${inline} float hiera_sigmoid(float x) { return 1.0f / (1.0f + expf(-x)); }
${inline} double hiera_sigmoid(double x) { return 1.0 / (1.0 + exp(-x)); }
${shared(inline)}${vectorPrelude}${teamPrelude}
`;

/** CUDA C++ for sm_80 and newer (bfloat16 conversion instructions). */
export const cuda: Dialect = { name: "cuda", prelude, inline, storage, compute, literal, load, store };
