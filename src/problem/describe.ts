import type { Contract, DeviceFacts, Floor } from "./contract.ts";
import { type Arg, type Graph, leaves, type Node, type Tree, type ValueId } from "./graph.ts";
import { bytes, isContiguous, type TensorType } from "./tensor.ts";

/** A part of the graph as far as it is described; planning's regions are such parts. */
export interface Part {
  readonly id: string;
  readonly kind: string;
  readonly nodes: readonly Node[];
  readonly reads: readonly ValueId[];
  readonly writes: readonly ValueId[];
}

/** The whole contract for a person to read, without the problem's source. */
export function describeContract(contract: Contract, parts: readonly Part[] = []): string {
  return [
    `${contract.problem.name}  (contract ${contract.hash.slice(0, 12)}, problem ${contract.problem.hash.slice(0, 12)})`,
    section("Interface", describeInterface(contract)),
    section("State", contract.state.map(stateLine)),
    section("Behaviour", describeBehaviour(contract)),
    section("Device", describeDevice(contract.environment)),
    section("Floor", describeFloor(contract.performance.floor)),
    section("Operators", describeGraph(contract.graph)),
    section(
      "Regions",
      parts.map((part) => describePart(contract.graph, part)),
    ),
  ]
    .filter(Boolean)
    .join("\n\n");
}

/** Empty where there is nothing to say. The last cell of a line runs free; those before it are aligned. */
function section(title: string, lines: readonly (readonly string[])[]): string {
  if (lines.length === 0) return "";
  const widthOf = (i: number) => Math.max(...lines.map((line) => (i < line.length - 1 ? (line[i] ?? "").length : 0)));
  const row = (line: readonly string[]) =>
    line.map((cell, i) => (i < line.length - 1 ? cell.padEnd(widthOf(i)) : cell)).join("  ");
  return [title, ...lines.map((line) => `  ${row(line)}`.trimEnd())].join("\n");
}

const typeOf = (t: TensorType): string =>
  `${t.dtype} [${t.shape.join(", ")}]${isContiguous(t) ? "" : ` strides [${t.strides.join(", ")}]`}`;

function describeInterface({ interface: face }: Contract): string[][] {
  const arguments_ = face.initArguments.length > 0 ? [["constructor", "", face.initArguments.join(", ")]] : [];
  const inputs = face.inputs.map(({ name, tensor, literal }) => [
    "input",
    name,
    tensor ? `${typeOf(tensor)}, ${size(bytes(tensor))}` : `${JSON.stringify(literal ?? null)}, passed unchanged`,
  ]);
  const outputs = face.outputs.map((o) => ["output", o.path || o.id, `${typeOf(o)}, ${size(bytes(o))}`]);
  return [...arguments_, ...inputs, ...outputs, ["returns", "", structureOf(face.structure)]];
}

function structureOf(tree: Tree): string {
  if ("tensor" in tree) return "tensor";
  if ("tuple" in tree) return `(${tree.tuple.map(structureOf).join(", ")}${tree.tuple.length === 1 ? "," : ""})`;
  if ("list" in tree) return `[${tree.list.map(structureOf).join(", ")}]`;
  if ("dict" in tree)
    return `{${Object.entries(tree.dict)
      .map(([key, value]) => `${key}: ${structureOf(value)}`)
      .join(", ")}}`;
  return JSON.stringify(tree.literal);
}

const stateLine = (s: Contract["state"][number]): string[] => [
  s.kind,
  s.name,
  typeOf(s),
  [s.role, s.constraint, s.usedBy.length > 0 && `used by ${s.usedBy.join(", ")}`, s.mutated && "changed: counts as an output"]
    .filter(Boolean)
    .join("; "),
];

function describeBehaviour({ behaviour, numerics }: Contract): string[][] {
  const { mode, mayChange, changesBuffers, fixedRng } = behaviour;
  return [
    ["mode", `${mode}${fixedRng ? ", random state fixed" : ""}`],
    ["may change", [...mayChange, ...changesBuffers].join(", ") || "nothing"],
    [
      "precision",
      `${numerics.precision}, judged by ${numerics.tolerance === "budget" ? "error budget against float64" : "KernelBench's allclose"}`,
    ],
    ["longest sum", `${numerics.longestSum} elements`],
  ];
}

const describeDevice = (d: DeviceFacts): string[][] => [
  ["name", `${d.name} (${d.kind}, ${d.architecture}), ${d.threads} of ${d.cores} cores, ${size(d.memoryBytes)}`],
  ["software", `${d.os}, Python ${d.python}, torch ${d.torch}${d.compile ? "" : " without torch.compile"}`],
  ["compiler", d.compiler ? `${d.compiler.command} ${d.compiler.version}` : "none"],
  [
    "libraries",
    Object.entries(d.libraries)
      .map(([name, { version }]) => `${name} ${version}`)
      .join(", ") || "none",
  ],
  [
    "rates",
    [`copy ${metric(d.rates.copy)}B/s`, ...rates("products", d.rates.matrix), ...rates("vector", d.rates.vector)].join(", "),
  ],
];

const rates = (what: string, byDtype: Record<string, number>): string[] =>
  Object.entries(byDtype).map(([dtype, rate]) => `${what} ${dtype} ${metric(rate)}FLOP/s`);

const describeFloor = (f: Floor): string[][] => [
  ["time", `${Number(f.ms.toPrecision(3))} ms, ${f.bound}-bound`],
  ["memory", `${size(f.bytes)} in ${Number(f.memoryMs.toPrecision(3))} ms`],
  ["compute", `${metric(f.operations)}FLOP in ${Number(f.computeMs.toPrecision(3))} ms`],
  ["assumes", f.assumes],
];

/** Graph inputs by the name that the problem gives them; other values by their id. */
function names(graph: Graph): (id: ValueId) => string {
  const given = new Map(graph.inputs.map(({ id, name }) => [id, name || id]));
  return (id) => given.get(id) ?? id;
}

/** One line an operator in execution order: result, operator, arguments, type. */
function describeGraph(graph: Graph): string[][] {
  const nameOf = names(graph);
  const operators = graph.nodes.map((node) => {
    const results = node.outputs.filter((id): id is ValueId => id !== null);
    const written = node.mutates.map((id) => ` writes ${nameOf(id)}`).join("");
    const types = results.map((id) => graph.values[id]).map((v) => (v ? typeOf(v) : "?"));
    return [node.id, results.map(nameOf).join(", "), `${node.op}(${argumentsOf(node, nameOf)})${written}`, types.join(", ")];
  });
  const opaque = graph.opaque === undefined ? [] : [["", "", "", `not to be taken apart: ${graph.opaque}`]];
  return [...operators, ["", "", `returns ${leaves(graph.output).map(nameOf).join(", ")}`, ""], ...opaque];
}

const argumentsOf = (node: Node, nameOf: (id: ValueId) => string): string =>
  Object.entries(node.args)
    .filter(([, arg]) => !("literal" in arg) || (arg.literal !== null && arg.literal !== false))
    .map(([name, arg]) => ("literal" in arg ? `${name}=${argument(arg, nameOf)}` : argument(arg, nameOf)))
    .join(", ");

function argument(arg: Arg, nameOf: (id: ValueId) => string): string {
  if ("value" in arg) return nameOf(arg.value);
  if ("values" in arg) return `[${arg.values.map((id) => (id === null ? "none" : nameOf(id))).join(", ")}]`;
  return typeof arg.literal === "string" ? arg.literal : JSON.stringify(arg.literal);
}

function describePart(graph: Graph, { id, kind, nodes, reads, writes }: Part): string[] {
  const nameOf = names(graph);
  const list = (ids: readonly ValueId[]) => [...new Set(ids)].map(nameOf).join(", ") || "nothing";
  const changes = nodes.flatMap((node) => node.mutates);
  return [id, kind, nodes.map((node) => node.op).join(" "), `reads ${list(reads)}; writes ${list([...writes, ...changes])}`];
}

const scales: readonly (readonly [number, string])[] = [
  [1e12, "T"],
  [1e9, "G"],
  [1e6, "M"],
  [1e3, "k"],
];

/** Three digits with a decimal prefix: `1.23 G`; the unit follows. */
function metric(value: number): string {
  const [scale, prefix] = scales.find(([least]) => value >= least) ?? [1, ""];
  return `${Number((value / scale).toPrecision(3))} ${prefix}`;
}

const size = (count: number): string => `${metric(count)}B`;
