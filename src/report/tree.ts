import type { Direction } from "../knowledge/directions.ts";
import type { Plan } from "../proposing/proposer.ts";
import type { CandidateRecord, RoundRecord, RunRecord, Trial } from "../search/record.ts";
import { evidence, settingsLine } from "./answer.ts";
import { facts, type Html, html, table } from "./markup.ts";
import { count, duration, missing, range, time, times } from "./numbers.ts";
import { mark } from "./verdicts.ts";

/** The five directions with their scores, the chosen one first. */
export function scores(plan: Plan): [Direction, number][] {
  const all = Object.entries(plan.scores) as [Direction, number][];
  return all.sort(([a, x], [b, y]) => Number(b === plan.direction) - Number(a === plan.direction) || y - x);
}

function planText(plan: Plan): Html {
  const { steps, expects, risks } = plan.strategy;
  return html`<div class="plan"><p>${plan.reason}</p>${facts([
    [
      "scores",
      scores(plan).map(
        ([d, s], i) =>
          html`${i > 0 && " · "}<span class="${d === plan.direction ? "chosen" : "other"}">${d} ${s.toFixed(2)}</span>`,
      ),
    ],
    ["steps", steps.length > 0 ? html`<ol>${steps.map((s) => html`<li>${s}</li>`)}</ol>` : null],
    ["expects", expects],
    ["risks", risks],
    ["tunables", plan.strategy.tunables.join(", ") || "none"],
  ])}</div>`;
}

const trialRows = (trials: readonly Trial[]) =>
  trials.map((t) => [
    settingsLine(t.settings) || "as written",
    mark(t.verdict),
    time(t.ms),
    t.speedup ? times(t.speedup.median) : missing,
    t.verdict === "valid" ? "" : t.reason,
  ]);

const seconds = (c: CandidateRecord): string => {
  const stages = Object.entries((c.final ?? c.full)?.seconds ?? {});
  return stages.map(([stage, s]) => `${stage} ${duration(s)}`).join(", ");
};

function details(c: CandidateRecord): Html {
  const { proposer, recipes, note } = c.origin;
  const judged = c.final ?? c.full;
  return html`${facts([
    ["reason", c.verdict === "valid" ? c.reason : null],
    ["from", [proposer, ...recipes].join(" · ")],
    ["what", note],
    ["aims at", `${c.space} · ${c.direction}`],
    ["settings", settingsLine(c.settings)],
    ["evidence", evidence(judged).join(", ")],
    ["checks", judged?.checks.join(" · ") ?? ""],
    ["seconds", seconds(c)],
  ])}${c.trials.length > 1 && table(["setting", "verdict", "time", "speedup", "reason"], trialRows(c.trials), [2, 3])}
${Object.entries(c.files).map(([name, text]) => html`<details class="file"><summary>${name}</summary><pre>${text}</pre></details>`)}`;
}

function candidate(c: CandidateRecord, best: string | null): Html {
  const winner = c.id === best;
  return html`<details class="candidate${winner && " winner"}" id="${c.id}"><summary><span class="id">${c.id}</span><span class="title">${c.title}${
    winner && html` <strong>best</strong>`
  }</span>${mark(c.verdict)}<span class="n">${time(c.ms)}</span><span class="n">${
    c.speedup ? html`${times(c.speedup.median)} <span class="range">${range(c.speedup)}</span>` : missing
  }</span>${c.verdict !== "valid" && c.reason !== "" && html`<span class="reason">${c.reason}</span>`}</summary>${details(c)}</details>`;
}

function round(r: RoundRecord, run: RunRecord): Html {
  const plan = r.plans.at(-1);
  const own = run.candidates.filter((c) => r.candidates.includes(c.id));
  const widened = r.plans.slice(0, -1);
  return html`<li><h3>Round ${r.round}${plan && html`: <b>${plan.space}</b> space, <b>${plan.direction}</b>`}</h3>
${widened.map((p) => html`<p class="quiet">First planned ${p.space} · ${p.direction}, which no candidate came of: ${p.reason}</p>`)}
${plan && planText(plan)}
${own.length > 0 ? own.map((c) => candidate(c, run.result?.best ?? null)) : html`<p class="quiet">No candidate.</p>`}
${r.uncovered.map((u) => html`<p class="quiet">Region ${u.region} not covered in ${u.space}: ${u.reason}</p>`)}</li>`;
}

/** The search: rounds, the decision of each with its reasons, its candidates; each unfolds to all that is known of it. */
export function tree(run: RunRecord): Html {
  if (run.rounds.length === 0) return html`<p>No round was planned.</p>`;
  return html`<p>${count(run.candidates.length, "candidate")} in ${count(run.rounds.length, "round")}. ${run.result ? `Ended: ${run.result.stopped}.` : "Not finished."} Each line unfolds.</p>
<ol class="tree">${run.rounds.map((r) => round(r, run))}</ol>`;
}
