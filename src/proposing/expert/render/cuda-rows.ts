import { product } from "../../../planning/axes.ts";
import { hostFunction } from "../dialect.ts";
import type { Id } from "../program.ts";
import type { Pass, Schedule } from "../schedule.ts";
import { shapeOf } from "./cpp-rows.ts";
import { block, decode, type Names, type } from "./names.ts";
import { combine, identity, reduction } from "./reductions.ts";
import { rowText } from "./row-text.ts";

/** Rows up to this length take a warp each, longer ones a block. */
const warpRow = 1024;

/**
 * Along a row: a warp or a block for each, results combined by shuffles. Across rows: a thread for each, so that neighbouring threads
 * read neighbouring columns. Split: every pass is a kernel over rows × chunks, and partial results meet in `scratch`, as
 * [row][chunk] of 8-byte slots for each reduction.
 */
export function cudaRows(n: Names, schedule: Schedule, symbol: string, macro: (name: string) => string, split: boolean): string {
  const { axes, definitions } = n.program;
  const across = shapeOf(n) === "across";
  const kept = axes.flatMap(({ size, reduced }, axis) => (reduced ? [] : [{ axis, size }]));
  const walked = axes.flatMap(({ size, reduced }, axis) => (reduced ? [{ axis, size }] : []));
  const rows = product(kept.map((k) => k.size));
  const length = product(walked.map((w) => w.size));
  const team = across ? "1" : !split && length <= warpRow ? "32" : macro("THREADS");
  const chunks = split ? macro("CHUNKS") : "1";
  const text = rowText(n, schedule, "", (k) => `b${k}[p]`);
  const reductions = schedule.passes.flatMap((p) => p.reductions);
  const computed = (ids: readonly Id[]): string[] => ids.filter((id) => definitions[id]?.kind !== "constant").map(text.point);
  const start = (ids: readonly Id[]): string[] =>
    ids.map((id) => `${type(n, id)} d${id} = ${identity(reduction(n, id).op, reduction(n, id).dtype, n.dialect)};`);
  const meet = (ids: readonly Id[]): string[] =>
    across ? [] : ids.map((id) => `d${id} = hiera_team<${team}>(d${id}, hiera_${reduction(n, id).op}_of());`);

  const walk = (pass: Pass): string[] =>
    pass.reductions.length + pass.stores.length + pass.kept.length === 0
      ? []
      : block(`for (int64_t p = from + member; p < to; p += ${team})`, [
          ...(walked.length > 0 ? decode("p", walked) : []),
          ...text.fetch(pass),
          ...computed(pass.points),
          ...text.keep(pass),
          ...pass.reductions.map((id) => `d${id} = ${combine(reduction(n, id).op, `d${id}`, text.name(reduction(n, id).arg))};`),
          ...pass.stores.map(text.store),
        ]);

  const slot = (id: Id, chunk: string): string =>
    `*reinterpret_cast<${type(n, id)}*>(partial + 8 * ((${reductions.indexOf(id)} * INT64_C(${rows}) + row) * ${chunks} + ${chunk}))`;
  const gather = (ids: readonly Id[]): string[] =>
    ids.flatMap((id) => [
      ...start([id]),
      `for (int c = 0; c < ${chunks}; ++c) d${id} = ${combine(reduction(n, id).op, `d${id}`, slot(id, "c"))};`,
    ]);
  const step = `((INT64_C(${length}) + ${chunks} - 1) / ${chunks})`;
  const head = [
    `const int member = ${across ? "0" : `(int)threadIdx.x % ${team}`};`,
    `const int64_t team = (int64_t)blockIdx.x * (${macro("THREADS")} / ${team}) + threadIdx.x / ${team};`,
    `if (team >= INT64_C(${rows}) * ${chunks}) return;`,
    `const int64_t row = team % INT64_C(${rows}), chunk = team / INT64_C(${rows});`,
    `const int64_t from = chunk * ${step}, to = from + ${step} < ${length} ? from + ${step} : ${length};`,
    ...(kept.length > 0 ? decode("row", kept) : []),
    "(void)from, (void)to, (void)member;",
  ];
  const finish = [
    ...computed(schedule.after),
    ...(schedule.stores.length > 0 ? block("if (member == 0)", schedule.stores.map(text.store)) : []),
  ];
  const kernel = (at: number, lines: readonly string[]): string[] =>
    block(`static __global__ void ${symbol}_${at}(${[...n.declared, "char* partial"].join(", ")})`, [...head, ...lines]);
  const launch = (at: number): string =>
    `${symbol}_${at}<<<(unsigned)((INT64_C(${rows}) * ${chunks} * ${team} + ${macro("THREADS")} - 1) / ${macro("THREADS")}), ${macro("THREADS")}, 0, stream>>>(${[...n.pointers, "static_cast<char*>(scratch)"].join(", ")});`;

  const whole = [
    ...schedule.buffers.map((k, b) => `__shared__ ${n.dialect.compute(k.dtype)} b${b}[${length}];`),
    ...schedule.passes.flatMap((p) => [...computed(p.before), ...start(p.reductions), ...walk(p), ...meet(p.reductions)]),
    ...finish,
  ];
  const part = (pass: Pass, at: number): string[] => [
    ...schedule.passes.slice(0, at).flatMap((p) => [...computed(p.before), ...gather(p.reductions)]),
    ...computed(pass.before),
    ...start(pass.reductions),
    ...walk(pass),
    ...meet(pass.reductions),
    ...(pass.reductions.length > 0
      ? block(
          "if (member == 0)",
          pass.reductions.map((id) => `${slot(id, "chunk")} = d${id};`),
        )
      : []),
  ];
  const last = [
    ...schedule.passes.flatMap((p) => [...computed(p.before), ...gather(p.reductions)]),
    ...block("if (chunk == 0)", finish),
  ];
  const bodies = split ? [...schedule.passes.map(part), ...(finish.length > 0 ? [last] : [])] : [whole];
  return [
    ...bodies.flatMap((lines, at) => kernel(at, lines)),
    ...block(hostFunction(symbol, n.declared), [...bodies.map((_, at) => launch(at)), "return (int)cudaGetLastError();"]),
  ].join("\n");
}

/** Part of the CUDA prelude: a value that every thread of a team of 32 or of a whole block ends up with. */
export const teamPrelude = `
struct hiera_sum_of { template <class T> __device__ T operator()(T a, T b) const { return a + b; } };
struct hiera_prod_of { template <class T> __device__ T operator()(T a, T b) const { return a * b; } };
struct hiera_max_of { template <class T> __device__ T operator()(T a, T b) const { return hiera_max(a, b); } };
struct hiera_min_of { template <class T> __device__ T operator()(T a, T b) const { return hiera_min(a, b); } };
template <int Team, class T, class Op> __device__ __forceinline__ T hiera_team(T value, Op op) {
#pragma unroll
  for (int step = 16; step > 0; step >>= 1) value = op(value, __shfl_xor_sync(0xffffffffu, value, step));
  if constexpr (Team > 32) {
    __shared__ T parts[Team / 32];
    __syncthreads();
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = value;
    __syncthreads();
    value = parts[0];
    for (int warp = 1; warp < Team / 32; ++warp) value = op(value, parts[warp]);
  }
  return value;
}`;
