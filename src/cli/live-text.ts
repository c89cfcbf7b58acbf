import { duration, time, times } from "../report/numbers.ts";
import { columns, cut, type Style } from "../report/terminal.ts";
import { tone } from "../report/verdicts.ts";
import type { SearchEvent } from "../search/events.ts";
import type { LiveLine, LiveState } from "./live-state.ts";

/** Rows of candidates that are shown at once; the earliest give way. */
const shownRows = 12;

/** The whole block: what is searched, candidates of the latest rounds, the best so far, time used and left. */
export function block(state: LiveState, style: Style, now: number): string {
  const plan = state.plans.at(-1);
  const rows = state.lines.slice(-shownRows).map((line) => row(line, state, style));
  const heads = [
    { head: "id" },
    { head: "candidate", flexible: true },
    { head: "state" },
    { head: "time", right: true },
    { head: "speedup", right: true },
  ];
  return [
    `${style.bold(state.problem)}  ${style.quiet(state.run)}`,
    plan && cut(`round ${plan.round} of ${state.options?.rounds ?? "?"}: ${plan.space} · ${plan.direction}`, style.width),
    rows.length > 0 ? columns(heads, rows, style) : undefined,
    bestLine(state, style),
    style.quiet(cut(footer(state, now), style.width)),
  ]
    .filter((line) => line !== undefined)
    .join("\n");
}

function row(line: LiveLine, { stage, best }: LiveState, style: Style) {
  const running = stage?.subject === line.id;
  const text = line.verdict ?? (running ? stage.text : line.trials > 0 ? "tuning" : "waiting");
  return [
    { text: line.id, paint: line.id === best?.id ? style.bold : style.quiet },
    line.title,
    { text: cut(text, 24), paint: line.verdict === null ? style.quiet : style[tone(line.verdict)] },
    time(line.ms),
    times(line.speedup),
  ];
}

function bestLine({ best, baselineMs, floorMs }: LiveState, style: Style): string | undefined {
  if (baselineMs === null) return undefined;
  const reference = `reference ${time(baselineMs)}, floor ${time(floorMs)}`;
  return best === null
    ? `best so far: ${reference}`
    : `best so far: ${style.good(times(best.speedup))} (${best.id}, ${time(best.ms)}; ${reference})`;
}

function footer(state: LiveState, now: number): string {
  const used = (now - state.startedAt) / 1000;
  const left = secondsLeft(state, used);
  return [
    state.stopped ?? (state.stage ? `${state.stage.subject}: ${state.stage.text}` : "working"),
    `${duration(used)} used`,
    left === null ? null : `about ${duration(left)} left`,
    "Ctrl-C stops; hiera resume goes on",
  ]
    .filter(Boolean)
    .join(" · ");
}

/** From the pace so far and the whole budget; a search that stops early takes less. */
function secondsLeft({ lines, options, stopped }: LiveState, used: number): number | null {
  const done = lines.filter((line) => line.verdict !== null).length;
  if (options === null || done === 0 || stopped !== null) return null;
  const byPace = (used / done) * Math.max(0, options.rounds * options.candidates - done);
  return options.minutes === null ? byPace : Math.min(byPace, Math.max(0, 60 * options.minutes - used));
}

type Lines = { readonly [T in SearchEvent["type"]]: (event: Extract<SearchEvent, { type: T }>) => string | null };

/** What a log keeps of each event; null: nothing. */
const lines: Lines = {
  start: ({ run, problem, options }) => `${problem} on ${options.device}: run ${run}`,
  stage: () => null,
  retry: ({ subject, reason }) => `${subject}: again after: ${reason}`,
  contract: ({ contract, validation, bottleneck }) =>
    `reference ${time(validation.baselineMs)}, floor ${time(contract.performance.floor.ms)}; ${bottleneck.why}`,
  plan: ({ plan }) => `round ${plan.round}: ${plan.space} · ${plan.direction}`,
  exhausted: ({ space, why }) => `  nothing in ${space}: ${why}`,
  proposed: () => null,
  trial: () => null,
  verdict: ({ id, effort, verdict, reason, speedup, ms }) =>
    `  ${id}  ${verdict}${speedup === null ? "" : `  ${times(speedup.median)}  ${time(ms)}`}${verdict === "valid" ? "" : `: ${cut(reason, 300)}`}${effort === "final" ? "  (final, new seeds)" : ""}`,
  best: () => null,
  stopped: ({ reason }) => `stopped: ${reason}`,
  result: () => null,
};

export const plainLine = (event: SearchEvent): string | null => lines[event.type](event as never);
