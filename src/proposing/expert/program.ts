import type { ValueId } from "../../problem/graph.ts";
import type { Dtype } from "../../problem/tensor.ts";

/**
 * A region lowered to scalar code over one index space: definitions in order, each a number for every point (or every row), and stores.
 * `dtype` is what the trace says; 16-bit floating values are held in float, unrounded until stored.
 */
export interface Program {
  /** in memory order, outermost first */
  readonly axes: readonly Axis[];
  readonly definitions: readonly Definition[];
  readonly stores: readonly Store[];
}

export interface Axis {
  readonly size: number;
  readonly reduced: boolean;
}

/** Index of a definition. */
export type Id = number;

export type Definition =
  /** element at offset + Σ strides·i of a base; strides by axis */
  | {
      readonly kind: "load";
      readonly base: ValueId;
      readonly offset: number;
      readonly strides: readonly number[];
      readonly dtype: Dtype;
      /** read only where this holds, else 0 */
      readonly guard?: Id;
    }
  | { readonly kind: "constant"; readonly value: number; readonly dtype: Dtype }
  /** Σ strides·i itself */
  | { readonly kind: "index"; readonly strides: readonly number[]; readonly dtype: "int32" | "int64" }
  | { readonly kind: "op"; readonly op: string; readonly args: readonly Id[]; readonly dtype: Dtype }
  /** over all reduced axes */
  | { readonly kind: "reduce"; readonly op: Reduction; readonly arg: Id; readonly dtype: Dtype };

/** max and min propagate NaN */
export type Reduction = "sum" | "prod" | "max" | "min";

export interface Store {
  readonly value: ValueId;
  readonly definition: Id;
  readonly strides: readonly number[];
  readonly dtype: Dtype;
  /** once a row, not once a point */
  readonly kept: boolean;
}

export function operands(d: Definition): readonly Id[] {
  if (d.kind === "op") return d.args;
  if (d.kind === "reduce") return [d.arg];
  return d.kind === "load" && d.guard !== undefined ? [d.guard] : [];
}

/** Which axes each definition varies along. */
export function varies(program: Program): boolean[][] {
  const along: boolean[][] = [];
  for (const d of program.definitions) {
    const own = d.kind === "load" || d.kind === "index" ? d.strides : [];
    along.push(
      program.axes.map(
        (axis, k) =>
          (own[k] ?? 0) !== 0 || (!(d.kind === "reduce" && axis.reduced) && operands(d).some((arg) => along[arg]?.[k] === true)),
      ),
    );
  }
  return along;
}

/** Without definitions that no store needs. */
export function prune(program: Program): Program {
  const needed = new Set<Id>(program.stores.map((s) => s.definition));
  program.definitions
    .map((d, id) => ({ d, id }))
    .toReversed()
    .forEach(({ d, id }) => {
      if (needed.has(id)) for (const arg of operands(d)) needed.add(arg);
    });
  const renamed = new Map([...needed].sort((a, b) => a - b).map((id, k) => [id, k]));
  const to = (id: Id): Id => renamed.get(id) as Id;
  return {
    axes: program.axes,
    stores: program.stores.map((s) => ({ ...s, definition: to(s.definition) })),
    definitions: program.definitions
      .filter((_, id) => needed.has(id))
      .map((d) => {
        if (d.kind === "op") return { ...d, args: d.args.map(to) };
        if (d.kind === "reduce") return { ...d, arg: to(d.arg) };
        return d.kind === "load" && d.guard !== undefined ? { ...d, guard: to(d.guard) } : d;
      }),
  };
}

/** Writes definitions, each once however often it is asked for. */
export class Builder {
  readonly definitions: Definition[] = [];
  readonly #known = new Map<string, Id>();

  add(definition: Definition): Id {
    const key = JSON.stringify(definition, (_, v) =>
      typeof v === "number" && (!Number.isFinite(v) || Object.is(v, -0)) ? `${Object.is(v, -0) ? "-" : ""}${v}` : v,
    );
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    this.#known.set(key, this.definitions.length);
    return this.definitions.push(definition) - 1;
  }

  constant(value: number, dtype: Dtype): Id {
    return this.add({ kind: "constant", value, dtype });
  }

  op(op: string, args: readonly Id[], dtype: Dtype): Id {
    return this.add({ kind: "op", op, args, dtype });
  }

  reduce(op: Reduction, arg: Id, dtype: Dtype): Id {
    return this.add({ kind: "reduce", op, arg, dtype });
  }

  dtype(id: Id): Dtype {
    return (this.definitions[id] as Definition).dtype;
  }

  /** The value converted as PyTorch converts it; a constant is converted here. */
  cast(id: Id, dtype: Dtype): Id {
    const from = this.definitions[id] as Definition;
    if (from.dtype === dtype) return id;
    if (from.kind === "constant") {
      const float = dtype.startsWith("float") || dtype === "bfloat16";
      return this.constant(float ? from.value : dtype === "bool" ? Number(from.value !== 0) : Math.trunc(from.value), dtype);
    }
    return this.op("cast", [id], dtype);
  }
}
