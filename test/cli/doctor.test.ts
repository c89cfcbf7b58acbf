import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test, vi } from "vitest";
import { type Check, checks, thisMachine } from "../../src/cli/checks.ts";
import { checkup, describe, examine } from "../../src/cli/checkup.ts";

const folder = mkdtempSync(join(tmpdir(), "doctor-"));
afterAll(() => rmSync(folder, { recursive: true }));

const check = (name: string, needed: boolean, found: string | null): Check => ({
  name,
  needed,
  enables: "this",
  get: "that",
  look: () => {
    if (found === null) throw new Error("gone");
    return found;
  },
});
const machine = thisMachine({ PATH: process.env.PATH }, folder);

test("only what the main job needs decides", async () => {
  const lacking = await examine(machine, [check("a", true, "1.0"), check("b", false, null)]);
  expect(lacking.ready).toBe(true);
  expect(lacking.checks.map((c) => [c.name, c.ok, c.found])).toEqual([
    ["a", true, "1.0"],
    ["b", false, "gone"],
  ]);
  expect((await examine(machine, [check("a", true, null)])).ready).toBe(false);
});

test("a missing thing says what it would enable and how to get it", async () => {
  const { checks: found } = await examine(machine, [
    check("short", false, null),
    check("a longer one", true, null),
    check("c", true, "3"),
  ]);
  expect(describe(found)).toMatchInlineSnapshot(`
    "missing  short         gone
                           for this; to get it: that
    NEEDED   a longer one  gone
                           for this; to get it: that
    ok       c             3"
  `);
});

test("a key is told by its name, never by its value", async () => {
  const found = await examine(
    thisMachine({ OPENAI_API_KEY: "sk-very-secret", PATH: process.env.PATH }, folder),
    checks.filter((c) => c.name.endsWith("_KEY")),
  );
  expect(found.checks.filter((c) => c.ok).map((c) => c.name)).toEqual(["OPENAI_API_KEY"]);
  expect(JSON.stringify(found)).not.toContain("secret");
});

test("a Python without torch means that the main job cannot run", async () => {
  const python = join(folder, "python3");
  writeFileSync(python, '#!/bin/sh\necho "3.12.0 False"\n', { mode: 0o755 });
  const { ready, checks: found } = await examine(
    thisMachine({ HIERA_PYTHON: python, PATH: process.env.PATH }, folder),
    checks.filter((c) => c.name === "Python with torch"),
  );
  expect(ready).toBe(false);
  expect(found[0]?.found).toContain("torch");
});

test("a workspace that cannot be made is found out", async () => {
  writeFileSync(join(folder, "file"), "");
  const { ready } = await examine(
    thisMachine(process.env, join(folder, "file")),
    checks.filter((c) => c.name === "workspace"),
  );
  expect(ready).toBe(false);
});

test("names are unique, and every check says what it is for", () => {
  expect(new Set(checks.map((c) => c.name)).size).toBe(checks.length);
  for (const c of checks) expect(c.enables, c.name).not.toBe("");
});

test("this machine, which runs the tests, can run the main job", async () => {
  const log = vi.spyOn(console, "log").mockImplementation(() => undefined);
  expect(await checkup(folder, true)).toBe(0);
  const { ready, checks: found } = JSON.parse(log.mock.calls[0]?.[0] as string);
  expect(ready).toBe(true);
  expect(found.find((c: { name: string }) => c.name === "Python with torch").found).toMatch(/torch \d/);
  log.mockRestore();
});
