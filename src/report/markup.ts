import { printable } from "./numbers.ts";

/** Text that is HTML already. Only `html` makes it, so whatever else enters a page is escaped. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Part = Html | string | number | null | undefined | false | readonly Part[];

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

const escaped = (text: string): string => printable(text).replace(/[&<>"']/g, (c) => entities[c] as string);

function render(part: Part): string {
  if (part === null || part === undefined || part === false) return "";
  if (part instanceof Html) return part.text;
  if (typeof part === "object") return part.map(render).join("");
  return escaped(String(part));
}

/** A template whose values are escaped unless they are HTML themselves; lists are joined, null and false leave no trace. */
export const html = (strings: TemplateStringsArray, ...parts: Part[]): Html =>
  new Html(strings.reduce((out, text, i) => out + render(parts[i - 1]) + text));

/** Rows of facts: a name and what it is; rows without a value are left out. */
export const facts = (rows: readonly (readonly [string, Part])[]): Html =>
  html`<dl>${rows.flatMap(([name, value]) => (value === null || value === "" ? [] : [html`<dt>${name}</dt><dd>${value}</dd>`]))}</dl>`;

/** A table in a box that scrolls sideways on its own. `numeric`: columns set flush right. */
export const table = (head: readonly string[], rows: readonly (readonly Part[])[], numeric: readonly number[] = []): Html => {
  const right = (i: number) => (numeric.includes(i) ? html` class="n"` : "");
  return html`<div class="scroll"><table><thead><tr>${head.map((h, i) => html`<th scope="col"${right(i)}>${h}</th>`)}</tr></thead>
<tbody>${rows.map((row) => html`<tr>${row.map((cell, i) => html`<td${right(i)}>${cell}</td>`)}</tr>\n`)}</tbody></table></div>`;
};

/** Out of the way on a screen, unfolded in print. */
export const folded = (title: string, body: Html): Html =>
  html`<details class="print"><summary>${title}</summary>${body}</details>\n`;
