import type { Dialect } from "../dialect.ts";
import type { ConvolutionShape } from "../recipes/convolution-shape.ts";

/** Every size as a compile-time constant: D, H, W input; O… output; K… window; S… stride; P… padding; L… dilation; X…, Y… steps. */
export function constants(c: ConvolutionShape, dialect: Dialect): string[] {
  const each = (prefix: string, values: readonly number[]): [string, number][] =>
    values.map((n, k) => [`${prefix}${"DHW"[k]}`, n]);
  const steps = (prefix: string, values: readonly number[]): [string, number][] =>
    values.map((n, k) => [`${prefix}${"NCDH"[k]}`, n]);
  const all: [string, number][] = [
    ["N", c.batch],
    ["C", c.outChannels],
    ["GI", c.groupIn],
    ["GO", c.groupOut],
    ...each("", c.size),
    ...each("O", c.outSize),
    ...each("K", c.window),
    ...each("S", c.stride),
    ...each("P", c.padding),
    ...each("L", c.dilation),
    ...steps("X", c.inSteps),
    ...steps("Y", c.outSteps),
    ["TAPS", c.groupIn * c.window[0] * c.window[1] * c.window[2]],
  ];
  const lines: string[] = [];
  for (let k = 0; k < all.length; k += 10)
    lines.push(
      `constexpr int64_t ${all
        .slice(k, k + 10)
        .map(([name, n]) => `${name} = ${n}`)
        .join(", ")};`,
    );
  return [`typedef ${dialect.storage(c.dtype)} T;`, ...lines];
}

/** Output columns from `low` to `high` (excluded) read no padding. */
export function interior(c: ConvolutionShape): [low: number, high: number] {
  const [size, out, window, stride, padding, dilation] = [c.size, c.outSize, c.window, c.stride, c.padding, c.dilation].map(
    (t) => t[2],
  ) as [number, number, number, number, number, number];
  const low = Math.min(out, Math.ceil(padding / stride));
  const last = Math.floor((size - 1 + padding - (window - 1) * dilation) / stride);
  return [low, Math.max(low, Math.min(out, last + 1))];
}
