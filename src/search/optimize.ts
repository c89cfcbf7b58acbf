import type { Device } from "../devices/device.ts";
import { deviceNamed } from "../devices/registry.ts";
import { readProblem } from "../problem/read.ts";
import { proposerNamed } from "../proposing/index.ts";
import type { Proposer } from "../proposing/proposer.ts";
import { memoryStore } from "../store/memory.ts";
import type { Store } from "../store/store.ts";
import type { Observer } from "./events.ts";
import type { RunOptions, RunRecord } from "./record.ts";
import { createRun, defaults, drive } from "./run.ts";

export interface OptimizeOptions extends Omit<Partial<RunOptions>, "device" | "proposer"> {
  /** name or value; default: this machine's CPU */
  readonly device?: string | Device;
  /** name or value; default: the expert's recipes */
  readonly proposer?: string | Proposer;
  /** default: a store that ends with the process */
  readonly store?: Store;
  readonly observe?: Observer;
  readonly signal?: AbortSignal;
}

/**
 * Makes the module in `file` faster. The record's `result.source` is the drop-in's text; nothing is written but the store.
 * Throws HieraError("problem-invalid" | "infrastructure" | "interrupted" | "usage").
 */
export async function optimize(file: string, options: OptimizeOptions = {}): Promise<RunRecord> {
  const { device = defaults.device, proposer = defaults.proposer, store = memoryStore(), observe, signal, ...rest } = options;
  const where = typeof device === "string" ? deviceNamed(device) : device;
  const who = typeof proposer === "string" ? proposerNamed(proposer) : proposer;
  const source = readProblem(file);
  const run = createRun(store, {
    file,
    source,
    options: { ...defaults, ...rest, device: where.name, proposer: who.name },
    output: "out",
  });
  return drive(run, { store, device: where, proposer: who, ...(observe && { observe }), ...(signal && { signal }) });
}
