/** The null device's machine: round numbers, so that a reader can check every derived one. */
export const nullFacts = {
  kind: "null",
  name: "null device",
  architecture: "none",
  cores: 2,
  threads: 2,
  memoryBytes: 16e9,
  cacheBytes: 32e6,
  os: "none",
  python: "none",
  torch: "none",
  compile: false,
  compiler: null,
  libraries: {},
  rates: { copy: 10e9, matrix: { float32: 100e9 }, vector: { float32: 10e9 } },
  isolation: [],
  profiler: { available: true, why: "null" },
};

const matrix = { dtype: "float32", shape: [1024, 1024], strides: [1024, 1] };

/** Every problem on the null device is y = gelu(x · 2) over 1024 × 1024 float32: 8 MiB unavoidable, 16 MiB operator by operator. */
export const nullTrace = {
  graph: {
    values: { x: matrix, scaled: matrix, y: matrix },
    inputs: [{ id: "x", role: "input", name: "x" }],
    nodes: [
      {
        id: "n0",
        op: "mul",
        target: "aten.mul.Tensor",
        args: { self: { value: "x" }, other: { literal: 2 } },
        positional: ["self", "other"],
        outputs: ["scaled"],
        mutates: [],
        module: "",
      },
      {
        id: "n1",
        op: "gelu",
        target: "aten.gelu.default",
        args: { self: { value: "scaled" }, approximate: { literal: "none" } },
        positional: ["self"],
        outputs: ["y"],
        mutates: [],
        module: "",
      },
    ],
    output: { tensor: "y" },
  },
  inputs: [{ name: "x", tensor: { ...matrix, id: "x", device: "cpu" } }],
  outputs: [{ ...matrix, id: "y", device: "cpu", path: "" }],
  structure: { tensor: "y" },
  initArguments: [],
  fixedArguments: {},
  state: [],
  mutatedInputs: [],
  training: false,
  modeMatters: false,
  work: { bytes: 8 * 2 ** 20, operations: { matrix: 0, vector: 10 * 2 ** 20 }, dtype: "float32", longestSum: 1 },
};
