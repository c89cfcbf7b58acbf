import { resolve } from "node:path";
import { deviceNamed } from "../devices/registry.ts";
import { exitStatus, HieraError } from "../errors.ts";
import { readProblem } from "../problem/read.ts";
import { proposerNamed } from "../proposing/index.ts";
import { styleFor } from "../report/terminal.ts";
import { summary } from "../report/text.ts";
import type { RunBody } from "../search/bodies.ts";
import type { RunOptions, RunRecord } from "../search/record.ts";
import { createRun, drive } from "../search/run.ts";
import { openStore } from "../store/sqlite.ts";
import type { Store } from "../store/store.ts";
import { answerJson } from "./answer.ts";
import { printed } from "./failing.ts";
import { untilInterrupted } from "./interrupt.ts";
import { openView } from "./live.ts";
import { ensureWritable, writeOutput } from "./output.ts";
import { readStore } from "./reading.ts";

interface Place {
  readonly workspace: string;
  readonly json: boolean;
}

/** Starts a run and drives it to its end. Returns the exit status. */
export function startRun(file: string, options: RunOptions, { out, ...place }: Place & { out: string }): Promise<number> {
  return printed(place.json, null, async () => {
    const source = readProblem(file);
    deviceNamed(options.device);
    proposerNamed(options.proposer);
    const output = resolve(out);
    ensureWritable(output);
    const store = openStore(place.workspace);
    return finishRun(store, createRun(store, { file: resolve(file), source, options, output }), place);
  });
}

/** Goes on with a run; a finished one writes its output again. Returns the exit status. */
export function resumeRun(run: string, place: Place): Promise<number> {
  return printed(place.json, run, async () => {
    readStore(place.workspace, (store) => bodyOf(store, run));
    return finishRun(openStore(place.workspace), run, place);
  });
}

async function finishRun(store: Store, run: string, place: Place): Promise<number> {
  try {
    const record = await driveHere(store, run, place);
    const written = await writeOutput(record, bodyOf(store, run).output);
    process.stdout.write(
      place.json
        ? `${JSON.stringify(answerJson(record, written))}\n`
        : `\n${summary(record, written, styleFor(process.stdout))}\n`,
    );
    if (record.result?.verdict === "valid") return 0;
    const none = record.result?.outcome === "no-candidate";
    process.stderr.write(`hiera: ${record.result?.reason} — ${none ? "allow a wider --space" : "try again"}\n`);
    return exitStatus[none ? "no-candidate" : "infrastructure"];
  } finally {
    store.close();
  }
}

async function driveHere(store: Store, run: string, { workspace, json }: Place): Promise<RunRecord> {
  const { device, proposer } = bodyOf(store, run).options;
  const view = openView(json);
  const drivers = { store, device: deviceNamed(device), proposer: proposerNamed(proposer), observe: view.observe };
  try {
    return await untilInterrupted(
      (signal) => drive(run, { ...drivers, signal }),
      () =>
        new HieraError("interrupted", "stopped; what is finished is kept", {
          todo: `go on with: hiera resume ${run}${workspace === "." ? "" : ` --workspace ${workspace}`}`,
        }),
    );
  } finally {
    view.close();
  }
}

function bodyOf(store: Store, run: string): RunBody {
  const row = store.run(run);
  if (row === undefined) throw new HieraError("usage", `no run named ${run}`, { todo: "list them with: hiera runs" });
  return row.body as RunBody;
}
