/** Which bottleneck a round attacks; the paper's five. */
export const directions = {
  "control-flow": "boundaries, divergence, specialisation",
  parallelism: "threads, warps, occupancy",
  memory: "transactions, coalescing, width",
  reuse: "shared memory, registers, pipelining, fusion",
  instructions: "Tensor Cores, instruction mix",
} as const;

export type Direction = keyof typeof directions;
