"""How fast this machine is at its best, measured by small native loops: what the floor is made of.

Peaks, not what a library reaches: a floor that something runs below would be none. Where nothing can be compiled,
PyTorch's own copy and products stand in.
"""
import ctypes
import time

import torch

from . import dropin

FLAGS = ["-std=c++17", "-O3", "-march=native", "-ffast-math", "-fopenmp", "-fPIC", "-shared"]

#: independent multiply-adds that fill the vector units; a sum over memory; a copy that passes the cache by
SOURCE = r"""
#include <cstdint>
#include <omp.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif
template <class T> static void multiply_add(T* out, int64_t rounds, int threads) {
#pragma omp parallel num_threads(threads)
  {
    constexpr int lanes = 64 / sizeof(T), chains = 10;
    T sum[chains][lanes];
    for (int c = 0; c < chains; c++)
      for (int l = 0; l < lanes; l++) sum[c][l] = T(c + l + omp_get_thread_num());
    const T factor = out[0], term = out[1];
    for (int64_t r = 0; r < rounds; r++)
      for (int c = 0; c < chains; c++)
        for (int l = 0; l < lanes; l++) sum[c][l] = sum[c][l] * factor + term;
    T total = 0;
    for (int c = 0; c < chains; c++)
      for (int l = 0; l < lanes; l++) total += sum[c][l];
#pragma omp critical
    out[2] += total;
  }
}
extern "C" void multiply_add_float32(float* out, int64_t rounds, int threads) { multiply_add(out, rounds, threads); }
extern "C" void multiply_add_float64(double* out, int64_t rounds, int threads) { multiply_add(out, rounds, threads); }
extern "C" int64_t read(const int64_t* from, int64_t count, int threads) {
  int64_t total = 0;
#pragma omp parallel for simd num_threads(threads) reduction(+ : total) schedule(static)
  for (int64_t i = 0; i < count; i++) total += from[i];
  return total;
}
extern "C" void copy(const int64_t* from, int64_t* to, int64_t count, int threads) {
#pragma omp parallel for num_threads(threads) schedule(static)
  for (int64_t block = 0; block < count / 8; block++) {
#ifdef __SSE2__
    for (int i = 0; i < 8; i += 2)
      _mm_stream_si128((__m128i*)(to + 8 * block + i), _mm_loadu_si128((const __m128i*)(from + 8 * block + i)));
#else
    for (int i = 0; i < 8; i++) to[8 * block + i] = from[8 * block + i];
#endif
  }
}
"""
#: of SOURCE: operations a round of one thread, by dtype
ROUND = {"float32": 2 * 10 * 16, "float64": 2 * 10 * 8}


def seconds(call, least=0.2):
    """Least seconds of a call, over as many as `least` seconds take and five at least."""
    call()
    best, count, begun = float("inf"), 0, time.perf_counter()
    while count < 5 or time.perf_counter() - begun < least:
        start = time.perf_counter()
        call()
        best, count = min(best, time.perf_counter() - start), count + 1
    return best


def rates(threads, cache_bytes):
    """copy: bytes read and written per second; matrix, vector: operations per second, a multiply-add counting two."""
    count = max(1 << 23, min(1 << 25, cache_bytes // 2))  # int64: four times the cache each
    source, target = torch.ones(count, dtype=torch.int64), torch.zeros(count, dtype=torch.int64)
    try:
        native = ctypes.CDLL(dropin.build_library(SOURCE, "c++", FLAGS))
    except (RuntimeError, OSError):
        copy = 16 * count / seconds(lambda: target.copy_(source))
        product = {name: product_rate(getattr(torch, name)) for name in ROUND}
        return {"copy": copy, "matrix": product, "vector": product}
    pointer, size = ctypes.c_void_p, ctypes.c_int64
    read, stream = native.read, native.copy
    read.argtypes, stream.argtypes, read.restype = [pointer, size, ctypes.c_int], [pointer, pointer, size, ctypes.c_int], size
    moved = max(
        8 * count / seconds(lambda: read(source.data_ptr(), count, threads)),
        16 * count / seconds(lambda: stream(source.data_ptr(), target.data_ptr(), count, threads)),
        16 * count / seconds(lambda: target.copy_(source)),
    )
    arithmetic = {name: arithmetic_rate(native, name, threads) for name in ROUND}
    # a CPU multiplies matrices on the same units
    return {"copy": moved, "matrix": arithmetic, "vector": arithmetic}


def arithmetic_rate(native, name, threads, rounds=2_000_000):
    run = getattr(native, "multiply_add_" + name)
    run.argtypes = [ctypes.c_void_p, ctypes.c_int64, ctypes.c_int]
    state = torch.tensor([0.999, 0.001, 0.0], dtype=getattr(torch, name))
    return ROUND[name] * rounds * threads / seconds(lambda: run(state.data_ptr(), rounds, threads))


def product_rate(dtype, size=1024):
    a, b = torch.rand(size, size, dtype=dtype), torch.rand(size, size, dtype=dtype)
    return 2 * size**3 / seconds(lambda: torch.mm(a, b))
