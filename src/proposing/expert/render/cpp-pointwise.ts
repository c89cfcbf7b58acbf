import { product } from "../../../planning/axes.ts";
import { hostFunction } from "../dialect.ts";
import type { Id } from "../program.ts";
import { address, block, decode, expression, isConstant, type Names, type } from "./names.ts";

/** Elements below which waking the threads costs more than they save. */
export const serialBelow = 16384;

/**
 * Flat tasks over the outer axes and blocks of the innermost one, a vector loop inside. What does not vary along the innermost axis
 * is computed before the loop.
 * @param macro name of a tunable, by its short name
 */
export function cppPointwise(n: Names, symbol: string, macro: (name: string) => string, streaming: boolean): string {
  const { axes, definitions, stores } = n.program;
  const inner = axes.length - 1;
  const length = axes[inner]?.size ?? 1;
  const index = (axis: number): string => `i${axis}`;
  const name = (id: Id): string => (isConstant(n, id) ? expression(n, id, name, index) : `d${id}`);
  const define = (id: Id): string => `const ${type(n, id)} d${id} = ${expression(n, id, name, index)};`;
  const computed = definitions.map((_, id) => id).filter((id) => !isConstant(n, id));
  const outside = computed.filter((id) => !n.along[id]?.[inner]);
  const inside = computed.filter((id) => n.along[id]?.[inner]);
  const outer = axes.slice(0, -1).map(({ size }, axis) => ({ axis, size }));
  const rowsAtOnce =
    length < 1024 && outer.length > 1 && product(outer.slice(0, -1).map((a) => a.size)) >= 64 ? outer.pop() : undefined;
  const total = product(axes.map((a) => a.size));
  const blocks = `((${length} + ${macro("BLOCK")} - 1) / ${macro("BLOCK")})`;
  const put = stores.map(
    (s) => `${n.pointer(s.value, "write")}[${address(0, s.strides, index)}] = ${n.dialect.store(name(s.definition), s.dtype)};`,
  );
  const targets = [...new Set(stores.map((s) => n.pointer(s.value, "write")))].join(", ");
  const loop = [
    ...outside.map(define),
    `#pragma omp simd${streaming ? ` nontemporal(${targets})` : ""}`,
    ...block(`for (int64_t i${inner} = low; i${inner} < high; ++i${inner})`, [...inside.map(define), ...put]),
  ];
  const body = [
    ...(outer.length > 0
      ? [`const int64_t part = task % ${blocks};`, ...decode(`task / ${blocks}`, outer)]
      : ["const int64_t part = task;"]),
    `const int64_t low = part * ${macro("BLOCK")}, high = low + ${macro("BLOCK")} < ${length} ? low + ${macro("BLOCK")} : ${length};`,
    ...(rowsAtOnce
      ? block(`for (int64_t i${rowsAtOnce.axis} = 0; i${rowsAtOnce.axis} < ${rowsAtOnce.size}; ++i${rowsAtOnce.axis})`, loop)
      : loop),
  ];
  const scalarOnly = axes.length === 0;
  return block(hostFunction(symbol, n.declared), [
    "(void)scratch, (void)stream;",
    ...(scalarOnly
      ? [...computed.map(define), ...put]
      : [
          `#pragma omp parallel for schedule(static)${total < serialBelow ? " if (0)" : ""}`,
          ...block(`for (int64_t task = 0; task < ${product(outer.map((a) => a.size))} * ${blocks}; ++task)`, body),
        ]),
    "return 0;",
  ]).join("\n");
}
