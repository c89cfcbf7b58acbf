import { HieraError } from "../errors.ts";
import type { Contract } from "../problem/contract.ts";
import { leaves, rootOf, type ValueId } from "../problem/graph.ts";
import { contiguousStrides, isDense, numel, type TensorType } from "../problem/tensor.ts";
import { literal, tuple } from "./python.ts";

/** A tensor that crosses the border of the native code: its C name, its Python expression, its type. */
export interface Port {
  /** the tensor that owns the memory */
  readonly id: ValueId;
  /** the tensor whose shape and strides the port shows: `id`, or its reshape that is returned */
  readonly shown: ValueId;
  readonly cName: string;
  readonly label: string;
  readonly python: string;
  readonly type: TensorType;
  readonly role: "input" | "state" | "attribute" | "output";
}

export interface Ports {
  readonly given: readonly Port[];
  readonly outputs: readonly Port[];
}

/** Names that Python allows and C++ does not. */
const cppKeywords =
  "alignas alignof and_eq asm auto bitand bitor bool case catch char compl const constexpr default delete do double enum explicit export extern float friend goto inline int long mutable namespace new noexcept not_eq nullptr operator or_eq private protected public register short signed sizeof static struct switch template this throw true false try typedef typeid typename union unsigned using virtual void volatile xor xor_eq".split(
    " ",
  );

const identifier = (text: string) => text.replace(/[^A-Za-z0-9_]/g, "_").replace(/^(?=\d)/, "_");

/** forward's parameters as written in Python; `*args` where the reference's own names cannot be used. */
export function parameterList(contract: Contract): { signature: string; names: string[] } {
  const names = contract.interface.inputs.map((input) => input.name);
  const usable = new Set(names).size === names.length && names.every((name) => /^[A-Za-z_]\w*$/.test(name) && name !== "self");
  return usable
    ? { signature: names.join(", "), names }
    : { signature: "*inputs", names: names.map((_, index) => `inputs[${index}]`) };
}

/** Every tensor of the contract, inputs first, then state, attributes and outputs; C names are unique. */
export function portsOf(contract: Contract): Ports {
  const taken = new Set(["threads", "args", "workspace", "stream", ...cppKeywords]);
  const unique = (wish: string) => {
    let name = identifier(wish);
    while (taken.has(name)) name += "_";
    taken.add(name);
    return name;
  };
  const { names } = parameterList(contract);
  const inputs = contract.interface.inputs.flatMap((input, index): Port[] =>
    input.tensor
      ? [
          {
            id: input.tensor.id,
            shown: input.tensor.id,
            cName: unique(input.name),
            label: input.name,
            python: names[index] as string,
            type: input.tensor,
            role: "input",
          },
        ]
      : [],
  );
  const state = contract.state.map(
    (entry): Port => ({
      id: entry.id,
      shown: entry.id,
      cName: unique(entry.name),
      label: entry.name,
      python: attribute(entry.name),
      type: entry,
      role: "state",
    }),
  );
  const attributes = contract.graph.inputs.flatMap((input): Port[] => {
    const value = contract.graph.values[input.id];
    return input.role === "attribute" && value
      ? [
          {
            id: input.id,
            shown: input.id,
            cName: unique(input.name),
            label: input.name,
            python: attribute(input.name),
            type: value,
            role: "attribute",
          },
        ]
      : [];
  });
  const given = [...inputs, ...state, ...attributes];
  const produced = [...new Set(leaves(contract.interface.structure))].filter((id) => !aliasOf(contract, id));
  const roots = [...new Set(produced.map((id) => rootOf(contract.graph, id)))];
  const outputs = roots.map((root, index): Port => {
    const name = unique(roots.length === 1 ? "out" : `out${index}`);
    const shown = shownAs(contract, root, produced);
    const type = contract.graph.values[shown] as TensorType;
    const strides = isDense(type) ? type.strides : contiguousStrides(type.shape);
    return { id: root, shown, cName: name, label: `output ${index}`, python: name, type: { ...type, strides }, role: "output" };
  });
  return { given, outputs };
}

/** A tensor returned once, as a mere reshape, is allocated in the shape that is returned; otherwise in its own. */
function shownAs(contract: Contract, root: ValueId, produced: readonly ValueId[]): ValueId {
  const shown = produced.filter((id) => rootOf(contract.graph, id) === root);
  const [only] = shown;
  const value = only === undefined ? undefined : contract.graph.values[only];
  const base = contract.graph.values[root];
  const plain =
    shown.length === 1 && value && base && isDense(value) && numel(value) === numel(base) && (value.view?.offset ?? 0) === 0;
  return plain && only !== undefined ? only : root;
}

const pythonKeywords = new Set(
  "and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield".split(
    " ",
  ),
);
const plainName = (text: string) => /^[A-Za-z_]\w*$/.test(text) && !pythonKeywords.has(text);

/** `self.layers[0].weight` is written `self.layers.0.weight` in a state_dict; Python needs getattr for the digits. */
export function attribute(path: string): string {
  return path
    .split(".")
    .reduce((owner, part) => (plainName(part) ? `${owner}.${part}` : `getattr(${owner}, ${JSON.stringify(part)})`), "self");
}

/** An output that is one of the given tensors, or a view of one: returned as such, as the reference does. */
function aliasOf(contract: Contract, id: ValueId): { base: ValueId; offset: number } | null {
  const view = contract.graph.values[id]?.view ?? { base: id, offset: 0 };
  return contract.graph.inputs.some((input) => input.id === view.base) ? view : null;
}

/** A returned tensor as a Python expression over the ports' names. */
export function tensorExpression(contract: Contract, ports: readonly Port[], id: ValueId): string {
  const port = ports.find((candidate) => candidate.id === rootOf(contract.graph, id));
  if (port === undefined) throw new HieraError("infrastructure", `the trace returns a tensor that nothing makes: ${id}`);
  if (port.shown === id) return port.python;
  const type = contract.graph.values[id] as TensorType;
  const offset = contract.graph.values[id]?.view?.offset ?? 0;
  return `${port.python}.as_strided(${tuple(type.shape)}, ${tuple(type.strides)}, ${port.python}.storage_offset() + ${offset})`;
}

/** Lines after the class that refuse constructor arguments whose values the code does not have. */
export function constructorLines(contract: Contract): string[] {
  const expected = Object.entries(contract.interface.fixedArguments);
  if (expected.length === 0) return [];
  return [
    "",
    "",
    "_hiera_constructor = ModelNew.__init__",
    "",
    "",
    "def _hiera_construct(self, *args, **kwargs):",
    `    _hiera_constructed(Model.__init__, args, kwargs, {${expected.map(([name, source]) => `${JSON.stringify(name)}: ${source}`).join(", ")}})`,
    "    _hiera_constructor(self, *args, **kwargs)",
    "",
    "",
    "ModelNew.__init__ = _hiera_construct",
  ];
}

/** Lines that refuse any argument that the code was not made for, naming found and expected. */
export function checkLines(contract: Contract, ports: readonly Port[]): string[] {
  const { names } = parameterList(contract);
  const plain = contract.interface.inputs.flatMap((input, index) =>
    input.tensor ? [] : [`_hiera_same(${JSON.stringify(input.name)}, ${names[index]}, ${literal(input.literal ?? null)})`],
  );
  const { mode, modeMatters } = contract.behaviour;
  const modes = modeMatters ? [`_hiera_mode(self.training, ${literal(mode === "train")})`] : [];
  const device = contract.environment.kind === "cuda" ? "cuda" : "cpu";
  const tensors = ports.map(
    ({ label, python, type }) =>
      `_hiera_check(${JSON.stringify(label)}, ${python}, _torch.${type.dtype}, ${tuple(type.shape)}, ${tuple(type.strides)}, "${device}")`,
  );
  return [...modes, ...plain, ...tensors];
}
