import type { Verdict } from "../evaluation/verdict.ts";
import { type Html, html } from "./markup.ts";

/** How a verdict is shown: passed, failed, not judged, or the verifier's own trouble. */
export type Tone = "good" | "bad" | "quiet";

export const tone = (verdict: Verdict | "no-candidate" | null): Tone =>
  verdict === "valid" ? "good" : verdict === null || verdict === "infrastructure" ? "quiet" : "bad";

export const word = (verdict: Verdict | "no-candidate" | null): string => verdict ?? "not judged";

export const mark = (verdict: Verdict | "no-candidate" | null): Html =>
  html`<span class="verdict ${tone(verdict)}">${word(verdict)}</span>`;
