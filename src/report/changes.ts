import { structuredPatch } from "diff";
import { type Highlighter, lines } from "./code.ts";
import { type Html, html } from "./markup.ts";

/** A file before and after; null where it is not there. */
export interface Change {
  readonly name: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** Files of two candidates side by side, those that are equal left out. */
export function changes(before: Readonly<Record<string, string>>, after: Readonly<Record<string, string>>): Change[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return names
    .map((name) => ({ name, before: before[name] ?? null, after: after[name] ?? null }))
    .filter((c) => c.before !== c.after);
}

export interface Line {
  readonly kind: "same" | "gone" | "new" | "gap";
  /** index into the lines of the side it stands on (`before` for those gone) */
  readonly at: number;
}

/** The diff as line indices with three lines of context; `gap` stands before a hunk that does not start the file. */
export function patch(before: string, after: string): Line[] {
  const [a, b] = [lines(before), lines(after)];
  const { hunks } = structuredPatch("", "", `${a.join("\n")}\n`, `${b.join("\n")}\n`, "", "", { context: 3 });
  return hunks.flatMap((hunk) => {
    let [i, j] = [hunk.oldStart - 1, hunk.newStart - 1];
    const body = hunk.lines.flatMap((line): Line[] => {
      if (line[0] === "-") return [{ kind: "gone", at: i++ }];
      if (line[0] === "+") return [{ kind: "new", at: j++ }];
      if (line[0] !== " ") return [];
      i++;
      return [{ kind: "same", at: j++ }];
    });
    return hunk.newStart > 1 ? [{ kind: "gap" as const, at: hunk.newStart - 1 }, ...body] : body;
  });
}

const sign = { same: " ", gone: "−", new: "+", gap: "⋯" };

/** A unified diff in colour; each side is highlighted as the whole file that it is. */
export function diffView(change: Change, highlight: Highlighter): Html {
  const [before, after] = [change.before ?? "", change.after ?? ""];
  const [old, now] = [highlight(before, change.name), highlight(after, change.name)];
  const text = (line: Line) => (line.kind === "gap" ? `line ${line.at + 1}` : (line.kind === "gone" ? old : now)[line.at]);
  return html`<pre class="diff">${patch(before, after).map(
    (line) => html`<span class="${line.kind}"><b>${sign[line.kind]}</b>${text(line)}</span>\n`,
  )}</pre>`;
}
