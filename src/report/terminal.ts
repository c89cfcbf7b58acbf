import { styleText } from "node:util";
import { printable } from "./numbers.ts";

/** Emphasis as values: a terminal gets colours, anything else the plain text. */
export interface Style {
  readonly bold: (text: string) => string;
  readonly quiet: (text: string) => string;
  readonly good: (text: string) => string;
  readonly bad: (text: string) => string;
  /** columns that a line may take */
  readonly width: number;
}

const same = (text: string): string => text;

export const plain: Style = { bold: same, quiet: same, good: same, bad: same, width: Number.POSITIVE_INFINITY };

type Format = Parameters<typeof styleText>[0];

const paint = (format: Format) => (text: string) => styleText(format, text, { validateStream: false });

/** The style that a stream can show. A pipe or file is plain and never cut; NO_COLOR and TERM=dumb are respected. */
export function styleFor(stream: { isTTY?: boolean; columns?: number }, env: NodeJS.ProcessEnv = process.env): Style {
  if (!stream.isTTY) return plain;
  const width = stream.columns ?? 80;
  if (env.NO_COLOR || env.TERM === "dumb") return { ...plain, width };
  return { bold: paint("bold"), quiet: paint("dim"), good: paint("green"), bad: paint("red"), width };
}

const length = (text: string): number => [...text].length;

/** Text on one line, cut with an ellipsis where it is longer than `width`. */
export function cut(text: string, width: number): string {
  const line = printable(text).replace(/\s*\n\s*/g, " ");
  return length(line) <= width ? line : `${[...line].slice(0, Math.max(0, width - 1)).join("")}…`;
}

export interface Column {
  readonly head: string;
  /** numbers stand flush right */
  readonly right?: boolean;
  /** gives way where the line would be too long; one a table at most */
  readonly flexible?: boolean;
}

export interface Cell {
  readonly text: string;
  readonly paint?: (text: string) => string;
}

/** Aligned columns, two spaces apart, heads quiet. */
export function columns(heads: readonly Column[], rows: readonly (readonly (string | Cell)[])[], style: Style): string {
  const cells = rows.map((row) =>
    row.map((c): Cell => (typeof c === "string" ? { text: cut(c, 500) } : { ...c, text: cut(c.text, 500) })),
  );
  const natural = heads.map((h, i) => Math.max(length(h.head), ...cells.map((row) => length(row[i]?.text ?? ""))));
  const total = natural.reduce((a, b) => a + b + 2, -2);
  const widths = natural.map((w, i) => (heads[i]?.flexible ? Math.max(8, w - Math.max(0, total - style.width)) : w));
  const line = (row: readonly Cell[]) =>
    heads
      .map((h, i) => {
        const { text, paint = same } = row[i] ?? { text: "" };
        const width = widths[i] as number;
        const shown = cut(text, width);
        const gap = " ".repeat(width - length(shown));
        return h.right ? gap + paint(shown) : paint(shown) + gap;
      })
      .join("  ")
      .trimEnd();
  return [line(heads.map((h) => ({ text: h.head, paint: style.quiet }))), ...cells.map(line)].join("\n");
}

/** `name  value` lines, names quiet and aligned; entries without a value are left out. */
export function pairs(entries: readonly (readonly [string, string | null])[], style: Style, indent = "  "): string {
  const shown = entries.filter((e): e is readonly [string, string] => e[1] !== null && e[1] !== "");
  const width = Math.max(0, ...shown.map(([name]) => name.length));
  return shown
    .map(([name, value]) => `${indent}${style.quiet(name.padEnd(width))}  ${printable(value).replace(/\n+/g, " ")}`)
    .join("\n");
}
