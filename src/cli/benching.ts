import { join, resolve } from "node:path";
import { deviceNamed } from "../devices/registry.ts";
import { exitStatus, HieraError } from "../errors.ts";
import { proposerNamed } from "../proposing/index.ts";
import { answer, deviceLine } from "../report/answer.ts";
import { type ExampleRow, examplesTable, reasonsList, totals, totalsLine } from "../report/examples.ts";
import { range } from "../report/numbers.ts";
import { assemble } from "../search/assemble.ts";
import type { RunOptions, RunRecord } from "../search/record.ts";
import { createRun, drive } from "../search/run.ts";
import { openStore } from "../store/sqlite.ts";
import type { Store } from "../store/store.ts";
import { suites } from "../suites/index.ts";
import { earlierRun, type Steps, type Suite, type SuiteOutcome, type SuiteProblem, work } from "../suites/suite.ts";
import { version } from "../version.ts";
import { answerJson } from "./answer.ts";
import { untilInterrupted } from "./interrupt.ts";
import { openView } from "./live.ts";
import { ensureWritable, write, writeOutput } from "./output.ts";

interface Place {
  /** folder of the problem files; null: the set's own */
  readonly problems: string | null;
  readonly again: boolean;
  readonly out: string;
  readonly workspace: string;
  readonly json: boolean;
}

/** Optimizes each problem of a set, writing the table anew after each. Returns the exit status: 4 where one ends without a valid file. */
export async function bench(
  set: string,
  options: RunOptions,
  { problems: from, again, out, workspace, json }: Place,
): Promise<number> {
  const suite = (suites[set] as (folder: string | null) => Suite)(from);
  const problems = suite.problems();
  const output = resolve(out);
  ensureWritable(output);
  const store = openStore(workspace);
  const say = (line: string) => (json ? undefined : process.stdout.write(`${line}\n`));
  const outcomes: SuiteOutcome[] = [];
  try {
    await untilInterrupted(
      async (signal) => {
        for await (const outcome of work(problems, steps(store, options, output, again, signal))) {
          outcomes.push(outcome);
          if (outcome.run) await writeOutput(outcome.run, join(output, outcome.problem.name));
          const { markdown, json: data } = tables(problems, outcomes, options);
          write(output, `${suite.name}.md`, markdown);
          write(output, `${suite.name}.json`, `${JSON.stringify(data, null, 2)}\n`);
          say(`${outcomes.length}/${problems.length} ${progress(outcome)}`);
        }
      },
      () => new HieraError("interrupted", "stopped; what is finished is kept", { todo: "the same command goes on" }),
    );
  } finally {
    store.close();
  }
  const { markdown, json: data } = tables(problems, outcomes, options);
  process.stdout.write(json ? `${JSON.stringify(data)}\n` : `\n${markdown}`);
  return outcomes.every(({ run }) => run?.result?.verdict === "valid") ? 0 : exitStatus["no-candidate"];
}

function steps(store: Store, options: RunOptions, output: string, again: boolean, signal: AbortSignal): Steps {
  const device = deviceNamed(options.device);
  const proposer = proposerNamed(options.proposer);
  return {
    begin({ name, file, source }) {
      const known = again ? null : earlierRun(store, { name, file, source }, options);
      const id = known ?? createRun(store, { file: resolve(file), source, options, output: join(output, name) });
      const record = assemble(store, id);
      return { id, finished: record.result ? record : null };
    },
    async drive(id): Promise<RunRecord> {
      const view = openView(!process.stdout.isTTY);
      try {
        return await drive(id, { store, device, proposer, observe: view.observe, signal });
      } finally {
        view.close();
      }
    },
  };
}

function progress({ problem, run, reused, reason }: SuiteOutcome): string {
  if (run === null) return `${problem.name}: ${reason}`;
  const { headline, kind, why } = answer(run);
  return `${problem.name}: ${headline}${kind === "gained" ? ` ${range(run.result?.speedup)}` : `, ${why}`}${reused ? " (done before)" : ""}`;
}

const rowsOf = (problems: readonly SuiteProblem[], outcomes: readonly SuiteOutcome[]): ExampleRow[] =>
  problems.map(({ name }, i) => ({
    name,
    done: i < outcomes.length,
    run: outcomes[i]?.run ?? null,
    reason: outcomes[i]?.reason ?? null,
  }));

function tables(problems: readonly SuiteProblem[], outcomes: readonly SuiteOutcome[], options: RunOptions) {
  const rows = rowsOf(problems, outcomes);
  const contract = outcomes.find(({ run }) => run?.contract)?.run?.contract ?? null;
  const budget = `${options.rounds} rounds × ${options.candidates} candidates, proposer ${options.proposer}, hiera ${version}`;
  const parts = [examplesTable(rows), totalsLine(totals(rows)), reasonsList(rows), `On ${deviceLine(contract)}; ${budget}.`];
  return {
    markdown: `${parts.filter(Boolean).join("\n\n")}\n`,
    json: {
      hiera: version,
      options,
      environment: contract?.environment ?? null,
      totals: totals(rows),
      problems: rows.map(({ name, done, run, reason }) => ({
        problem: name,
        done,
        ...(run ? answerJson(run, []) : { run: null, reason }),
      })),
    },
  };
}
