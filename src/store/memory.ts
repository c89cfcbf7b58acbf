import { createHash } from "node:crypto";
import { HieraError } from "../errors.ts";
import type { Fact, RunRow, Store } from "./store.ts";

export const addressOf = (text: string): string => createHash("sha256").update(text).digest("hex");

/** A store that ends with the process: for tests, and for library users who keep nothing. */
export function memoryStore(): Store {
  const runs = new Map<string, RunRow>();
  const facts = new Map<string, Fact[]>();
  const texts = new Map<string, string>();
  const held = new Set<string>();
  const of = (run: string) => facts.get(run) ?? [];
  return {
    create(id, body) {
      if (runs.has(id)) throw runExists(id);
      runs.set(id, { id, body: structuredClone(body), at: new Date().toISOString() });
      facts.set(id, []);
    },
    runs: () => [...runs.values()].reverse(),
    run: (id) => runs.get(id),
    facts: (run) => structuredClone(of(run)),
    append(run, fact) {
      if (!runs.has(run)) throw noSuchRun(run);
      if (of(run).some((known) => known.key === fact.key)) throw factExists(run, fact.key);
      of(run).push({ ...structuredClone(fact), seq: of(run).length + 1, at: new Date().toISOString() });
    },
    put(text) {
      const address = addressOf(text);
      texts.set(address, text);
      return address;
    },
    text(address) {
      const text = texts.get(address);
      if (text === undefined) throw noSuchText(address);
      return text;
    },
    lock(run) {
      if (held.has(run)) throw runHeld(run, process.pid);
      held.add(run);
      return () => void held.delete(run);
    },
    close: () => undefined,
  };
}

export const runExists = (id: string) => new HieraError("usage", `a run named ${id} exists`, { todo: "choose another name" });
export const noSuchRun = (id: string) => new HieraError("usage", `no run named ${id}`, { todo: "list them with: hiera runs" });
export const factExists = (run: string, key: string) =>
  new HieraError("infrastructure", `the step ${key} is already recorded`, { where: run });
export const noSuchText = (address: string) =>
  new HieraError("infrastructure", `the store lacks the text ${address.slice(0, 12)}`, {
    todo: "restore .hiera/ or start a new run",
  });
export const runHeld = (run: string, pid: number) =>
  new HieraError("usage", `the run ${run} is being driven by process ${pid}`, { todo: "wait for it, or stop that process" });
