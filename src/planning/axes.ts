/**
 * Index spaces. A region walks one list of axes; its operators' own dimensions are merged or split pieces of them.
 * A cut is the number of elements inside an axis boundary: sizes [4, 3, 5] have the cuts 5 and 15.
 */

export interface Strided {
  readonly size: number;
  readonly stride: number;
}

export const product = (sizes: readonly number[]): number => sizes.reduce((a, b) => a * b, 1);

/** Inner boundaries of row-major sizes, from the inside out, without 1 and the total. */
export function cuts(sizes: readonly number[]): number[] {
  const total = product(sizes);
  const found: number[] = [];
  for (let d = sizes.length - 1, inside = 1; d > 0; d--) {
    inside *= sizes[d] as number;
    if (inside > 1 && inside < total) found.push(inside);
  }
  return found;
}

/** Sizes that have all these boundaries; null where one does not divide the next, so that no list of axes has both. */
export function refine(total: number, boundaries: Iterable<number>): number[] | null {
  const sorted = [...new Set(boundaries)].sort((a, b) => a - b);
  const sizes: number[] = [];
  let inside = 1;
  for (const cut of [...sorted, total]) {
    if (cut % inside !== 0) return null;
    if (cut > inside) sizes.unshift(cut / inside);
    inside = cut;
  }
  return sizes;
}

/** Strides over finer sizes of the same total. Precondition: `sizes` refines the axes. */
export function spread(axes: readonly Strided[], sizes: readonly number[]): number[] {
  const strides = new Array<number>(sizes.length).fill(0);
  let inside = 1;
  let axis = axes.length - 1;
  let axisInside = 1;
  for (let d = sizes.length - 1; d >= 0; d--) {
    while (axis >= 0 && inside >= axisInside * (axes[axis] as Strided).size) axisInside *= (axes[axis--] as Strided).size;
    if (axis >= 0) strides[d] = (axes[axis] as Strided).stride * (inside / axisInside);
    inside *= sizes[d] as number;
  }
  return strides;
}

/** True where the axes walk one block of memory in row-major order. */
export function contiguous(axes: readonly Strided[]): boolean {
  let step = 1;
  for (let d = axes.length - 1; d >= 0; d--) {
    const { size, stride } = axes[d] as Strided;
    if (size !== 1 && stride !== step) return false;
    step *= size;
  }
  return true;
}
