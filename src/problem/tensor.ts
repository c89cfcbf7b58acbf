import { z } from "zod";

/** Bytes an element takes, by PyTorch's name without `torch.`. */
export const dtypeBytes = {
  float64: 8,
  float32: 4,
  float16: 2,
  bfloat16: 2,
  int64: 8,
  int32: 4,
  int16: 2,
  int8: 1,
  uint8: 1,
  bool: 1,
  complex64: 8,
  complex128: 16,
} as const;

export const Dtype = z.enum(Object.keys(dtypeBytes) as [keyof typeof dtypeBytes]);
export type Dtype = z.infer<typeof Dtype>;

/** Shape and strides are counted in elements, outermost dimension first, as in PyTorch. */
export const TensorType = z.object({
  dtype: Dtype,
  shape: z.array(z.int().nonnegative()),
  strides: z.array(z.int()),
});
export type TensorType = z.infer<typeof TensorType>;

export const numel = (t: Pick<TensorType, "shape">): number => t.shape.reduce((a, b) => a * b, 1);

/** Bytes of the elements, each counted once. */
export const bytes = (t: TensorType): number => numel(t) * dtypeBytes[t.dtype];

/** Row-major strides of a shape, in elements. */
export function contiguousStrides(shape: readonly number[]): number[] {
  const strides = new Array<number>(shape.length);
  let step = 1;
  for (let d = shape.length - 1; d >= 0; d--) {
    strides[d] = step;
    step *= Math.max(1, shape[d] as number);
  }
  return strides;
}

/** True where the elements fill memory in row-major order; dimensions of size 1 may have any stride. */
export function isContiguous(t: TensorType): boolean {
  const want = contiguousStrides(t.shape);
  return numel(t) <= 1 || t.shape.every((size, d) => size === 1 || t.strides[d] === want[d]);
}

/** True where the elements fill one block without gaps or overlap, in whatever order (channels-last, say). */
export function isDense(t: TensorType): boolean {
  const dims = t.shape.map((size, d) => ({ size, stride: t.strides[d] as number })).filter((d) => d.size !== 1);
  dims.sort((a, b) => a.stride - b.stride);
  let step = 1;
  for (const { size, stride } of dims) {
    if (stride !== step) return false;
    step *= size;
  }
  return true;
}
