import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { openStore } from "../../src/store/sqlite.ts";
import { builtPackage } from "../built.ts";

const kills = 30;
const driver = join(import.meta.dirname, "driver.mjs");
const workspace = () => mkdtempSync(join(tmpdir(), "hiera-kill-"));

let folder = "";
beforeAll(() => {
  folder = builtPackage();
});

/** Starts the driver; with a moment (milliseconds after its start), kills it then. Returns how it ended and how long it drove. */
async function driveIn(space: string, killAfterMs: number | null): Promise<{ killed: boolean; code: number | null; ms: number }> {
  const child = spawn(process.execPath, [driver, folder, space], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "exit") as Promise<[number | null, NodeJS.Signals | null]>;
  await once(child.stdout, "data");
  const from = performance.now();
  const timer = killAfterMs === null ? undefined : setTimeout(() => child.kill("SIGKILL"), killAfterMs);
  const [code, signal] = await ended;
  clearTimeout(timer);
  return { killed: signal === "SIGKILL", code, ms: performance.now() - from };
}

/** Everything that a run recorded, but for times. */
function factsIn(space: string): string {
  const store = openStore(space);
  const facts = store.facts("run").map(({ seq, key, kind, body }) => ({ seq, key, kind, body }));
  store.close();
  return JSON.stringify(facts);
}

test(`${kills} kills at random moments change no fact`, async () => {
  const whole = workspace();
  const { code, ms } = await driveIn(whole, null);
  expect(code).toBe(0);
  const expected = factsIn(whole);
  expect(JSON.parse(expected).length).toBeGreaterThan(30);

  let killed = 0;
  while (killed < kills) {
    const space = workspace();
    // Several kills a run, each in the middle of what is left; a run that came to its end is followed by a fresh one.
    for (let alive = true; alive && killed < kills; ) {
      const before = factsIn(space).length;
      const end = await driveIn(space, Math.random() * ms * 0.6);
      const now = factsIn(space);
      alive = now !== expected;
      if (end.killed && alive) {
        killed++;
        expect(expected.startsWith(now.slice(0, -1)), `a prefix after kill ${killed}`).toBe(true);
        expect(now.length).toBeGreaterThanOrEqual(before);
      }
      if (!end.killed) expect(end.code).toBe(0);
    }
    if ((await driveIn(space, null)).code !== 0) throw new Error("the resumed run failed");
    expect(factsIn(space)).toBe(expected);
  }
  expect(killed).toBe(kills);
});
