import { createTwoFilesPatch, FILE_HEADERS_ONLY } from "diff";
import { HieraError } from "../errors.ts";
import type { CandidateRecord, RoundRecord, RunRecord } from "../search/record.ts";
import { againCommand, answer, best, deviceLine, floorLine, howSure, searchLine, settingsLine, timeLine } from "./answer.ts";
import { changes } from "./changes.ts";
import { missing, printable, range, significant, time, times } from "./numbers.ts";
import { type Cell, columns, cut, pairs, plain, type Style } from "./terminal.ts";
import { scores } from "./tree.ts";
import { tone, word } from "./verdicts.ts";

const painted = (verdict: CandidateRecord["verdict"] | "no-candidate", style: Style): Cell => ({
  text: word(verdict),
  paint: style[tone(verdict)],
});

const headline = (run: RunRecord, style: Style): string => {
  const a = answer(run);
  const paint = { gained: style.good, same: style.bold, none: style.bad, open: style.bold }[a.kind];
  return `${printable(run.problem.name)}: ${paint(a.headline)}${a.interval ? `, ${a.interval}` : ""}`;
};

/** What `optimize` prints at its end: the answer, then what stands behind it. `outputs`: the files written. */
export function summary(run: RunRecord, outputs: readonly string[] = [], style: Style = plain): string {
  const winner = best(run);
  const { result } = run;
  const chosen = winner && [`${winner.id} ${winner.title}`, winner.space, winner.direction, settingsLine(winner.settings)];
  return [
    headline(run, style),
    pairs(
      [
        ["verdict", result && `${result.verdict}: ${answer(run).why}`],
        ["next", result ? null : answer(run).why],
        ["time", `${timeLine(run)}; ${floorLine(run)}`],
        ["best", chosen?.filter(Boolean).join(" · ") ?? null],
        ["how sure", howSure(run)],
        ["device", deviceLine(run.contract)],
        ["search", searchLine(run)],
        ["stopped", result?.stopped ?? null],
        ["output", outputs.join(", ")],
        ["again", againCommand(run)],
      ],
      style,
    ),
  ].join("\n");
}

const minute = (iso: string): string => iso.slice(0, 16).replace("T", " ");

/** `hiera runs`: one line a run, in the order given. */
export function runsTable(runs: readonly RunRecord[], style: Style = plain): string {
  if (runs.length === 0) return "no runs yet: hiera optimize FILE starts one";
  const heads = [
    { head: "run" },
    { head: "started (UTC)" },
    { head: "problem", flexible: true },
    { head: "device" },
    { head: "result" },
    { head: "time", right: true },
    { head: "interval", right: true },
    { head: "valid", right: true },
  ];
  const rows = runs.map((run) => [
    run.id,
    minute(run.createdAt),
    run.problem.name,
    run.options.device,
    { text: answer(run).headline, paint: answer(run).kind === "gained" ? style.good : style.bold },
    time(run.result?.bestMs),
    answer(run).kind === "gained" ? range(run.result?.speedup) : missing,
    `${run.candidates.filter((c) => c.verdict === "valid").length}/${run.candidates.length}`,
  ]);
  return columns(heads, rows, style);
}

const candidateHeads = [
  { head: "id" },
  { head: "candidate", flexible: true },
  { head: "space" },
  { head: "direction" },
  { head: "verdict" },
  { head: "time", right: true },
  { head: "speedup", right: true },
  { head: "interval", right: true },
];

const candidateRow = (run: RunRecord, style: Style) => (c: CandidateRecord) => [
  { text: c.id, paint: c.id === run.result?.best ? style.bold : style.quiet },
  c.id === run.result?.best ? `${c.title} (best)` : c.title,
  c.space,
  c.direction,
  painted(c.verdict, style),
  time(c.ms),
  times(c.speedup?.median),
  range(c.speedup),
];

function roundText(run: RunRecord, round: RoundRecord, style: Style): string {
  const own = run.candidates.filter((c) => round.candidates.includes(c.id));
  const failed = own.filter((c) => c.verdict !== null && c.verdict !== "valid");
  const planned = round.plans.flatMap((p, i) => [
    `${style.bold(i === 0 ? `round ${round.round}` : "  widened")}  ${p.space} · ${p.direction}: ${printable(p.reason)}`,
    pairs(
      [
        [
          "scores",
          scores(p)
            .map(([d, s]) => `${d} ${s.toFixed(2)}`)
            .join(", "),
        ],
        ["steps", p.strategy.steps.join("; ")],
        ["expects", p.strategy.expects],
      ],
      style,
    ),
  ]);
  const uncovered = round.uncovered.map(
    (u) => `  ${style.quiet("uncovered")}  ${u.region} in ${u.space}: ${cut(u.reason, style.width - 20)}`,
  );
  const why = failed.flatMap((c) => [
    `  ${c.id}  ${style.bad(word(c.verdict))}: ${cut(c.reason, 500)}`,
    ...c.log.map((line) => `        ${style.quiet(cut(line, style.width - 8))}`),
  ]);
  const table = own.length > 0 ? columns(candidateHeads, own.map(candidateRow(run, style)), style) : "no candidate";
  return [...planned, ...uncovered, table, ...why].join("\n");
}

/** `hiera show RUN`: the answer, then each round's plan, candidates and failures. */
export const showRun = (run: RunRecord, style: Style = plain): string =>
  [summary(run, [], style), ...run.rounds.map((round) => roundText(run, round, style))].join("\n\n");

function named(run: RunRecord, id: string): CandidateRecord {
  const found = run.candidates.find((c) => c.id === id);
  if (found) return found;
  const known = run.candidates.map((c) => c.id).join(", ");
  throw new HieraError("usage", `no candidate ${id}`, {
    where: `run ${run.id}`,
    todo: known ? `choose from ${known}` : "the run has none",
  });
}

const colour = (line: string, style: Style): string =>
  /^(\+\+\+|---) /.test(line) ? style.bold(line) : line[0] === "+" ? style.good(line) : line[0] === "-" ? style.bad(line) : line;

/** A unified diff of two candidates' files and settings. Throws HieraError("usage") where one of them is not in the run. */
export function diffCandidates(run: RunRecord, a: string, b: string, style: Style = plain): string {
  const [before, after] = [named(run, a), named(run, b)];
  const settings = (c: CandidateRecord) =>
    Object.entries(c.settings)
      .map(([name, value]) => `${name} = ${value}\n`)
      .join("");
  const sides = (c: CandidateRecord) => ({ ...c.files, settings: settings(c) });
  const patches = changes(sides(before), sides(after)).map((c) =>
    createTwoFilesPatch(`${a}/${c.name}`, `${b}/${c.name}`, c.before ?? "", c.after ?? "", undefined, undefined, {
      context: 3,
      headerOptions: FILE_HEADERS_ONLY,
    }),
  );
  if (patches.length === 0) return `${a} and ${b} have the same files and settings`;
  return patches
    .map((text) =>
      printable(text)
        .trimEnd()
        .split("\n")
        .map((line) => colour(line, style))
        .join("\n"),
    )
    .join("\n");
}

/** What is compared when a result is measured again. */
export interface Measured {
  readonly verdict: string;
  readonly speedup: { readonly median: number; readonly low: number; readonly high: number } | null;
  readonly baselineMs: number | null;
  readonly candidateMs: number | null;
  readonly device: string;
  readonly torch: string;
}

/** `hiera reproduce`: old beside new, and the new over the old where both are numbers. */
export function compareTable(old: Measured, now: Measured, style: Style = plain): string {
  const ratio = (a: number | null | undefined, b: number | null | undefined) => (a && b ? significant(b / a) : missing);
  const row = (name: string, a: string, b: string, change: string) => [{ text: name, paint: style.quiet }, a, b, change];
  const number = (name: string, of: (m: Measured) => number | null | undefined, show: (x: number | null | undefined) => string) =>
    row(name, show(of(old)), show(of(now)), ratio(of(old), of(now)));
  return columns(
    [{ head: "" }, { head: "recorded", right: true }, { head: "now", right: true }, { head: "now/recorded", right: true }],
    [
      row("verdict", old.verdict, now.verdict, ""),
      number("speedup", (m) => m.speedup?.median, times),
      row("interval", range(old.speedup), range(now.speedup), ""),
      number("reference", (m) => m.baselineMs, time),
      number("candidate", (m) => m.candidateMs, time),
      row("device", old.device, now.device, ""),
      row("torch", old.torch, now.torch, ""),
    ],
    style,
  );
}
