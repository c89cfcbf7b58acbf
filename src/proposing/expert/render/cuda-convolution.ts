import { type Dialect, hostFunction } from "../dialect.ts";
import type { ConvolutionShape } from "../recipes/convolution-shape.ts";
import { constants } from "./convolution-constants.ts";

/** One thread, ROWS output rows of one column; neighbouring threads take neighbouring columns. */
export function cudaConvolution(c: ConvolutionShape, dialect: Dialect, symbol: string, macro: (name: string) => string): string {
  const type = dialect.storage(c.dtype);
  const pointers = [
    `const ${type}* __restrict input`,
    `const ${type}* __restrict weight`,
    ...(c.bias ? [`const ${type}* __restrict bias`] : []),
    `${type}* __restrict output`,
  ];
  return `namespace ${symbol}_parts {
${constants(c, dialect).join("\n")}
constexpr int64_t ROWS = ${macro("ROWS")} < OH ? ${macro("ROWS")} : OH;
constexpr int64_t BLOCKS = (OH + ROWS - 1) / ROWS;
constexpr int64_t SPAN = (ROWS - 1) * SH + (KH - 1) * LH + 1;
constexpr int64_t TASKS = N * C * OD * BLOCKS * OW;

static __global__ void __launch_bounds__(${macro("THREADS")}) kernel(${pointers.join(", ")}) {
  const int64_t task = (int64_t)blockIdx.x * ${macro("THREADS")} + threadIdx.x;
  if (task >= TASKS) return;
  const int64_t column = task % OW, height = task / OW % BLOCKS * ROWS, depth = task / (OW * BLOCKS) % OD;
  const int64_t channel = task / (OW * BLOCKS * OD) % C, batch = task / (OW * BLOCKS * OD * C);
  const int64_t d0 = depth * SD - PD, h0 = height * SH - PH, w0 = column * SW - PW;
  const T* const x = input + batch * XN + channel / GO * GI * XC;
  T sum[ROWS];
#pragma unroll
  for (int r = 0; r < ROWS; ++r) sum[r] = ${c.bias ? "bias[channel]" : "0"};
#pragma unroll
  for (int p = 0; p < GI * KD; ++p) {
    const int64_t d = d0 + p % KD * LD;
    if (d < 0 || d >= D) continue;
#pragma unroll
    for (int t = 0; t < SPAN; ++t) {
      const int64_t h = h0 + t;
#pragma unroll
      for (int k = 0; k < KW; ++k) {
        const int64_t at = w0 + k * LW;
        const T value = h >= 0 && h < H && at >= 0 && at < W ? x[p / KD * XC + d * XD + h * XH + at] : T(0);
#pragma unroll
        for (int r = 0; r < ROWS; ++r) {
          const int row = t - r * (int)SH;
          if (row >= 0 && row % LH == 0 && row / LH < KH) sum[r] += weight[channel * TAPS + (p * KH + row / LH) * KW + k] * value;
        }
      }
    }
  }
  T* const y = output + batch * YN + channel * YC + depth * YD + column;
#pragma unroll
  for (int r = 0; r < ROWS; ++r)
    if (height + r < OH) y[(height + r) * YH] = sum[r];
}
}  // namespace ${symbol}_parts

${hostFunction(symbol, pointers)} {
  (void)scratch;
  using namespace ${symbol}_parts;
  kernel<<<(unsigned)((TASKS + ${macro("THREADS")} - 1) / ${macro("THREADS")}), ${macro("THREADS")}, 0, stream>>>(input, weight${c.bias ? ", bias" : ""}, output);
  return (int)cudaGetLastError();
}`;
}
