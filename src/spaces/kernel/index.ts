import { contractHeader } from "../contract-header.ts";
import { sourceName, wrapNative } from "../native.ts";
import type { Space } from "../space.ts";

/** Own code alone: C++17 with OpenMP on a CPU, CUDA C++ on an NVIDIA GPU, behind a plain C entry point. */
export const kernel: Space = {
  name: "kernel",
  rules: (contract) =>
    [
      `Write ${sourceName(contract)}: own code only, no library beyond the language's own runtime, no PyTorch header.`,
      "It is compiled after this header and must define both functions that the header declares:",
      contractHeader(contract, {}),
    ].join("\n"),
  wrap: (contract, files, settings) => wrapNative("kernel", contract, files, settings, []),
};
