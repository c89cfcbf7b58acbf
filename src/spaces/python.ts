import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Contract } from "../problem/contract.ts";
import type { Tree, ValueId } from "../problem/graph.ts";
import type { Settings } from "./space.ts";

/** A Python literal. JSON's strings, numbers and lists are Python's too; its three words are not. */
export function literal(value: unknown): string {
  if (value === null || value === undefined) return "None";
  if (value === true) return "True";
  if (value === false) return "False";
  if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`;
  if (value === "nan" || value === "inf" || value === "-inf") return `float("${value}")`;
  return JSON.stringify(value);
}

/** A Python tuple of numbers: `(4, 5)`, `(4,)`, `()`. */
export const tuple = (items: readonly (number | string)[]): string =>
  items.length === 1 ? `(${items[0]},)` : `(${items.join(", ")})`;

/** An output structure as a Python expression; `tensor` gives each tensor's. */
export function structureExpression(tree: Tree, tensor: (id: ValueId) => string): string {
  const inner = (part: Tree) => structureExpression(part, tensor);
  if ("tensor" in tree) return tensor(tree.tensor);
  if ("tuple" in tree) return tuple(tree.tuple.map(inner));
  if ("list" in tree) return `[${tree.list.map(inner).join(", ")}]`;
  if ("dict" in tree)
    return `{${Object.entries(tree.dict)
      .map(([key, part]) => `${JSON.stringify(key)}: ${inner(part)}`)
      .join(", ")}}`;
  return literal(tree.literal);
}

/** Source text as a readable raw string where its content allows that, else as an escaped one. */
export const textLiteral = (text: string): string =>
  text.includes("'''") || text.endsWith("'") || /\\$/.test(text) ? JSON.stringify(text) : `r'''${text}'''`;

/** Tunables as Python constants. */
export const constants = (settings: Settings): string =>
  Object.entries(settings)
    .map(([name, value]) => `${name} = ${value}\n`)
    .join("");

const folder = new URL("../../worker/hiera_worker/", import.meta.url);
const runtime = (file: string) => readFileSync(new URL(file, folder), "utf8").trim();

const referenceStart = "# ---- reference, verbatim ";
const referenceEnd = "# ---- end of the reference ";
const rule = (text: string) => text + "-".repeat(Math.max(0, 120 - text.length));

/** The parts of every drop-in file in their order: reference, runtime, native code, module. */
export function assembleFile(contract: Contract, parts: { native: string; module: string }): string {
  const hash = createHash("sha256").update(contract.problem.source).digest("hex").slice(0, 16);
  return [
    rule(`${referenceStart}(sha256 ${hash}) `),
    contract.problem.source.replace(/\n?$/, ""),
    rule(referenceEnd),
    "",
    rule("# ---- runtime "),
    ...(parts.native === "" ? [] : [runtime("dropin.py"), ""]),
    runtime("dropin_call.py"),
    "",
    ...(parts.native === "" ? [] : [rule("# ---- native code "), parts.native, ""]),
    rule("# ---- module "),
    parts.module.trim(),
    "",
  ].join("\n");
}

/** The reference inside a drop-in file, or null where the text is no such file. */
export function embeddedReference(text: string): string | null {
  const lines = text.split("\n");
  const start = lines.findIndex((line) => line.startsWith(referenceStart));
  const end = lines.findIndex((line) => line.startsWith(referenceEnd));
  return start < 0 || end < start ? null : `${lines.slice(start + 1, end).join("\n")}\n`;
}
