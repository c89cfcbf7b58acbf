import { type Dialect, hostFunction } from "../dialect.ts";
import type { ConvolutionShape } from "../recipes/convolution-shape.ts";
import { constants, interior } from "./convolution-constants.ts";
import { serialBelow } from "./cpp-pointwise.ts";

/** Loops unrolled by instantiation, so that what they index is in registers; once a file. */
const unrolled = `#ifndef HIERA_EACH
#define HIERA_EACH
#include <utility>
#define HIERA_INLINE inline __attribute__((always_inline))
template <class F, int... I> static HIERA_INLINE void hiera_each(F f, std::integer_sequence<int, I...>) {
  (f(std::integral_constant<int, I>{}), ...);
}
template <int N, class F> static HIERA_INLINE void hiera_each(F f) { hiera_each(f, std::make_integer_sequence<int, N>{}); }
#endif`;

/** R output rows of a channel at once: an element that is loaded once feeds every row whose window holds it. */
const columns = `constexpr int64_t V = 64 / sizeof(T);
template <int R> constexpr int SPAN = (R - 1) * SH + (KH - 1) * LH + 1;

/* x(c, d, t, k, j): channel c, plane d, row t of the SPAN rows, tap k of output column j */
template <int R, class X> static HIERA_INLINE void vectors(const X& x, const T* w, T b, T* y, int64_t from, int64_t to) {
#pragma omp simd
  for (int64_t j = from; j < to; ++j) {
    T sum[R];
    hiera_each<R>([&](auto r) __attribute__((always_inline)) { sum[r] = b; });
    hiera_each<GI * KD>([&](auto plane) __attribute__((always_inline)) {
      hiera_each<SPAN<R>>([&](auto t) __attribute__((always_inline)) {
        hiera_each<KW>([&](auto k) __attribute__((always_inline)) {
          hiera_each<R>([&](auto r) __attribute__((always_inline)) {
            constexpr int p = decltype(plane)::value, row = decltype(t)::value - decltype(r)::value * SH;
            if constexpr (row >= 0 && row % LH == 0 && row / LH < KH)
              sum[r] += w[(p * KH + row / LH) * KW + k] * x(p / KD, p % KD, t, k, j);
          });
        });
      });
    });
    hiera_each<R>([&](auto r) __attribute__((always_inline)) { y[r * YH + j] = sum[r]; });
  }
}

/* whole vectors only, the last one overlapping, where there are that many columns */
template <int R, class X> static HIERA_INLINE void columns(const X& x, const T* w, T b, T* y, int64_t from, int64_t to) {
  const int64_t whole = from + (to - from) / V * V;
  vectors<R>(x, w, b, y, from, whole);
  if (whole < to && to - from >= V) vectors<R>(x, w, b, y, to - V, to);
  else vectors<R>(x, w, b, y, whole, to);
}`;

/** Rows read where they lie. Columns that touch the padding are peeled; rows at the border go one at a time, those outside are zeros. */
const inPlace = ([low, high]: [low: number, high: number]): string => `constexpr int64_t LOW = ${low}, HIGH = ${high};
struct Inside {
  const T* at;
  HIERA_INLINE T operator()(int64_t c, int64_t d, int64_t t, int64_t k, int64_t j) const {
    return at[c * XC + d * LD * XD + t * XH + k * LW + j * SW - PW];
  }
};
struct Border {
  const T* at[GI * KD * SPAN<1>];
  HIERA_INLINE T operator()(int64_t c, int64_t d, int64_t t, int64_t k, int64_t j) const {
    return at[(c * KD + d) * SPAN<1> + t][k * LW + j * SW - PW];
  }
};
static const T zeros[W] = {};

template <int R, class X> static HIERA_INLINE void edge(const X& x, const T* w, T b, T* y, int64_t from, int64_t to) {
  for (int64_t j = from; j < to; ++j)
    for (int64_t r = 0; r < R; ++r) {
      T sum = b;
      for (int64_t p = 0; p < GI * KD; ++p)
        for (int64_t h = 0; h < KH; ++h)
          for (int64_t k = 0; k < KW; ++k)
            if (const int64_t at = k * LW + j * SW - PW; at >= 0 && at < W) sum += w[(p * KH + h) * KW + k] * x(p / KD, p % KD, r * SH + h * LH, k, j);
      y[r * YH + j] = sum;
    }
}

template <int R, class X> static HIERA_INLINE void whole(const X& x, const T* w, T b, T* y) {
  edge<R>(x, w, b, y, 0, LOW);
  columns<R>(x, w, b, y, LOW, HIGH);
  edge<R>(x, w, b, y, HIGH, OW);
}

template <int R> static void rows(const T* x, const T* w, T b, T* __restrict y, int64_t depth, int64_t height) {
  const int64_t d0 = depth * SD - PD, h0 = height * SH - PH;
  if (d0 >= 0 && d0 + (KD - 1) * LD < D && h0 >= 0 && h0 + SPAN<R> <= H) return whole<R>(Inside{x + d0 * XD + h0 * XH}, w, b, y);
  if constexpr (R > 1) {
    for (int64_t r = 0; r < R; ++r) rows<1>(x, w, b, y + r * YH, depth, height + r);
  } else {
    Border border;
    for (int64_t p = 0; p < GI * KD; ++p)
      for (int64_t t = 0; t < SPAN<1>; ++t) {
        const int64_t d = d0 + p % KD * LD, h = h0 + t;
        border.at[p * SPAN<1> + t] = d >= 0 && d < D && h >= 0 && h < H ? x + p / KD * XC + d * XD + h * XH : zeros;
      }
    whole<1>(border, w, b, y);
  }
}`;

/** Rows copied into lines with the padding in them, one line a phase of the stride, so that every access is a whole vector. */
const padded = (strip: string): string => `constexpr int64_t STRIP = ${strip} < OW ? ${strip} : OW;
constexpr int64_t LINE = (STRIP + (KW - 1) * LW / SW + V) / V * V;
struct Lines {
  const T* at;
  int64_t span;
  HIERA_INLINE T operator()(int64_t c, int64_t d, int64_t t, int64_t k, int64_t j) const {
    return at[(((c * KD + d) * span + t) * SW + k * LW % SW) * LINE + k * LW / SW + j];
  }
};

static HIERA_INLINE int64_t clamped(int64_t n) { return n < 0 ? 0 : n > LINE ? LINE : n; }
static HIERA_INLINE int64_t ceiling(int64_t a, int64_t b) { return a > 0 ? (a + b - 1) / b : -(-a / b); }

template <int R> static void rows(const T* x, const T* w, T b, T* __restrict y, int64_t depth, int64_t height) {
  alignas(64) static thread_local T lines[GI * KD * SPAN<R> * SW * LINE];
  T* const line = lines;
  const int64_t d0 = depth * SD - PD, h0 = height * SH - PH;
  for (int64_t first = 0; first < OW; first += STRIP) {
    const int64_t count = OW - first < STRIP ? OW - first : STRIP;
    for (int64_t p = 0; p < GI * KD; ++p)
      for (int64_t t = 0; t < SPAN<R>; ++t) {
        const int64_t d = d0 + p % KD * LD, h = h0 + t;
        const T* const row = x + p / KD * XC + d * XD + h * XH;
        const bool inside = d >= 0 && d < D && h >= 0 && h < H;
        for (int64_t phase = 0; phase < SW; ++phase) {
          T* const to = line + ((p * SPAN<R> + t) * SW + phase) * LINE;
          const int64_t start = first * SW + phase - PW;
          const int64_t low = inside ? clamped(ceiling(-start, SW)) : LINE, high = inside ? clamped(ceiling(W - start, SW)) : LINE;
          for (int64_t j = 0; j < low; ++j) to[j] = 0;
#pragma omp simd
          for (int64_t j = low; j < high; ++j) to[j] = row[start + j * SW];
          for (int64_t j = high; j < LINE; ++j) to[j] = 0;
        }
      }
    columns<R>(Lines{line, SPAN<R>}, w, b, y + first, 0, count);
  }
}`;

/**
 * Blocks of rows are walked through the depth, so that planes meet again in cache; threads take contiguous runs of block × plane.
 * @param macro name of a tunable, by its short name
 */
export function cppConvolution(
  c: ConvolutionShape,
  dialect: Dialect,
  symbol: string,
  macro: (name: string) => string,
  variant: string,
): string {
  const type = dialect.storage(c.dtype);
  const height = variant === "interior" ? "1" : macro("ROWS");
  return `${unrolled}
namespace ${symbol}_parts {
${constants(c, dialect).join("\n")}
${columns}

${variant === "padded" ? padded(macro("COLUMNS")) : inPlace(interior(c))}

constexpr int64_t ROWS = ${height} < OH ? ${height} : OH;
constexpr int64_t BLOCK = ${macro("TILE")} < OH ? (${macro("TILE")} + ROWS - 1) / ROWS * ROWS : OH;
constexpr int64_t BLOCKS = (OH + BLOCK - 1) / BLOCK;
}  // namespace ${symbol}_parts

${hostFunction(symbol, [`const ${type}* input`, `const ${type}* weight`, ...(c.bias ? [`const ${type}* bias`] : []), `${type}* output`])} {
  (void)scratch, (void)stream;
  using namespace ${symbol}_parts;
#pragma omp parallel for schedule(static) if (N * C * OD * OH * OW * TAPS >= ${serialBelow})
  for (int64_t task = 0; task < N * C * BLOCKS * OD; ++task) {
    const int64_t depth = task % OD, block = task / OD % BLOCKS, channel = task / (OD * BLOCKS) % C, batch = task / (OD * BLOCKS * C);
    T w[TAPS];
    for (int64_t k = 0; k < TAPS; ++k) w[k] = weight[channel * TAPS + k];
    const T b = ${c.bias ? "bias[channel]" : "0"};
    const T* const x = input + batch * XN + channel / GO * GI * XC;
    T* const y = output + batch * YN + channel * YC + depth * YD;
    const int64_t end = (block + 1) * BLOCK < OH ? (block + 1) * BLOCK : OH;
    int64_t height = block * BLOCK;
    for (; height + ROWS <= end; height += ROWS) rows<ROWS>(x, w, b, y + height * YH, depth, height);
    if constexpr (OH % ROWS != 0)
      for (; height < end; ++height) rows<1>(x, w, b, y + height * YH, depth, height);
  }
  return 0;
}`;
}
