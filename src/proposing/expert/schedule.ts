import { type Dtype, dtypeBytes } from "../../problem/tensor.ts";
import { type Definition, type Id, operands, type Program, type Store, varies } from "./program.ts";
import { isDear } from "./render/scalar.ts";

/** Axes merged wherever every access walks them as one. */
export function coalesce(program: Program): Program {
  const accesses = [...program.definitions.filter((d) => d.kind === "load" || d.kind === "index"), ...program.stores].map(
    (a) => a.strides,
  );
  const groups: number[][] = [];
  program.axes.forEach((axis, k) => {
    const before = groups.at(-1)?.at(-1);
    const together =
      before !== undefined &&
      program.axes[before]?.reduced === axis.reduced &&
      accesses.every((s) => s[before] === (s[k] as number) * axis.size);
    if (together) groups.at(-1)?.push(k);
    else groups.push([k]);
  });
  const merged = <T extends { strides: readonly number[] }>(a: T): T => ({
    ...a,
    strides: groups.map((g) => a.strides[g.at(-1) as number]),
  });
  return {
    axes: groups.map((g) => ({
      size: g.reduce((n, k) => n * (program.axes[k]?.size ?? 1), 1),
      reduced: program.axes[g[0] as number]?.reduced ?? false,
    })),
    definitions: program.definitions.map((d) => (d.kind === "load" || d.kind === "index" ? merged(d) : d)),
    stores: program.stores.map(merged),
  };
}

/** Where a value that a later pass needs again is kept: in an output's own row, or in a buffer of the row's length. */
export interface Kept {
  readonly id: Id;
  readonly dtype: Dtype;
  readonly store: Store | null;
}

/** One walk over a row: what it computes at each point, in order, and what it sums up. */
export interface Pass {
  readonly points: readonly Id[];
  /** values fetched from where an earlier pass kept them */
  readonly fetched: readonly Kept[];
  readonly kept: readonly Kept[];
  readonly reductions: readonly Id[];
  readonly stores: readonly Store[];
  /** once a row, before the walk */
  readonly before: readonly Id[];
}

export interface Schedule {
  readonly passes: readonly Pass[];
  /** once a row, after the last walk */
  readonly after: readonly Id[];
  readonly stores: readonly Store[];
  readonly buffers: readonly Kept[];
}

/** What to do with a value that several passes need: `keep` where computing it is dear, `recompute` always. */
export type Policy = "keep" | "recompute";

/**
 * Cuts a program with reductions into passes over the row. A definition is at the pass where its last reduction is complete.
 * @param bufferLimit bytes that one row's buffer may take; longer rows recompute
 */
export function schedule(program: Program, policy: Policy, bufferLimit: number): Schedule {
  const { definitions } = program;
  const along = varies(program);
  const perPoint = (id: Id): boolean => program.axes.some((axis, k) => axis.reduced && along[id]?.[k]);
  const pass: number[] = [];
  for (const d of definitions) pass.push(Math.max(0, ...operands(d).map((arg) => at(arg))));
  const last = Math.max(
    0,
    ...definitions.map((d, id) => (d.kind === "reduce" ? (pass[id] as number) : 0)),
    ...program.stores.filter((s) => !s.kept).map((s) => at(s.definition)),
  );
  /** first pass in which a definition's value is known */
  function at(id: Id): number {
    return (pass[id] as number) + (definitions[id]?.kind === "reduce" ? 1 : 0);
  }
  const length = program.axes.reduce((n, axis) => (axis.reduced ? n * axis.size : n), 1);
  const goals = Array.from({ length: last + 1 }, (_, p): Id[] => [
    ...definitions.flatMap((d, id) => (d.kind === "reduce" && pass[id] === p ? [d.arg] : [])),
    ...program.stores.filter((s) => !s.kept && at(s.definition) === p).map((s) => s.definition),
  ]);
  const keeps = kept(program, goals, at, perPoint, policy, length, bufferLimit);
  const known = new Set<Id>();
  const passes = goals.map((goal, p): Pass => {
    const fetched = keeps.filter((k) => at(k.id) < p);
    const needed = closure(definitions, goal.concat(keeps.filter((k) => at(k.id) === p).map((k) => k.id)), (id) =>
      fetched.some((k) => k.id === id),
    );
    const before = closure(
      definitions,
      needed.filter((id) => !perPoint(id)),
      () => false,
    ).filter((id) => !known.has(id) && !perPoint(id) && at(id) <= p);
    const rowOnly = before.filter((id) => definitions[id]?.kind !== "reduce");
    for (const id of rowOnly) known.add(id);
    const points = needed.filter((id) => perPoint(id));
    return {
      points: points.filter((id) => !fetched.some((k) => k.id === id)),
      fetched: fetched.filter((k) => points.includes(k.id)),
      kept: keeps.filter((k) => at(k.id) === p && k.store?.definition !== k.id),
      reductions: definitions.flatMap((d, id) => (d.kind === "reduce" && pass[id] === p ? [id] : [])),
      stores: program.stores.filter((s) => !s.kept && at(s.definition) === p),
      before: rowOnly,
    };
  });
  const stores = program.stores.filter((s) => s.kept);
  const after = closure(
    definitions,
    stores.map((s) => s.definition),
    () => false,
  ).filter((id) => !known.has(id) && definitions[id]?.kind !== "reduce" && !perPoint(id));
  return { passes, after, stores, buffers: keeps.filter((k) => k.store === null) };
}

/** Everything that the goals need, in order of definition, not looking past reductions or what `stop` names. */
function closure(definitions: readonly Definition[], goals: readonly Id[], stop: (id: Id) => boolean): Id[] {
  const found = new Set<Id>();
  const stack = [...goals];
  for (let id = stack.pop(); id !== undefined; id = stack.pop()) {
    if (found.has(id)) continue;
    found.add(id);
    const d = definitions[id] as Definition;
    if (d.kind !== "reduce" && !stop(id)) stack.push(...operands(d));
  }
  return [...found].sort((a, b) => a - b);
}

/** Values computed once though several passes need them. A written value is read back from its output. */
function kept(
  program: Program,
  goals: readonly (readonly Id[])[],
  at: (id: Id) => number,
  perPoint: (id: Id) => boolean,
  policy: Policy,
  length: number,
  bufferLimit: number,
): Kept[] {
  const { definitions } = program;
  const isKept = new Map<Id, Kept>();
  const plainStore = (id: Id): Store | undefined =>
    program.stores.find(
      (s) => s.definition === id && !s.kept && dtypeBytes[s.dtype] === dtypeBytes[(definitions[id] as Definition).dtype],
    );
  const dearly = (id: Id): boolean =>
    isDear(definitions[id] as Definition) ||
    operands(definitions[id] as Definition).some((arg) => perPoint(arg) && !isKept.has(arg) && dearly(arg));
  const free = new Set(program.stores.filter((s) => !s.kept));
  for (let p = 1; p < goals.length; p++) {
    const needed = closure(definitions, goals[p] as Id[], (id) => isKept.has(id));
    const old = needed.filter((id) => perPoint(id) && at(id) < p && definitions[id]?.kind === "op" && !isKept.has(id));
    /* the outermost of the old values: nothing else old is computed from them here */
    const frontier = old.filter((id) => !old.some((user) => operands(definitions[user] as Definition).includes(id)));
    for (const id of frontier) {
      const { dtype } = definitions[id] as Definition;
      const own = plainStore(id);
      if (own) {
        free.delete(own);
        isKept.set(id, { id, dtype, store: own });
      } else if (policy === "keep" && dearly(id)) {
        if (dtype === "float16" || dtype === "bfloat16") continue;
        const spare = [...free].find((s) => s.dtype === dtype && at(s.definition) >= goals.length - 1 && writesAll(program, s));
        if (spare) {
          free.delete(spare);
          isKept.set(id, { id, dtype, store: spare });
        } else if (length * dtypeBytes[dtype] <= bufferLimit) isKept.set(id, { id, dtype, store: null });
      }
    }
  }
  return [...isKept.values()];
}

/** One place for each point: an output's row can hold a value until the output itself is written. */
const writesAll = (program: Program, store: Store): boolean =>
  program.axes.every((axis, k) => axis.size === 1 || store.strides[k] !== 0);
