import { fileURLToPath } from "node:url";
import { examples } from "./examples.ts";
import type { Suite } from "./suite.ts";

const shipped = () => fileURLToPath(new URL("../../examples", import.meta.url));

/** A new problem set is one file and one line here. `folder`: where its files are; null for the default place. */
export const suites: Readonly<Record<string, (folder: string | null) => Suite>> = {
  examples: (folder) => examples(folder ?? shipped()),
};
