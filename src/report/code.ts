import { type Html, html } from "./markup.ts";
import { printable } from "./numbers.ts";

/** Source text as lines of highlighted HTML, ready for a listing or a diff. */
export type Highlighter = (text: string, file: string) => readonly Html[];

const languages: Record<string, string> = { py: "python", cpp: "cpp", cc: "cpp", h: "cpp", cu: "cpp", cuh: "cpp" };

const language = (file: string): string => languages[file.split(".").at(-1) ?? ""] ?? "text";

/** Splits as the highlighter does, so that both sides of a diff count lines alike. */
export const lines = (text: string): string[] => printable(text).replace(/\n$/, "").split("\n");

/** One class for each pair of colours that occurs; `css` gives their rules once the page's code is known. */
export interface Palette {
  readonly name: (light: string, dark: string) => string;
  readonly css: () => string;
}

export function palette(): Palette {
  const names = new Map<string, string>();
  const rule = (pair: string, name: string) => {
    const [light, dark] = pair.split(" ");
    return `.${name}{--l:${light};--d:${dark}}`;
  };
  return {
    name: (light, dark) => {
      const pair = `${light} ${dark}`;
      const name = names.get(pair) ?? `k${names.size}`;
      names.set(pair, name);
      return name;
    },
    css: () => [...names].map(([pair, name]) => rule(pair, name)).join("\n"),
  };
}

async function load() {
  const [{ createHighlighterCore }, { createJavaScriptRegexEngine }] = await Promise.all([
    import("shiki/core"),
    import("shiki/engine/javascript"),
  ]);
  return createHighlighterCore({
    langs: [import("shiki/langs/cpp.mjs"), import("shiki/langs/python.mjs")],
    themes: [import("shiki/themes/github-light.mjs"), import("shiki/themes/github-dark.mjs")],
    engine: createJavaScriptRegexEngine(),
  });
}

/** Loaded on first use and kept: grammars and themes take a second that no other command should pay. The C++ grammar serves CUDA. */
let shiki: ReturnType<typeof load> | undefined;

export async function highlighter(colours: Palette): Promise<Highlighter> {
  shiki ??= load();
  const { codeToTokensWithThemes } = await shiki;
  const themes = { light: "github-light", dark: "github-dark" };
  return (text, file) =>
    codeToTokensWithThemes(lines(text).join("\n"), { lang: language(file), themes }).map(
      (line) =>
        html`${line.map((t) => {
          const [light, dark] = [t.variants.light?.color, t.variants.dark?.color];
          return light && dark && t.content.trim() !== ""
            ? html`<i class="${colours.name(light, dark)}">${t.content}</i>`
            : t.content;
        })}`,
    );
}

/** A listing with line numbers. */
export const listing = (text: string, file: string, highlight: Highlighter): Html =>
  html`<pre class="code">${highlight(text, file).map((line) => html`<span class="line">${line}</span>\n`)}</pre>`;
