import type { Contract } from "../../problem/contract.ts";
import { rootOf, type ValueId } from "../../problem/graph.ts";
import { bytes, dtypeBytes } from "../../problem/tensor.ts";
import { portsOf } from "../../spaces/ports.ts";
import type { Dialect } from "./dialect.ts";
import { hugeFrom, hugePages, pointerType } from "./native-text.ts";
import type { Emitted } from "./recipe.ts";
import { planWorkspace } from "./workspace.ts";

/** Where a value's first element is: a base pointer's expression and a byte offset. */
export interface Place {
  readonly base: string;
  readonly bytes: number;
}

/** One translation unit that runs the steps in order; intermediate tensors share one workspace. */
export function assembleNative(contract: Contract, steps: readonly Emitted[], dialect: Dialect): string {
  const { given, outputs } = portsOf(contract);
  const named = new Map([...given, ...outputs].map((port) => [port.id, `args->${port.cName}`]));
  const constants = contract.graph.inputs.filter((input) => input.role === "constant" && input.data !== undefined);
  for (const { id } of constants) named.set(id, `hiera_${id}`);

  const inner = new Map<ValueId, { from: number; to: number }>();
  steps.forEach((step, at) => {
    for (const { value } of step.parameters) {
      const root = rootOf(contract.graph, value);
      if (!named.has(root)) inner.set(root, { from: inner.get(root)?.from ?? at, to: at });
    }
  });
  const lifetimes = [...inner].map(([value, life]) => ({ value, bytes: valueBytes(contract, value), ...life }));
  const workspace = planWorkspace(lifetimes);
  const scratch = Math.max(0, ...steps.map((step) => step.scratchBytes));

  const place = (id: ValueId): Place => {
    const root = rootOf(contract.graph, id);
    const value = contract.graph.values[id];
    const offset = (value?.view?.offset ?? 0) * (value ? dtypeBytes[value.dtype] : 0);
    const base = named.get(root);
    return base ? { base, bytes: offset } : { base: "workspace", bytes: (workspace.offsets.get(root) ?? 0) + offset };
  };
  const calls = steps.map((step) => {
    const pointers = step.parameters.map(({ value }) => place(value)).map(({ base, bytes }) => `hiera_at(${base}, ${bytes})`);
    return `  if (int status = ${step.symbol}(${[...pointers, `hiera_at(workspace, ${workspace.bytes})`].join(", ")}, static_cast<hiera_stream>(stream))) return status;`;
  });
  const huge = outputs.filter((port) => dialect.name === "c++" && bytes(port.type) >= hugeFrom);
  return [
    dialect.prelude,
    pointerType,
    ...(huge.length > 0 ? [hugePages] : []),
    ...constants.map((input) => constantLine(contract, input.id, input.data ?? [])),
    ...unique(steps.map((step) => step.code)),
    `extern "C" int64_t hiera_workspace_bytes() { return ${workspace.bytes + scratch}; }`,
    'extern "C" int hiera_forward(const HieraArgs* args, void* workspace, void* stream) {',
    ...(dialect.name === "c++" ? ["  omp_set_num_threads(static_cast<int>(args->threads));"] : []),
    ...huge.map((port) => `  hiera_huge_pages(args->${port.cName}, ${bytes(port.type)});`),
    ...calls,
    "  return 0;",
    "}",
    "",
  ].join("\n");
}

const unique = (items: readonly string[]) => [...new Set(items)];

/** Bytes that a value's elements span; a layout with gaps is allocated row-major. */
const valueBytes = (contract: Contract, id: ValueId): number => {
  const value = contract.graph.values[id];
  return value ? bytes(value) : 0;
};

const words: Readonly<Record<string, string>> = { nan: "NAN", inf: "INFINITY", "-inf": "-INFINITY" };

function constantLine(contract: Contract, id: ValueId, data: readonly (number | string | boolean)[]): string {
  const type = { float64: "double", float32: "float", int64: "int64_t", int32: "int32_t", bool: "bool" } as Record<
    string,
    string
  >;
  const dtype = contract.graph.values[id]?.dtype ?? "float32";
  return `static const ${type[dtype] ?? "float"} hiera_${id}[] = {${data.map((item) => words[String(item)] ?? String(item)).join(", ")}};`;
}
