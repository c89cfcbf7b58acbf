import { createRequire } from "node:module";

/** The package's own version. */
export const { version } = createRequire(import.meta.url)("../package.json") as { version: string };
