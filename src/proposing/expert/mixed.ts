import type { Contract } from "../../problem/contract.ts";
import type { ValueId } from "../../problem/graph.ts";
import { bytes, contiguousStrides, isDense, type TensorType } from "../../problem/tensor.ts";
import { tuple } from "../../spaces/python.ts";
import type { Dialect } from "./dialect.ts";
import { hugeFrom, hugePages, pointerType } from "./native-text.ts";
import type { Emitted } from "./recipe.ts";
import { namesOf, type Step } from "./torch/straightline.ts";

/** Own kernels as `extern "C"` functions of (pointers: parameters, then scratch; threads), for PyTorch code to call. */
export function kernelsFile(contract: Contract, steps: readonly Emitted[], dialect: Dialect): string {
  return [
    dialect.prelude,
    pointerType,
    ...(dialect.name === "c++" ? [hugePages] : []),
    ...new Set(steps.map((step) => step.code)),
    ...steps.map((step) => entry(contract, step, dialect)),
  ].join("\n");
}

function entry(contract: Contract, { symbol, parameters }: Emitted, dialect: Dialect): string {
  const pointers = parameters.map((_, index) => `hiera_at(p[${index}], 0)`);
  const huge = parameters.flatMap(({ value, access }, index) => {
    const size = bytes(contract.graph.values[value] as TensorType);
    return access === "write" && size >= hugeFrom && dialect.name === "c++" ? [`  hiera_huge_pages(p[${index}], ${size});`] : [];
  });
  return [
    `extern "C" int hiera_${symbol}(void* const* p, int threads) {`,
    ...(dialect.name === "c++" ? ["  omp_set_num_threads(threads);"] : ["  (void)threads;"]),
    ...huge,
    `  return ${symbol}(${[...pointers, `hiera_at(p[${parameters.length}], 0)`].join(", ")}, nullptr);`,
    "}",
  ].join("\n");
}

/** The region as a step of forward: outputs allocated, layouts of PyTorch's own results checked, one call. */
export function kernelStep(contract: Contract, { symbol, parameters, scratchBytes }: Emitted): Step {
  const name = namesOf(contract);
  // the wrapper checks the inputs, and constants are the file's own
  const sure = new Set(contract.graph.inputs.filter(({ role }) => role === "input" || role === "constant").map(({ id }) => id));
  const type = (id: ValueId) => contract.graph.values[id] as TensorType;
  const read = parameters.filter(({ access }) => access === "read").map(({ value }) => value);
  const write = parameters.filter(({ access }) => access === "write").map(({ value }) => value);
  const device = contract.environment.kind === "cuda" ? "cuda" : "cpu";
  const checks = read
    .filter((id) => !sure.has(id))
    .map((id) => {
      const { dtype, shape, strides } = type(id);
      return `_hiera_check("${id}", ${name(id)}, torch.${dtype}, ${tuple(shape)}, ${tuple(strides)}, "${device}")`;
    });
  const allocations = write.map((id) => {
    const { dtype, shape, strides } = type(id);
    const layout = isDense(type(id)) ? strides : contiguousStrides(shape);
    return `${name(id)} = torch.empty_strided(${tuple(shape)}, ${tuple(layout)}, dtype=torch.${dtype})`;
  });
  const tensors = parameters.map(({ value }) => name(value));
  return {
    lines: [...checks, ...allocations, `_call(_kernels.hiera_${symbol}, ${tuple(tensors)}, ${scratchBytes})`],
    reads: read,
    writes: write,
  };
}

/** Python that calls one of the functions of `kernelsFile`. */
export const callHelper = [
  "_kernels = load_kernels()",
  "",
  "",
  "def _call(function, tensors, scratch):",
  "    pointers = (ctypes.c_void_p * (len(tensors) + 1))(*[t.data_ptr() for t in tensors], _hiera_workspace(scratch))",
  "    status = function(pointers, torch.get_num_threads())",
  "    if status != 0:",
  '        raise RuntimeError("native code failed with status %d" % status)',
];
