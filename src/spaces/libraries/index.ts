import { contractHeader } from "../contract-header.ts";
import { sourceName, wrapNative } from "../native.ts";
import type { Space } from "../space.ts";

/** Own code plus the vendor libraries that the device has: BLAS and oneDNN on a CPU. */
export const libraries: Space = {
  name: "libraries",
  rules: (contract) =>
    [
      `Write ${sourceName(contract)}: own code plus any of: ${Object.keys(contract.environment.libraries).join(", ") || "none found here"}.`,
      "It is compiled after this header and must define both functions that the header declares:",
      contractHeader(contract, {}),
    ].join("\n"),
  wrap: (contract, files, settings) =>
    wrapNative("libraries", contract, files, settings, Object.keys(contract.environment.libraries)),
};
