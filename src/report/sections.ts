import type { CandidateRecord, RunRecord } from "../search/record.ts";
import {
  againCommand,
  answer,
  best,
  deviceLine,
  failures,
  floorLine,
  howSure,
  searchLine,
  settingsLine,
  timeLine,
} from "./answer.ts";
import { changes, diffView } from "./changes.ts";
import { type Highlighter, listing } from "./code.ts";
import { facts, type Html, html } from "./markup.ts";
import { mark } from "./verdicts.ts";

/** The answer first: how much, on what, how sure, and the command that shows it again. */
export function answerView(run: RunRecord): Html {
  const a = answer(run);
  const winner = best(run);
  const judged = run.result?.evaluation ?? null;
  return html`<header class="${a.kind}"><p class="problem">${run.problem.name}</p>
<h1>${a.headline}</h1>
${a.interval !== "" && html`<p class="interval">${a.interval}</p>`}<p class="times">${timeLine(run)}</p>
${facts([
  ["verdict", run.result && html`${mark(run.result.verdict)} ${a.why}`],
  ["next", run.result ? null : a.why],
  ["how sure", howSure(run)],
  ["checks", judged?.checks.join(" · ") ?? ""],
  ["floor", floorLine(run)],
  [
    "best",
    winner && html`<a href="#${winner.id}">${winner.id}</a> ${winner.title} · ${winner.space} space · ${winner.direction}`,
  ],
  ["settings", winner && settingsLine(winner.settings)],
  ["device", deviceLine(run.contract)],
  ["search", searchLine(run)],
  ["stopped", run.result?.stopped ?? null],
  ["again", againCommand(run) && html`<code>${againCommand(run)}</code>`],
])}</header>`;
}

const failure = (c: CandidateRecord): Html =>
  html`<article><h3><a href="#${c.id}">${c.id}</a> ${c.title} ${mark(c.verdict)}</h3><p>${c.reason}</p>${
    c.log.length > 0 && html`<pre>${c.log.join("\n")}</pre>`
  }</article>`;

export function failuresView(run: RunRecord): Html {
  const failed = failures(run);
  return failed.length === 0 ? html`<p>None.</p>` : html`${failed.map(failure)}`;
}

/** The best candidate's own files, then the whole drop-in. */
export function codeView(run: RunRecord, highlight: Highlighter): Html {
  const winner = best(run);
  const whole = run.result?.source ?? null;
  const files = Object.entries(winner?.files ?? {});
  return html`${winner && settingsLine(winner.settings) !== "" && html`<p>Settings: ${settingsLine(winner.settings)}</p>`}${files.map(
    ([name, text], i) =>
      html`<details class="file"${i === 0 && html` open`}><summary>${name}</summary>${listing(text, name, highlight)}</details>`,
  )}${whole !== null && html`<details class="file"${files.length === 0 && html` open`}><summary>model_new.py, the whole drop-in</summary>${listing(whole, "model_new.py", highlight)}</details>`}${
    files.length === 0 && whole === null && html`<p>No file.</p>`
  }`;
}

/** What changed between the first valid candidate and the best, or why there is nothing to compare. */
function sinceFirst(run: RunRecord, winner: CandidateRecord, highlight: Highlighter): Html {
  const first = run.candidates.find((c) => c.verdict === "valid");
  if (!first || first.id === winner.id) return html`<p>The best is the first valid candidate.</p>`;
  const changed = changes(first.files, winner.files);
  return html`<p>From ${first.id} ${first.title} to ${winner.id} ${winner.title}.</p>${
    changed.length === 0 &&
    html`<p>The files are equal; the settings differ: ${settingsLine(first.settings)} → ${settingsLine(winner.settings)}.</p>`
  }${changed.map((c) => html`<details class="file" open><summary>${c.name}</summary>${diffView(c, highlight)}</details>`)}`;
}

export function changesView(run: RunRecord, highlight: Highlighter): Html {
  const winner = best(run);
  const after = run.result?.source ?? null;
  const drop = after !== null && after !== run.problem.source;
  return html`${winner && sinceFirst(run, winner, highlight)}${
    drop &&
    html`<details class="file"><summary>reference → model_new.py</summary>${diffView(
      { name: "model_new.py", before: run.problem.source, after },
      highlight,
    )}</details>`
  }${!winner && !drop && html`<p>Nothing to compare: the output is the reference, or there is none.</p>`}`;
}
