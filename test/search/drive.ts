import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "../../src/store/sqlite.ts";

const driver = join(import.meta.dirname, "driver.mjs");

export const workspace = () => mkdtempSync(join(tmpdir(), "hiera-kill-"));

export interface Driven {
  readonly killed: boolean;
  readonly code: number | null;
  readonly ms: number;
}

/** Starts the driver; with a moment (milliseconds after its start), kills it then. Returns how it ended and how long it drove. */
export async function drive(folder: string, space: string, device: "null" | "cpu", killAfterMs: number | null): Promise<Driven> {
  const child = spawn(process.execPath, [driver, folder, space, device], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "exit") as Promise<[number | null, NodeJS.Signals | null]>;
  await once(child.stdout, "data");
  const from = performance.now();
  const timer = killAfterMs === null ? undefined : setTimeout(() => child.kill("SIGKILL"), killAfterMs);
  const [code, signal] = await ended;
  clearTimeout(timer);
  return { killed: signal === "SIGKILL", code, ms: performance.now() - from };
}

/** The run's facts in order. */
export function factsIn(space: string) {
  const store = openStore(space);
  const facts = store.facts("run");
  store.close();
  return facts;
}
