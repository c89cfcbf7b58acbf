import type { Contract } from "../../../problem/contract.ts";
import { type Arg, type Literal, leaves, type Node, reads, type ValueId } from "../../../problem/graph.ts";
import { attribute, parameterList } from "../../../spaces/ports.ts";
import { literal, structureExpression, tuple } from "../../../spaces/python.ts";

/** One statement group of forward: an operator as traced, or lines that make the same values in another way. */
export type Step =
  | { readonly node: Node }
  | { readonly lines: readonly string[]; readonly reads: readonly ValueId[]; readonly writes: readonly ValueId[] };

/**
 * forward as one operator call after another, from the trace. Views are made where they are first needed.
 * @param prelude Python lines before the class
 */
export function straightline(contract: Contract, steps: readonly Step[], prelude: readonly string[] = []): string {
  const { graph } = contract;
  const name = namesOf(contract);
  const views = graph.nodes.filter((node) => isView(contract, node));
  const known = new Set(graph.inputs.map((input) => input.id));
  const lines: string[] = [];
  const make = (id: ValueId): void => {
    if (known.has(id)) return;
    const view = views.find((node) => node.outputs.includes(id));
    if (view === undefined) throw new Error(`value ${id} is read before any step makes it`);
    reads(view).forEach(make);
    lines.push(nodeLine(view, name));
    for (const output of view.outputs) if (output !== null) known.add(output);
  };
  for (const step of steps) {
    const [read, write] = "node" in step ? [reads(step.node), step.node.outputs] : [step.reads, step.writes];
    read.forEach(make);
    lines.push(...("node" in step ? [nodeLine(step.node, name)] : step.lines));
    for (const output of write) if (output !== null) known.add(output);
  }
  leaves(contract.interface.structure).forEach(make);
  const constants = graph.inputs.filter((input) => input.role === "constant").map((input) => constantLine(contract, input.id));
  const { signature } = parameterList(contract);
  return [
    "aten = torch.ops.aten",
    ...constants,
    ...(graph.nodes.some((node) => node.op.startsWith("module:")) ? flatHelper : []),
    ...prelude,
    "",
    "",
    "class ModelNew(Model):",
    `    def forward(self${signature === "" ? "" : `, ${signature}`}):`,
    ...lines.map((line) => `        ${line}`),
    `        return ${structureExpression(contract.interface.structure, name)}`,
    "",
  ].join("\n");
}

/** Why the graph cannot be written operator by operator; null where it can. */
export function refusesStraightline(contract: Contract): string | null {
  const { graph } = contract;
  const large = graph.inputs.find((input) => input.role === "constant" && input.data === undefined);
  if (graph.opaque !== undefined) return graph.opaque;
  return large === undefined ? null : `forward makes a large constant tensor (${large.id}) that the trace does not hold`;
}

/** A call without work: every result shares memory with an argument. */
export const isView = ({ graph }: Contract, node: Node): boolean =>
  node.mutates.length === 0 &&
  node.outputs.some((id) => id !== null) &&
  node.outputs.every((id) => id === null || graph.values[id]?.view !== undefined);

type Names = (id: ValueId) => string;

/** Python's name of each value: an argument, an attribute of the module, or the value's own id. */
export function namesOf(contract: Contract): Names {
  const { names } = parameterList(contract);
  const given = new Map(
    contract.graph.inputs.map((input) => [input.id, input.role === "constant" ? input.id : attribute(input.name)]),
  );
  contract.interface.inputs.forEach((input, index) => {
    if (input.tensor) given.set(input.tensor.id, names[index] as string);
  });
  return (id) => given.get(id) ?? id;
}

const flatHelper = [
  "",
  "",
  "def _flat(value):",
  "    return [value] if torch.is_tensor(value) else [t for part in value if part is not None for t in _flat(part)]",
];

/** Operators whose result is a list, also where it holds one tensor. */
const listOperators = new Set(["split", "split_with_sizes", "unbind", "chunk", "unsafe_chunk", "tensor_split"]);

function nodeLine(node: Node, name: Names): string {
  const call = node.op.startsWith("module:")
    ? `_flat(${attribute(node.target)}(${callArguments(node, name)}))`
    : operatorCall(node, name);
  const made = node.outputs.map((id) => (id === null || node.mutates.includes(id) ? "_" : name(id)));
  if (made.every((target) => target === "_" || target.startsWith("self."))) return call;
  const unpack = made.length > 1 || node.op.startsWith("module:") || listOperators.has(node.op);
  return `${unpack ? tuple(made).slice(1, -1) : made[0]} = ${call}`;
}

const operatorCall = (node: Node, name: Names): string =>
  `torch.ops.${node.target}(${callArguments(node, name)})`.replace("torch.ops.aten.", "aten.");

/** Positional arguments in order, then the others that are given. */
function callArguments(node: Node, name: Names): string {
  const rest = Object.entries(node.args).filter(
    ([key, arg]) => !node.positional.includes(key) && !("literal" in arg && arg.literal === null),
  );
  return [
    ...node.positional.map((key) => argument(node.args[key] ?? { literal: null }, name)),
    ...rest.map(([key, arg]) => `${key}=${argument(arg, name)}`),
  ].join(", ");
}

function argument(arg: Arg, name: Names): string {
  if ("value" in arg) return name(arg.value);
  if ("values" in arg) return `[${arg.values.map((id) => (id === null ? "None" : name(id))).join(", ")}]`;
  return arg.float ? `${arg.literal}.0` : plain(arg.literal);
}

/** Written as it is: a dtype or layout, and an integer that JSON cannot hold. */
const verbatim = /^(torch\.\w+|-?\d{16,})$/;

const plain = (value: Literal): string => {
  if (Array.isArray(value)) return `[${value.map(plain).join(", ")}]`;
  return typeof value === "string" && verbatim.test(value) ? value : literal(value);
};

function constantLine({ graph }: Contract, id: ValueId): string {
  const data = graph.inputs.find((input) => input.id === id)?.data ?? [];
  const { dtype, shape } = graph.values[id] ?? { dtype: "float32", shape: [] };
  return `${id} = torch.tensor(${literal([...data])}, dtype=torch.${dtype}).reshape(${tuple(shape)})`;
}
