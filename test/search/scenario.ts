import type { NullOptions } from "../../src/devices/null.ts";
import { nullDevice } from "../../src/devices/null.ts";
import type { Proposer } from "../../src/proposing/proposer.ts";
import { type ScriptedAnswer, scriptedProposer } from "../../src/proposing/scripted.ts";
import type { SearchEvent } from "../../src/search/events.ts";
import type { RunOptions, RunRecord } from "../../src/search/record.ts";
import { createRun, defaults, drive } from "../../src/search/run.ts";
import { memoryStore } from "../../src/store/memory.ts";
import type { Store } from "../../src/store/store.ts";

const source = "class Model:\n    pass\n";

export interface Scenario {
  readonly answers: readonly ScriptedAnswer[] | Proposer;
  readonly options?: Partial<RunOptions>;
  readonly device?: NullOptions;
  readonly store?: Store;
  readonly signal?: AbortSignal;
}

/** One search on the null device. */
export async function search({ answers, options = {}, device = {}, store = memoryStore(), signal }: Scenario): Promise<{
  record: RunRecord;
  events: SearchEvent[];
  proposer: ReturnType<typeof scriptedProposer>;
  store: Store;
}> {
  const proposer = "name" in answers ? (answers as ReturnType<typeof scriptedProposer>) : scriptedProposer(answers);
  const events: SearchEvent[] = [];
  if (store.run("run") === undefined) {
    createRun(store, {
      file: "problem.py",
      source,
      options: { ...defaults, device: "null", ...options },
      output: "out",
      id: "run",
    });
  }
  const observe = (event: SearchEvent) => void events.push(event);
  const record = await drive("run", { store, device: nullDevice(device), proposer, observe, ...(signal && { signal }) });
  return { record, events, proposer, store };
}
