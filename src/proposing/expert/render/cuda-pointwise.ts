import { product } from "../../../planning/axes.ts";
import { type Dtype, dtypeBytes } from "../../../problem/tensor.ts";
import { hostFunction } from "../dialect.ts";
import type { Definition, Id } from "../program.ts";
import { address, block, decode, expression, isConstant, type Names, type } from "./names.ts";

/** Widest piece that one instruction moves. */
const widest = 16;

/**
 * One thread, PER_THREAD neighbouring elements. Where every access is contiguous and the pointers are aligned, they are moved as one
 * vector; otherwise each thread's elements lie a block apart, so that a warp's accesses stay neighbours.
 */
export function cudaPointwise(n: Names, symbol: string, macro: (name: string) => string, streaming: boolean): string {
  const { axes, definitions, stores } = n.program;
  const total = product(axes.map((a) => a.size));
  const index = (axis: number): string => `i${axis}`;
  const name = (id: Id): string => (isConstant(n, id) ? expression(n, id, name, index) : `d${id}`);
  const computed = definitions.map((_, id) => id).filter((id) => !isConstant(n, id));
  const put = (target: string, value: string): string =>
    streaming ? `hiera_stream_store(&${target}, ${value});` : `${target} = ${value};`;
  const place = (s: (typeof stores)[number]): string => `${n.pointer(s.value, "write")}[${address(0, s.strides, index)}]`;
  const plain = [
    "const int64_t at = first + k * blockDim.x;",
    "if (at >= total) break;",
    ...decode(
      "at",
      axes.map(({ size }, axis) => ({ axis, size })),
    ),
    ...computed.map((id) => `const ${type(n, id)} d${id} = ${expression(n, id, name, index)};`),
    ...stores.map((s) => put(place(s), n.dialect.store(name(s.definition), s.dtype))),
  ];
  const kernel = (kind: string, lines: readonly string[]): string[] =>
    block(`static __global__ void ${symbol}_${kind}(${n.declared.join(", ")})`, [
      `constexpr int64_t total = ${total};`,
      ...lines,
    ]);
  const scattered = kernel("scattered", [
    `const int64_t first = (int64_t)blockIdx.x * (blockDim.x * ${macro("PER_THREAD")}) + threadIdx.x;`,
    "#pragma unroll",
    ...block(`for (int k = 0; k < ${macro("PER_THREAD")}; ++k)`, plain),
  ]);
  const launch = (kind: string): string =>
    `${symbol}_${kind}<<<(unsigned)((${total} + span - 1) / span), ${macro("THREADS")}, 0, stream>>>(${n.pointers.join(", ")});`;
  const flat = vectorised(n);
  return [
    ...scattered,
    ...(flat ? kernel("vectors", flat.body(macro("PER_THREAD"), put)) : []),
    ...block(hostFunction(symbol, n.declared), [
      "(void)scratch;",
      `constexpr int64_t span = (int64_t)${macro("THREADS")} * ${macro("PER_THREAD")};`,
      ...(flat
        ? [
            `const bool aligned = ${total} % ${macro("PER_THREAD")} == 0${flat.aligned(macro("PER_THREAD"))};`,
            `if (aligned) ${launch("vectors")}`,
            `else ${launch("scattered")}`,
          ]
        : [launch("scattered")]),
      "return (int)cudaGetLastError();",
    ]),
  ].join("\n");
}

interface Vectorised {
  body: (count: string, put: (target: string, value: string) => string) => string[];
  aligned: (count: string) => string;
}

/** The body that moves vectors; undefined where some access is not contiguous. */
function vectorised(n: Names): Vectorised | undefined {
  const { axes, definitions, stores } = n.program;
  const strideOne = (strides: readonly number[]): boolean => strides[0] === 1;
  const loads = definitions.flatMap((d, id) => (d.kind === "load" && d.strides[0] !== 0 ? [{ d, id }] : []));
  if (
    axes.length !== 1 ||
    !stores.every((s) => strideOne(s.strides)) ||
    !loads.every(({ d }) => strideOne(d.strides) && d.offset % 8 === 0 && !("guard" in d))
  )
    return undefined;
  const index = (): string => "i0";
  const name = (id: Id): string => (isConstant(n, id) ? expression(n, id, name, index) : `d${id}`);
  const right = (id: Id): string => {
    const d = definitions[id] as Definition;
    return d.kind === "load" && d.strides[0] !== 0 ? n.dialect.load(`l${id}.at[k]`, d.dtype) : expression(n, id, name, index);
  };
  const vector = (dtype: Dtype, count: string): string => `hiera_vector<${n.dialect.storage(dtype)}, ${count}>`;
  const offset = (d: Definition): string => (d.kind === "load" && d.offset !== 0 ? ` + ${d.offset}` : "");
  return {
    body: (count, put) => [
      `const int64_t first = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) * ${count};`,
      "if (first >= total) return;",
      ...loads.map(
        ({ d, id }) =>
          `const auto l${id} = *reinterpret_cast<const ${vector(d.dtype, count)}*>(${d.kind === "load" ? n.pointer(d.base, "read") : ""}${offset(d)} + first);`,
      ),
      ...stores.map((s, k) => `${vector(s.dtype, count)} s${k};`),
      "#pragma unroll",
      ...block(`for (int k = 0; k < ${count}; ++k)`, [
        "const int64_t i0 = first + k;",
        "(void)i0;",
        ...definitions.flatMap((_, id) => (isConstant(n, id) ? [] : [`const ${type(n, id)} d${id} = ${right(id)};`])),
        ...stores.map((s, k) => `s${k}.at[k] = ${n.dialect.store(name(s.definition), s.dtype)};`),
      ]),
      ...stores.map((s, k) =>
        put(`*reinterpret_cast<${vector(s.dtype, count)}*>(${n.pointer(s.value, "write")} + first)`, `s${k}`),
      ),
    ],
    aligned: (count) =>
      [
        ...loads.map(({ d }) => ({ at: n.pointer((d as { base: string }).base, "read"), dtype: d.dtype })),
        ...stores.map((s) => ({ at: n.pointer(s.value, "write"), dtype: s.dtype })),
      ]
        .map(({ at, dtype }) => ` && (uintptr_t)${at} % hiera_alignment(${dtypeBytes[dtype]} * ${count}) == 0`)
        .filter((text, k, all) => all.indexOf(text) === k)
        .join(""),
  };
}

/** Part of the CUDA prelude: vectors of up to 16 bytes move as one access. */
export const vectorPrelude = `
constexpr int hiera_alignment(int bytes) { return bytes > ${widest} ? ${widest} : bytes; }
template <class T, int N> struct alignas(hiera_alignment(sizeof(T) * N)) hiera_vector { T at[N]; };
/* not read again soon: first to leave the cache */
template <class T> __device__ __forceinline__ void hiera_stream_store(T* to, const T& value) {
  if constexpr (sizeof(T) == 16) __stcs(reinterpret_cast<float4*>(to), *reinterpret_cast<const float4*>(&value));
  else if constexpr (sizeof(T) == 8) __stcs(reinterpret_cast<float2*>(to), *reinterpret_cast<const float2*>(&value));
  else if constexpr (sizeof(T) == 4) __stcs(reinterpret_cast<float*>(to), *reinterpret_cast<const float*>(&value));
  else *to = value;
}`;
