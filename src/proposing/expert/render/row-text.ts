import type { Id, Store } from "../program.ts";
import type { Pass, Schedule } from "../schedule.ts";
import { address, expression, isConstant, type Names, type } from "./names.ts";

/** Text of one walk over a row that is the same in both dialects. `lanes`: an index into arrays of neighbouring rows, "" for one row. */
export interface RowText {
  readonly name: (id: Id) => string;
  /** `const float d7 = …;` at each point */
  readonly point: (id: Id) => string;
  readonly fetch: (pass: Pass) => string[];
  readonly keep: (pass: Pass) => string[];
  readonly store: (s: Store) => string;
  readonly index: (axis: number) => string;
}

/**
 * @param lanes `j`: what varies along the last axis once a row is an array over that many neighbouring rows
 * @param buffer where the k-th buffer keeps the point at hand
 */
export function rowText(n: Names, schedule: Schedule, lanes: string, buffer: (k: number) => string): RowText {
  const { axes, definitions } = n.program;
  const index = (axis: number): string => `i${axis}`;
  const perPoint = (id: Id): boolean => axes.some((axis, k) => axis.reduced && n.along[id]?.[k] === true);
  const name = (id: Id): string => {
    if (isConstant(n, id)) return expression(n, id, name, index);
    const array = lanes !== "" && !perPoint(id) && (definitions[id]?.kind === "reduce" || n.along[id]?.at(-1) === true);
    return array ? `d${id}[${lanes}]` : `d${id}`;
  };
  const place = (k: Pass["fetched"][number]): string =>
    k.store ? `${n.pointer(k.store.value, "write")}[${address(0, k.store.strides, index)}]` : buffer(schedule.buffers.indexOf(k));
  return {
    name,
    index,
    point: (id) => `const ${type(n, id)} d${id} = ${expression(n, id, name, index)};`,
    fetch: (pass) =>
      pass.fetched.map((k) => `const ${type(n, k.id)} d${k.id} = ${k.store ? n.dialect.load(place(k), k.dtype) : place(k)};`),
    keep: (pass) => pass.kept.map((k) => `${place(k)} = ${k.store ? n.dialect.store(`d${k.id}`, k.dtype) : `d${k.id}`};`),
    store: (s) =>
      `${n.pointer(s.value, "write")}[${address(0, s.strides, index)}] = ${n.dialect.store(name(s.definition), s.dtype)};`,
  };
}
