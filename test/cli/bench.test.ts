import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { hiera } from "../fixtures/cli.ts";

let cwd: string;
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), "bench-"));
  mkdirSync(join(cwd, "set"));
  writeFileSync(join(cwd, "set/first.py"), "# a problem\n");
  writeFileSync(join(cwd, "set/second.py"), '# null: {"invalid": "forward raises"}\n');
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

const bench = (...more: string[]) =>
  hiera(["bench", "examples", "--problems", "set", "--device", "null", "--rounds", "1", "--candidates", "1", ...more], { cwd });

test("a set is worked through once, with a table, each result and why the rest failed", async () => {
  const { stdout, exitCode } = await bench();
  expect(stdout).toContain("2/2 second: forward raises");
  expect(exitCode).toBe(4);
  const table = readFileSync(join(cwd, "bench/examples.md"), "utf8");
  expect(table).toMatch(/^\| first \|/m);
  expect(table).toMatch(/^\| second \| failed \|/m);
  expect(table).toContain("- second: forward raises");
  expect(existsSync(join(cwd, "bench/first/model_new.py"))).toBe(true);
  expect(existsSync(join(cwd, "bench/first/report.html"))).toBe(true);
  const { problems, totals } = JSON.parse(readFileSync(join(cwd, "bench/examples.json"), "utf8"));
  expect(totals).toMatchObject({ problems: 2, valid: 1 });
  expect(problems.map((p: { problem: string }) => p.problem)).toEqual(["first", "second"]);
});

test("what is done is not run again, unless asked for", async () => {
  const runs = async () => JSON.parse((await hiera(["runs", "--json"], { cwd })).stdout).length;
  const before = await runs();
  expect((await bench()).stdout).toMatch(/1\/2 first: .*\(done before\)/);
  expect(await runs()).toBe(before);
  expect((await bench("--again")).stdout).not.toContain("(done before)");
  expect(await runs()).toBe(before + 2);
});

test("--json prints the table as one object on the last line", async () => {
  const { stdout } = await bench("--json");
  expect(JSON.parse(stdout.trim().split("\n").at(-1) ?? "")).toMatchObject({ totals: { problems: 2 } });
});

test("a folder without problems is a usage error in one line", async () => {
  const { stderr, exitCode } = await hiera(["bench", "examples", "--problems", "nowhere"], { cwd });
  expect(stderr).toMatch(/^hiera: the folder cannot be read: ENOENT \(nowhere\)/);
  expect(stderr.trim().split("\n")).toHaveLength(1);
  expect(exitCode).toBe(2);
});
