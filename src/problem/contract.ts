import { z } from "zod";
import { Graph, Literal, Tree, ValueId } from "./graph.ts";
import { TensorType } from "./tensor.ts";

/** The worker's answer to `trace`: what one run of the reference shows. */
export const Trace = z.object({
  graph: Graph,
  /** forward's arguments in order; a plain value is part of the problem and must be passed unchanged */
  inputs: z.array(
    z.object({
      name: z.string(),
      tensor: TensorType.extend({ id: ValueId, device: z.string() }).optional(),
      literal: Literal.optional(),
    }),
  ),
  outputs: z.array(TensorType.extend({ id: ValueId, device: z.string(), path: z.string() })),
  structure: Tree,
  initArguments: z.array(z.string()),
  /** the constructor's plain arguments by name, as Python source: their values are in the graph */
  fixedArguments: z.record(z.string(), z.string()),
  state: z.array(
    TensorType.extend({
      id: ValueId,
      name: z.string(),
      kind: z.enum(["parameter", "buffer"]),
      /** weight, bias, running-mean, running-var, counter, table … */
      role: z.string(),
      constraint: z.string().optional(),
      usedBy: z.array(z.string()),
      /** the reference changes it: it counts as an output */
      mutated: z.boolean(),
    }),
  ),
  mutatedInputs: z.array(z.string()),
  training: z.boolean(),
  /** training and evaluation run different operators */
  modeMatters: z.boolean(),
  /** bytes each input, parameter and output moves once; operations of the traced algorithm */
  work: z.object({
    bytes: z.number(),
    /** by unit: multiply-adds of products and convolutions count two each */
    operations: z.object({ matrix: z.number(), vector: z.number() }),
    dtype: z.string(),
    /** longest accumulation, elements */
    longestSum: z.number(),
  }),
});
export type Trace = z.infer<typeof Trace>;

/** The worker's answer to `probe`: facts found on the device, measured where a rate is given. */
export const DeviceFacts = z.object({
  kind: z.enum(["cpu", "cuda", "null"]),
  name: z.string(),
  architecture: z.string(),
  cores: z.number(),
  threads: z.number(),
  memoryBytes: z.number(),
  cacheBytes: z.number(),
  os: z.string(),
  python: z.string(),
  torch: z.string(),
  /** torch has a working torch.compile here */
  compile: z.boolean(),
  compiler: z.object({ command: z.string(), version: z.string() }).nullable(),
  libraries: z.record(z.string(), z.object({ version: z.string(), flags: z.array(z.string()) })),
  /** copy: bytes read + written per second; matrix/vector: operations per second by dtype */
  rates: z.object({
    copy: z.number(),
    matrix: z.record(z.string(), z.number()),
    vector: z.record(z.string(), z.number()),
  }),
  isolation: z.array(z.string()),
  profiler: z.object({ available: z.boolean(), why: z.string() }),
});
export type DeviceFacts = z.infer<typeof DeviceFacts>;

export const Precision = z.enum(["strict", "tf32", "bf16", "fp16"]);
export type Precision = z.infer<typeof Precision>;

/** The least time that the known work takes on the device. */
export const Floor = z.object({
  ms: z.number(),
  bound: z.enum(["memory", "compute"]),
  memoryMs: z.number(),
  computeMs: z.number(),
  bytes: z.number(),
  operations: z.number(),
  assumes: z.string(),
});
export type Floor = z.infer<typeof Floor>;

/** What a candidate gets, must return, may use and may cost. Made once per problem and device; enforced by the evaluator. */
export const Contract = z.object({
  version: z.literal(1),
  hash: z.string(),
  problem: z.object({ name: z.string(), source: z.string(), hash: z.string() }),
  interface: Trace.pick({ inputs: true, outputs: true, structure: true, initArguments: true, fixedArguments: true }),
  state: Trace.shape.state,
  behaviour: z.object({
    mode: z.enum(["train", "eval"]),
    /** the other mode computes something else */
    modeMatters: z.boolean(),
    mayChange: z.array(z.string()),
    changesBuffers: z.array(z.string()),
    fixedRng: z.boolean(),
  }),
  numerics: z.object({ precision: Precision, tolerance: z.enum(["budget", "kernelbench"]), longestSum: z.number() }),
  environment: DeviceFacts,
  performance: z.object({ floor: Floor }),
  graph: Graph,
});
export type Contract = z.infer<typeof Contract>;
