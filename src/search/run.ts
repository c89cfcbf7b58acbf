import { randomBytes } from "node:crypto";
import { basename } from "node:path";
import type { Device } from "../devices/device.ts";
import { HieraError } from "../errors.ts";
import type { Proposer } from "../proposing/proposer.ts";
import { Journal } from "../store/journal.ts";
import type { Store } from "../store/store.ts";
import { version } from "../version.ts";
import { assemble } from "./assemble.ts";
import type { RunBody } from "./bodies.ts";
import type { Observer } from "./events.ts";
import { finish } from "./finish.ts";
import { Link } from "./link.ts";
import { prepare } from "./prepare.ts";
import type { RunOptions, RunRecord } from "./record.ts";
import { searchRounds } from "./rounds.ts";

export const defaults: RunOptions = {
  device: "cpu",
  proposer: "expert",
  space: null,
  rounds: 3,
  candidates: 6,
  minutes: null,
  mode: "as-is",
  precision: "strict",
  fixedRng: false,
  tolerance: "budget",
  threads: null,
};

export interface NewRun {
  readonly file: string;
  /** the problem's text */
  readonly source: string;
  readonly options: RunOptions;
  /** folder for the drop-in and the report */
  readonly output: string;
  /** default: made from the file's name */
  readonly id?: string;
}

/** Records a new run, so that `drive` can be called on it any number of times. Returns its id: `gelu_chain-1a2b3c`. */
export function createRun(store: Store, { file, source, options, output, id }: NewRun): string {
  const name = basename(file).replace(/\.py$/, "");
  const body: RunBody = { hiera: version, problem: { name, file, source: store.put(source) }, options, output };
  const run = id ?? `${name}-${randomBytes(3).toString("hex")}`;
  store.create(run, body);
  return run;
}

export interface Drivers {
  readonly store: Store;
  readonly device: Device;
  readonly proposer: Proposer;
  readonly observe?: Observer;
  readonly signal?: AbortSignal;
}

/**
 * Drives a run to its end: every step that is not yet recorded is taken and recorded, the others are read.
 * Throws HieraError("problem-invalid" | "infrastructure" | "interrupted" | "usage"); the run can then be driven again.
 */
export async function drive(
  run: string,
  { store, device, proposer, observe = () => undefined, signal }: Drivers,
): Promise<RunRecord> {
  const row = store.run(run);
  if (row === undefined) throw new HieraError("usage", `no run named ${run}`, { todo: "list them with: hiera runs" });
  const { problem, options } = row.body as RunBody;
  const release = store.lock(run);
  const link = new Link(device, observe, signal);
  try {
    observe({ type: "start", run, problem: problem.name, options });
    const base = { journal: new Journal(store, run), link, observe };
    const { context, validation, bottleneck } = await prepare(base, problem.name, store.text(problem.source), options);
    const situation = { baselineMs: validation.baselineMs, bottleneck, options, proposer };
    const { state, stopped } = await searchRounds(context, situation);
    observe({ type: "stopped", reason: stopped });
    await finish(context, state, stopped, options);
    const record = assemble(store, run);
    if (record.result !== null) observe({ type: "result", result: record.result });
    return record;
  } finally {
    await link.close();
    release();
  }
}
