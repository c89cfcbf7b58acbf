import type { Contract } from "../../problem/contract.ts";
import { buildSpec, expectFiles, nativeLines } from "../native.ts";
import { checkLines, constructorLines, parameterList, portsOf } from "../ports.ts";
import { assembleFile, constants, tuple } from "../python.ts";
import type { Files, Settings, Space } from "../space.ts";

const kernelsName = (contract: Contract) => (contract.environment.kind === "cuda" ? "kernels.cu" : "kernels.cpp");

/** PyTorch operators from Python, and own kernels and libraries beside them. */
export const torch: Space = {
  name: "torch",
  rules: (contract) =>
    [
      "Write model_new.py: code that defines `class ModelNew(Model)` and overrides `forward`; `Model` is the reference, already defined above it.",
      "Keep the constructor, or call super().__init__ first: state_dict keys and the order of random draws are part of the contract.",
      `Optionally write ${kernelsName(contract)}: its extern "C" functions are what \`load_kernels()\` returns (a ctypes.CDLL).`,
    ].join("\n"),
  wrap: (contract, files, settings) => {
    const kernels = kernelsName(contract);
    expectFiles("torch", files, ["model_new.py"], [kernels]);
    const code = files[kernels];
    const specs =
      code === undefined ? [] : [buildSpec(contract, `${defines(settings)}${code}`, Object.keys(contract.environment.libraries))];
    const native = specs.map((spec) => `${nativeLines(spec)}\n\n\ndef load_kernels():\n    return _hiera_library`).join("\n");
    return { source: assembleFile(contract, { native, module: moduleText(contract, files, settings) }), builds: specs };
  },
};

const defines = (settings: Settings) =>
  Object.entries(settings)
    .map(([name, value]) => `#define ${name} ${value}\n`)
    .join("");

/** The proposer's text, then its forward behind the same argument checks that native code has. */
function moduleText(contract: Contract, files: Files, settings: Settings): string {
  const { signature, names } = parameterList(contract);
  const inputs = portsOf(contract).given.filter((port) => port.role === "input");
  const checks = checkLines(contract, inputs).map((line) => `    ${line}`);
  const own = Object.keys(files).length > 1;
  const call = `_hiera_forward(self${names.length === 0 ? "" : `, ${signature}`})`;
  return [
    constants(settings),
    (files["model_new.py"] ?? "").trim(),
    "",
    "",
    "_hiera_forward = ModelNew.forward",
    "",
    "",
    `def _hiera_checked(self${signature === "" ? "" : `, ${signature}`}):`,
    ...checks,
    // own kernels record no gradient; PyTorch's operators do so themselves
    own
      ? `    return _hiera_forward_only(lambda: ${call}, ${tuple(inputs.map((port) => port.python))}, tuple(self.parameters()))`
      : `    return ${call}`,
    "",
    "",
    "ModelNew.forward = _hiera_checked",
    ...constructorLines(contract),
  ].join("\n");
}
