import { product } from "../../../planning/axes.ts";
import { hostFunction } from "../dialect.ts";
import type { Id } from "../program.ts";
import type { Pass, Schedule } from "../schedule.ts";
import { serialBelow } from "./cpp-pointwise.ts";
import { block, decode, type Names, type } from "./names.ts";
import { clauses, combine, identity, reduction } from "./reductions.ts";
import { rowText } from "./row-text.ts";

/** Which way the vector lanes run: along a row, or across neighbouring rows where those are neighbours in memory. */
export type Shape = "along" | "across";

/** Rows are neighbours in memory where the innermost axis is one that is kept. */
export const shapeOf = (n: Names): Shape => (n.program.axes.at(-1)?.reduced === false ? "across" : "along");

/**
 * A thread takes a row (or a tile of neighbouring rows) and makes all passes over it while it is in cache.
 * Split: rows are too few for the threads, so each pass is a parallel loop over rows × chunks of a row, and partial results meet in
 * `scratch`, as [row][chunk][lane] of 8-byte slots for each reduction.
 */
export function cppRows(n: Names, schedule: Schedule, symbol: string, macro: (name: string) => string, split: boolean): string {
  const { axes, definitions } = n.program;
  const across = shapeOf(n) === "across";
  const last = axes.length - 1;
  const lane = across ? "j" : "";
  const tile = across ? macro("TILE") : "1";
  const kept = axes.flatMap(({ size, reduced }, axis) => (reduced || (across && axis === last) ? [] : [{ axis, size }]));
  const walked = axes.flatMap(({ size, reduced }, axis) => (reduced ? [{ axis, size }] : []));
  const length = axes[last]?.size ?? 1;
  const tiles = across ? `((${length} + ${tile} - 1) / ${tile})` : "1";
  const rows = `${product(kept.map((k) => k.size))} * ${tiles}`;
  const reductions = schedule.passes.flatMap((p) => p.reductions);

  const position =
    walked.map(({ axis }, k) => `i${axis} * ${product(walked.slice(k + 1).map((w) => w.size))}`).join(" + ") || "0";
  const text = rowText(n, schedule, lane, (k) => `b${k}[${across ? `(${position}) * ${tile} + j` : position}]`);

  const perRow = (ids: readonly Id[]): string[] => {
    const lines = ids.filter((id) => definitions[id]?.kind !== "constant");
    const arrays = across ? lines.filter((id) => n.along[id]?.[last] === true) : [];
    const scalars = lines.filter((id) => !arrays.includes(id));
    return [
      ...scalars.map(text.point),
      ...arrays.map((id) => `${type(n, id)} d${id}[${tile}];`),
      ...lanes(arrays.map((id) => text.point(id).replace(/^const \S+ d\d+ /, `d${id}[j] `))),
    ];
  };
  /** A vector loop over the tile's rows. */
  const lanes = (lines: readonly string[]): string[] =>
    lines.length === 0
      ? []
      : [
          "#pragma omp simd",
          ...block("for (int64_t j = 0; j < lanes; ++j)", [`const int64_t i${last} = low + j;`, `(void)i${last};`, ...lines]),
        ];
  const start = (ids: readonly Id[]): string[] =>
    ids.flatMap((id) => {
      const none = identity(reduction(n, id).op, reduction(n, id).dtype, n.dialect);
      return across
        ? [`${type(n, id)} d${id}[${tile}];`, `for (int64_t j = 0; j < ${tile}; ++j) d${id}[j] = ${none};`]
        : [`${type(n, id)} d${id} = ${none};`];
    });
  const cut = walked.reduce((best, w) => (best === undefined || w.size > best.size ? w : best), walked[0]);
  const bounds = (axis: number, size: number): [string, string] =>
    split && axis === cut?.axis ? ["from", "to"] : ["0", String(size)];

  const walk = (pass: Pass): string[] => {
    if (pass.reductions.length + pass.stores.length + pass.kept.length === 0) return [];
    const body = [
      ...text.fetch(pass),
      ...pass.points.filter((id) => definitions[id]?.kind !== "constant").map(text.point),
      ...text.keep(pass),
      ...pass.reductions.map(
        (id) => `${text.name(id)} = ${combine(reduction(n, id).op, text.name(id), text.name(reduction(n, id).arg))};`,
      ),
      ...pass.stores.map(text.store),
    ];
    const gathered = across ? "" : pass.reductions.map((id) => ` reduction(${clauses[reduction(n, id).op]} : d${id})`).join("");
    const loops = across ? walked : walked.slice(0, -1);
    const [inner] = walked.slice(-1);
    let lines: string[] = across
      ? lanes(body)
      : inner
        ? [
            `#pragma omp simd${gathered}`,
            ...block(
              `for (int64_t i${inner.axis} = ${bounds(inner.axis, inner.size)[0]}; i${inner.axis} < ${bounds(inner.axis, inner.size)[1]}; ++i${inner.axis})`,
              body,
            ),
          ]
        : body;
    for (const { axis, size } of loops.toReversed()) {
      const [from, to] = bounds(axis, size);
      lines = block(`for (int64_t i${axis} = ${from}; i${axis} < ${to}; ++i${axis})`, lines);
    }
    return lines;
  };

  const place = across
    ? [
        `const int64_t low = row % ${tiles} * ${tile}, lanes = ${length} - low < ${tile} ? ${length} - low : ${tile};`,
        "(void)low;",
        ...(kept.length > 0 ? decode(`row / ${tiles}`, kept) : []),
      ]
    : kept.length > 0
      ? decode("row", kept)
      : ["(void)row;"];
  const finish = [
    ...perRow(schedule.after),
    ...(across ? lanes(schedule.stores.map(text.store)) : schedule.stores.map(text.store)),
  ];
  const total = product(axes.map((a) => a.size));
  const parallel = `#pragma omp parallel for schedule(static)${total < serialBelow ? " if (0)" : ""}`;
  const row = `for (int64_t row = 0; row < ${rows}; ++row)`;

  if (!split) {
    const size = `${product(walked.map((w) => w.size))} * ${tile}`;
    const buffers = schedule.buffers.map(
      (k, at) => `alignas(64) static thread_local ${n.dialect.compute(k.dtype)} ${symbol}_b${at}[${size}];`,
    );
    const local = schedule.buffers.map((k, at) => `${n.dialect.compute(k.dtype)}* const b${at} = ${symbol}_b${at};`);
    const body = [
      ...place,
      ...local,
      ...schedule.passes.flatMap((p) => [...perRow(p.before), ...start(p.reductions), ...walk(p)]),
      ...finish,
    ];
    const main = block(hostFunction(symbol, n.declared), [
      "(void)scratch, (void)stream;",
      parallel,
      ...block(row, body),
      "return 0;",
    ]);
    return [...buffers, ...main].join("\n");
  }

  const slot = (id: Id, chunk: string): string =>
    `*reinterpret_cast<${type(n, id)}*>(partial + 8 * (((${reductions.indexOf(id)} * (${rows}) + row) * ${macro("CHUNKS")} + ${chunk}) * ${tile}${across ? " + j" : ""}))`;
  /** What each row computes before pass `at`, from reductions of earlier passes that are put together again. */
  const known = (at: number): string[] =>
    schedule.passes.flatMap((p, k) => [...(k <= at ? perRow(p.before) : []), ...(k < at ? gather(p) : [])]);
  const gather = (p: Pass): string[] =>
    p.reductions.flatMap((id) => {
      const line = `${text.name(id)} = ${combine(reduction(n, id).op, text.name(id), slot(id, "c"))};`;
      return [...start([id]), ...block(`for (int64_t c = 0; c < ${macro("CHUNKS")}; ++c)`, across ? lanes([line]) : [line])];
    });
  const step = `((${cut?.size ?? 1} + ${macro("CHUNKS")} - 1) / ${macro("CHUNKS")})`;
  const stages = schedule.passes.flatMap((pass, at) => [
    parallel,
    ...block(`for (int64_t task = 0; task < ${rows} * ${macro("CHUNKS")}; ++task)`, [
      `const int64_t row = task / ${macro("CHUNKS")}, chunk = task % ${macro("CHUNKS")};`,
      `const int64_t from = chunk * ${step} < ${cut?.size ?? 1} ? chunk * ${step} : ${cut?.size ?? 1}, to = from + ${step} < ${cut?.size ?? 1} ? from + ${step} : ${cut?.size ?? 1};`,
      ...place,
      ...known(at),
      ...start(pass.reductions),
      ...walk(pass),
      ...(across
        ? lanes(pass.reductions.map((id) => `${slot(id, "chunk")} = ${text.name(id)};`))
        : pass.reductions.map((id) => `${slot(id, "chunk")} = ${text.name(id)};`)),
    ]),
  ]);
  return block(hostFunction(symbol, n.declared), [
    "char* const partial = static_cast<char*>(scratch);",
    "(void)partial, (void)stream;",
    ...stages,
    ...(finish.length > 0 ? block(row, [...place, ...known(schedule.passes.length), ...finish]) : []),
    "return 0;",
  ]).join("\n");
}

/** Bytes that `cppRows` in its split form needs. */
export const splitScratch = (n: Names, schedule: Schedule, chunks: number, tile: number): number => {
  const { axes } = n.program;
  const across = shapeOf(n) === "across";
  const rows = product(axes.filter((a, k) => !a.reduced && !(across && k === axes.length - 1)).map((a) => a.size));
  const lanes = across ? Math.ceil((axes.at(-1)?.size ?? 1) / tile) * tile + tile : 1;
  return schedule.passes.flatMap((p) => p.reductions).length * rows * chunks * lanes * 8;
};
