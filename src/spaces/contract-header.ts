import type { Contract } from "../problem/contract.ts";
import { type Port, portsOf } from "./ports.ts";
import type { Settings } from "./space.ts";

/** C types of elements in memory; half precision travels as its bits. */
const cType = {
  float64: "double",
  float32: "float",
  float16: "uint16_t",
  bfloat16: "uint16_t",
  int64: "int64_t",
  int32: "int32_t",
  int16: "int16_t",
  int8: "int8_t",
  uint8: "uint8_t",
  bool: "bool",
  complex64: "float",
  complex128: "double",
} as const;

function shapeLines({ cName, type }: Port): string[] {
  const list = (name: string, items: readonly number[]) =>
    items.length === 0 ? [] : [`constexpr int64_t ${cName}_${name}[] = {${items.join(", ")}};`];
  const count = type.shape.reduce((a, b) => a * b, 1);
  return [`constexpr int64_t ${cName}_numel = ${count};`, ...list("shape", type.shape), ...list("strides", type.strides)];
}

/** contract.h: every shape and stride a compile-time constant, every tensor a named typed pointer, every tunable a macro. */
export function contractHeader(contract: Contract, settings: Settings): string {
  const { given, outputs } = portsOf(contract);
  return [
    "// contract.h, made by hiera from the contract: shapes and strides in elements, pointers at each tensor's first element.",
    "#include <cstddef>",
    "#include <cstdint>",
    ...Object.entries(settings).map(([name, value]) => `#define ${name} ${value}`),
    "namespace contract {",
    ...[...given, ...outputs].flatMap(shapeLines),
    "}  // namespace contract",
    "struct HieraArgs {",
    ...given.map(({ cName, type }) => `  const ${cType[type.dtype]}* ${cName};`),
    ...outputs.map(({ cName, type }) => `  ${cType[type.dtype]}* ${cName};`),
    "  int64_t threads;  // on a CPU: how many the caller allows",
    "};",
    "// Bytes of scratch memory that hiera_forward wants; 0 where it needs none.",
    'extern "C" int64_t hiera_workspace_bytes();',
    "// Computes every output; 0 on success. All work is on `stream` (null on a CPU) and done by the time that it reaches the call's end.",
    'extern "C" int hiera_forward(const HieraArgs* args, void* workspace, void* stream);',
  ].join("\n");
}
