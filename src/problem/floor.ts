import type { DeviceFacts, Floor, Trace } from "./contract.ts";

/**
 * How the times of products and of all other arithmetic combine. A CPU does both on the same units, one after the
 * other; a GPU has units of their own for products, so that only the longer of the two is unavoidable.
 */
const combine: Record<DeviceFacts["kind"], (matrix: number, vector: number) => number> = {
  cpu: (matrix, vector) => matrix + vector,
  null: (matrix, vector) => matrix + vector,
  cuda: Math.max,
};

/**
 * The least time of the traced work at the rates measured on the device, after the roofline model
 * (Williams, Waterman, Patterson: Roofline, CACM 52(4), 2009).
 */
export function floorOf({ bytes, operations, dtype }: Trace["work"], { kind, rates }: DeviceFacts): Floor {
  const milliseconds = (count: number, rate: number) => (count === 0 ? 0 : (count / rate) * 1e3);
  const [matrix, vector] = [rateOf(rates.matrix, dtype), rateOf(rates.vector, dtype)];
  const memoryMs = milliseconds(bytes, rates.copy);
  const computeMs = combine[kind](milliseconds(operations.matrix, matrix.rate), milliseconds(operations.vector, vector.rate));
  const arithmetic = operations.matrix > 0 ? matrix.dtype : vector.dtype;
  return {
    ms: Math.max(memoryMs, computeMs),
    bound: memoryMs >= computeMs ? "memory" : "compute",
    memoryMs,
    computeMs,
    bytes,
    operations: operations.matrix + operations.vector,
    assumes: `inputs, parameters and outputs moved once; the traced algorithm in ${arithmetic} arithmetic; rates measured on this device`,
  };
}

/** Narrow and integer types that have no rate of their own are computed in float32. */
function rateOf(rates: Readonly<Record<string, number>>, dtype: string): { dtype: string; rate: number } {
  const measured = rates[dtype] === undefined ? "float32" : dtype;
  return { dtype: measured, rate: rates[measured] ?? Number.POSITIVE_INFINITY };
}
