import type { ValueId } from "../../../problem/graph.ts";
import type { Dtype } from "../../../problem/tensor.ts";
import type { Dialect } from "../dialect.ts";
import { type Definition, type Id, type Program, varies } from "../program.ts";
import type { Emitted } from "../recipe.ts";
import { scalar } from "./scalar.ts";

/** What a region's code calls its parameters, loop indices and values. */
export interface Names {
  readonly dialect: Dialect;
  readonly program: Program;
  readonly along: readonly (readonly boolean[])[];
  readonly parameters: Emitted["parameters"];
  /** `const float* __restrict in0`, … */
  readonly declared: readonly string[];
  /** what a kernel is called with: the parameters' names */
  readonly pointers: readonly string[];
  readonly pointer: (value: ValueId, access: "read" | "write") => string;
}

export function names(program: Program, dialect: Dialect, dtypeOf: (id: ValueId) => Dtype): Names {
  const read = [...new Set(program.definitions.flatMap((d) => (d.kind === "load" ? [d.base] : [])))];
  const written = program.stores.map((s) => s.value);
  const pointer = (value: ValueId, access: "read" | "write"): string =>
    access === "read" ? `in${read.indexOf(value)}` : `out${written.indexOf(value)}`;
  return {
    dialect,
    program,
    along: varies(program),
    parameters: [
      ...read.map((value) => ({ value, access: "read" as const })),
      ...written.map((value) => ({ value, access: "write" as const })),
    ],
    declared: [
      ...read.map((id, k) => `const ${dialect.storage(dtypeOf(id))}* __restrict in${k}`),
      ...written.map((id, k) => `${dialect.storage(dtypeOf(id))}* __restrict out${k}`),
    ],
    pointers: [...read.map((_, k) => `in${k}`), ...written.map((_, k) => `out${k}`)],
    pointer,
  };
}

/** offset + Σ stride·index, as text. */
export function address(offset: number, strides: readonly number[], index: (axis: number) => string): string {
  const terms = strides.flatMap((stride, k) => (stride === 0 ? [] : [stride === 1 ? index(k) : `${index(k)} * ${stride}`]));
  return [...(offset === 0 && terms.length > 0 ? [] : [String(offset)]), ...terms].join(" + ");
}

/** The right-hand side of one definition; `name` gives its operands. */
export function expression(n: Names, id: Id, name: (arg: Id) => string, index: (axis: number) => string): string {
  const d = n.program.definitions[id] as Definition;
  switch (d.kind) {
    case "load": {
      const element = n.dialect.load(`${n.pointer(d.base, "read")}[${address(d.offset, d.strides, index)}]`, d.dtype);
      return d.guard === undefined ? element : `(${name(d.guard)} ? ${element} : ${n.dialect.literal(0, d.dtype)})`;
    }
    case "constant":
      return n.dialect.literal(d.value, d.dtype);
    case "index":
      return `(${n.dialect.compute(d.dtype)})(${address(0, d.strides, index)})`;
    case "op":
      return scalar(n.program, d, d.args.map(name), n.dialect);
    case "reduce":
      throw new Error("a reduction has no expression at a point");
  }
}

export const type = (n: Names, id: Id): string => n.dialect.compute((n.program.definitions[id] as Definition).dtype);

/** Constants are written where they are used. */
export const isConstant = (n: Names, id: Id): boolean => n.program.definitions[id]?.kind === "constant";

/** Decodes a linear number into indices of the given axes, the last one fastest. */
export function decode(linear: string, axes: readonly { axis: number; size: number | string }[]): string[] {
  if (axes.length === 1) return [`const int64_t i${axes[0]?.axis} = ${linear};`];
  const lines = [`int64_t rest = ${linear};`];
  axes.toReversed().forEach(({ axis, size }, k) => {
    if (k === axes.length - 1) lines.push(`const int64_t i${axis} = rest;`);
    else lines.push(`const int64_t i${axis} = rest % ${size};`, `rest /= ${size};`);
  });
  return axes.length === 0 ? [] : lines;
}

const indent = (lines: readonly string[]): string[] =>
  lines.map((line) => (line.startsWith("#") || line === "" ? line : `  ${line}`));

/** `head {`, lines, `}`. */
export const block = (head: string, lines: readonly string[]): string[] => [`${head} {`, ...indent(lines), "}"];
