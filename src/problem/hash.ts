import { createHash } from "node:crypto";

/** SHA-256 in hexadecimal; a value that is no text is hashed as JSON with its keys sorted, so that their order never counts. */
export const sha256 = (value: unknown): string =>
  createHash("sha256")
    .update(typeof value === "string" ? value : canonical(value))
    .digest("hex");

/** JSON on one line, keys sorted at every depth, undefined members left out. */
export const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    part !== null && typeof part === "object" && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
