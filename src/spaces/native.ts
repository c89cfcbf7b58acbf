import { HieraError } from "../errors.ts";
import type { Contract } from "../problem/contract.ts";
import { contractHeader } from "./contract-header.ts";
import { checkLines, constructorLines, type Port, parameterList, portsOf, tensorExpression } from "./ports.ts";
import { assembleFile, literal, structureExpression, textLiteral, tuple } from "./python.ts";
import type { BuildSpec, Files, Settings, SpaceName, Wrapped } from "./space.ts";

/** Strict arithmetic: contraction to fused multiply-adds is allowed, reordering and ignoring NaN are not. */
const cppFlags = ["-std=c++17", "-O3", "-march=native", "-fopenmp", "-fno-math-errno", "-fno-trapping-math", "-fPIC", "-shared"];
const cudaFlags = (architecture: string) => ["-std=c++17", "-O3", "-Xcompiler", "-fPIC", "-shared", "-arch", architecture];

/** How a call of each library looks: what is not called is not linked, so that the file does not need it either. */
const callsOf: Readonly<Record<string, RegExp>> = { openblas: /\b(cblas|openblas)_/, onednn: /\bdnnl(_|::)/ };

/** How native source is compiled on the contract's device, with those of the allowed libraries that it calls. */
export function buildSpec(contract: Contract, source: string, libraries: readonly string[]): BuildSpec {
  const { environment } = contract;
  const called = libraries.filter((name) => callsOf[name]?.test(source));
  const found = called.flatMap((name) => environment.libraries[name]?.flags ?? []);
  return environment.kind === "cuda"
    ? { source, language: "cuda", flags: [...cudaFlags(environment.architecture), ...found] }
    : { source, language: "c++", flags: [...cppFlags, ...found] };
}

/** Throws HieraError("usage") unless the files are exactly those that the entry point asks for. */
export function expectFiles(space: SpaceName, files: Files, required: readonly string[], optional: readonly string[] = []): void {
  const missing = required.filter((name) => files[name] === undefined);
  const extra = Object.keys(files).filter((name) => !required.includes(name) && !optional.includes(name));
  const todo = `write exactly ${[...required, ...optional.map((name) => `${name} (optional)`)].join(", ")}`;
  if (missing.length > 0)
    throw new HieraError("usage", `candidate lacks ${missing.join(", ")}`, { where: `space ${space}`, todo });
  if (extra.length > 0)
    throw new HieraError("usage", `candidate has unexpected ${extra.join(", ")}`, { where: `space ${space}`, todo });
}

export const sourceName = (contract: Contract): string => (contract.environment.kind === "cuda" ? "kernel.cu" : "kernel.cpp");

/** Python lines that build and load the native source as `_hiera_library`. */
export function nativeLines({ source, language, flags }: BuildSpec): string {
  return [
    `_hiera_source = ${textLiteral(source)}`,
    `_hiera_library = ctypes.CDLL(build_library(_hiera_source, ${literal(language)}, ${literal(flags)}))`,
  ].join("\n");
}

/** A kernel behind the plain C entry point, as a module: checks, allocation, call, output structure. */
export function wrapNative(
  space: SpaceName,
  contract: Contract,
  files: Files,
  settings: Settings,
  libraries: readonly string[],
): Wrapped {
  const name = sourceName(contract);
  expectFiles(space, files, [name]);
  const spec = buildSpec(contract, `${contractHeader(contract, settings)}\n\n${files[name]}`, libraries);
  return { source: assembleFile(contract, { native: nativeLines(spec), module: moduleText(contract) }), builds: [spec] };
}

const allocate = ({ python, type }: Port) =>
  `${python} = _torch.empty_strided(${tuple(type.shape)}, ${tuple(type.strides)}, dtype=_torch.${type.dtype})`;

function moduleText(contract: Contract): string {
  const ports = portsOf(contract);
  const { given, outputs } = ports;
  const locals = given.map((port): Port => (port.role === "input" ? port : { ...port, python: `s_${port.cName}` }));
  const state = locals.filter((port) => port.role !== "input");
  const inputs = locals.filter((port) => port.role === "input");
  const body = [
    ...state.map((port, index) => `${port.python} = ${given.filter((g) => g.role !== "input")[index]?.python}`),
    ...checkLines(contract, locals),
    "",
    "def call():",
    ...outputs.map((port) => `    ${allocate(port)}`),
    `    _hiera_call((${[...locals, ...outputs].map((port) => `${port.python}, `).join("")}))`,
    `    return ${structureExpression(contract.interface.structure, (id) => tensorExpression(contract, [...locals, ...outputs], id))}`,
    "",
    `return _hiera_forward_only(call, ${tuple(inputs.map((port) => port.python))}, ${tuple(state.map((port) => port.python))})`,
  ];
  return [
    "_hiera_library.hiera_workspace_bytes.restype = ctypes.c_int64",
    "_hiera_library.hiera_forward.argtypes = [ctypes.c_void_p] * 3",
    "_hiera_workspace_bytes = _hiera_library.hiera_workspace_bytes()",
    "",
    "",
    "def _hiera_call(tensors):",
    "    # the struct of contract.h: one pointer a tensor, then the thread count",
    "    args = (ctypes.c_void_p * (len(tensors) + 1))(*[t.data_ptr() for t in tensors], _torch.get_num_threads())",
    "    status = _hiera_library.hiera_forward(args, _hiera_workspace(_hiera_workspace_bytes), None)",
    "    if status != 0:",
    '        raise RuntimeError("native code failed with status %d" % status)',
    "",
    "",
    "class ModelNew(Model):",
    '    """Model with its forward in native code; constructor and state_dict are the reference\'s own."""',
    "",
    `    def forward(self${prefixed(parameterList(contract).signature)}):`,
    ...body.map((line) => (line === "" ? "" : `        ${line}`)),
    ...constructorLines(contract),
  ].join("\n");
}

const prefixed = (signature: string) => (signature === "" ? "" : `, ${signature}`);
