import type { RunRecord } from "../search/record.ts";
import { answer } from "./answer.ts";
import { chart } from "./chart.ts";
import { highlighter, palette } from "./code.ts";
import { contractView, environment } from "./contract.ts";
import { folded, Html, html } from "./markup.ts";
import { operatorsView } from "./operators.ts";
import { answerView, changesView, codeView, failuresView } from "./sections.ts";
import { style } from "./style.ts";
import { tree } from "./tree.ts";

const section = (title: string, body: Html): Html => html`<section><h2>${title}</h2>\n${body}</section>\n`;

function conditions(run: RunRecord): Html {
  const { contract } = run;
  if (!contract) return html`<p>The problem was not traced.</p>`;
  return html`${folded("contract", contractView(run, contract))}${folded("environment", environment(contract.environment))}`;
}

/** Nothing is fetched and no script runs, whatever a candidate's text contains. */
const policy = "default-src 'none'; style-src 'unsafe-inline'";

/**
 * The whole report: one HTML file that needs neither network nor script.
 * Everything that came from a problem, a proposer or a log is escaped.
 */
export async function renderReport(run: RunRecord): Promise<string> {
  const colours = palette();
  const highlight = await highlighter(colours);
  const body = html`${answerView(run)}
<main>${section("Times", chart(run))}${section("Search", tree(run))}${section("Failures", failuresView(run))}${section(
    "Code",
    codeView(run, highlight),
  )}${section("Changes", changesView(run, highlight))}${section("Conditions", conditions(run))}${section(
    "Operators",
    operatorsView(run),
  )}</main>
<footer>Run ${run.id}, ${run.createdAt}, hiera ${run.hiera}.</footer>`;
  const css = new Html(`${style}${colours.css()}`);
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>${run.problem.name}: ${answer(run).headline}</title><style>${css}</style></head>
<body>${body}</body></html>
`.text;
}
