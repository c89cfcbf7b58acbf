import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { beforeAll, describe, expect, test } from "vitest";
import { builtPackage } from "../built.ts";

let main = "";
let folder = "";
/** one finished run that the tests below look at */
let finished: Awaited<ReturnType<typeof hiera>>;
let run = "";
beforeAll(async () => {
  main = join(builtPackage(), "dist", "cli", "main.js");
  folder = newFolder();
  finished = await optimize("--json");
  run = last(finished.stdout).run as string;
});

function newFolder(): string {
  const path = mkdtempSync(join(tmpdir(), "hiera-cli-"));
  writeFileSync(join(path, "problem.py"), "class Model:\n    pass\n");
  return path;
}

const hiera = (...args: string[]) => execa(process.execPath, [main, ...args], { cwd: folder, reject: false, stdin: "ignore" });
const last = (stdout: string): Record<string, unknown> => JSON.parse(stdout.split("\n").at(-1) ?? "") as Record<string, unknown>;
const optimize = (...args: string[]) => hiera("optimize", "problem.py", "--device", "null", "--rounds", "1", ...args);

describe("optimize", () => {
  test("--json prints one object on stdout, and writes the drop-in and the report", () => {
    const { stdout, stderr, exitCode } = finished;
    expect([exitCode, stderr]).toEqual([0, ""]);
    expect(stdout.split("\n")).toHaveLength(1);
    const answer = last(stdout);
    expect(answer).toMatchObject({
      run: expect.stringMatching(/^problem-[0-9a-f]{6}$/),
      verdict: "valid",
      speedup: { median: expect.any(Number), low: expect.any(Number), high: expect.any(Number) },
      baseline_ms: 10,
      best_ms: expect.any(Number),
      floor_ms: expect.any(Number),
      candidates: { total: expect.any(Number), valid: expect.any(Number) },
      output: join(folder, "out", "model_new.py"),
    });
    expect(Object.keys(answer)).toEqual(expect.arrayContaining(["space", "direction"]));
    expect(readFileSync(answer.output as string, "utf8")).toMatch(/^# Drop-in for Model in problem/);
    expect(readFileSync(join(folder, "out", "report.html"), "utf8")).toMatch(/^<!doctype html>/);
  });

  test("prints plain lines where there is no terminal, the answer last", async () => {
    const { stdout, exitCode } = await optimize();
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^problem on null: run problem-/);
    expect(stdout).toMatch(/\nround 1: \w+ · \S+\n/);
    expect(stdout).toMatch(/\n {2}again +hiera reproduce problem-/);
    expect(stdout).not.toContain(String.fromCharCode(27));
  });

  test("refuses an output folder that is a file before it searches", async () => {
    const { exitCode, stderr } = await optimize("--out", "problem.py");
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/^hiera: the output folder cannot be written.*--out$/);
  });
});

describe("what was recorded can be read", () => {
  test("runs lists it, newest first", async () => {
    expect((await hiera("runs")).stdout).toContain(run);
    const list = last((await hiera("runs", "--json")).stdout) as unknown as { run: string }[];
    expect(list.at(-1)?.run).toBe(run);
  });

  test("show prints plan, candidates and verdicts, and all of it as JSON", async () => {
    const { stdout } = await hiera("show", run);
    expect(stdout).toMatch(/round 1 .*Space \w+: /);
    expect(stdout).toContain("r1c1");
    const record = last((await hiera("show", run, "--json")).stdout);
    expect(record).toMatchObject({ id: run, state: "finished", rounds: [{ round: 1 }] });
  });

  test("show --diff compares two candidates and refuses one", async () => {
    const { stdout } = await hiera("show", run, "--diff", "r1c1", "r1c2");
    expect(stdout).toContain("r1c2/");
    const refused = await hiera("show", run, "--diff", "r1c1");
    expect([refused.exitCode, refused.stderr.split("\n").length]).toEqual([2, 1]);
  });

  test("resume of a finished run writes its output again", async () => {
    const { exitCode, stdout } = await hiera("resume", run, "--json");
    expect(exitCode).toBe(0);
    expect(last(stdout)).toMatchObject({ run, verdict: "valid" });
  });

  test("reproduce agrees, from the run and from the file", async () => {
    for (const what of [run, join("out", "model_new.py")]) {
      const { stdout, exitCode } = await hiera("reproduce", what, "--device", "null");
      expect(stdout).toContain("They agree.");
      expect(exitCode).toBe(0);
    }
  });

  test("reproduce exits 1 where the record claims more than there is", async () => {
    const text = readFileSync(join(folder, "out", "model_new.py"), "utf8");
    const claimed = text.replace(/"speedup":\{[^}]*\}/, '"speedup":{"median":50,"low":49,"high":51}');
    expect(claimed).not.toBe(text);
    writeFileSync(join(folder, "claimed.py"), claimed);
    const { stdout, exitCode } = await hiera("reproduce", "claimed.py", "--device", "null");
    expect(exitCode).toBe(1);
    expect(stdout).toContain("They disagree: the speedup's intervals lie more than 10 % apart.");
  });

  test("reproduce refuses a file of another origin", async () => {
    const { stderr, exitCode } = await hiera("reproduce", "problem.py", "--device", "null");
    expect([exitCode, stderr.split("\n").length]).toEqual([2, 1]);
  });
});

describe("evaluate", () => {
  const evaluate = (candidate: string, ...args: string[]) => {
    writeFileSync(join(folder, "candidate.py"), candidate);
    return hiera("evaluate", "problem.py", "candidate.py", "--device", "null", ...args);
  };

  test("says valid with status 0", async () => {
    const { stdout, exitCode } = await evaluate('# null: {"verdict": "valid", "speedup": 2}\n', "--json");
    expect(exitCode).toBe(0);
    expect(last(stdout)).toMatchObject({ verdict: "valid", reason: expect.any(String), speedup: expect.any(Number) });
  });

  test("says what is wrong with status 1", async () => {
    const { stdout, exitCode } = await evaluate('# null: {"verdict": "stale"}\n', "--json");
    expect(exitCode).toBe(1);
    expect(last(stdout)).toMatchObject({ verdict: "stale", speedup: null });
    expect((await evaluate('# null: {"verdict": "stale"}\n')).stdout).toMatch(/^stale: /);
  });

  test("a problem that cannot be used is one line, one object and status 3", async () => {
    writeFileSync(join(folder, "invalid.py"), '# null: {"invalid": "forward is random"}\n');
    const { stdout, stderr, exitCode } = await hiera("evaluate", "invalid.py", "invalid.py", "--device", "null", "--json");
    expect([exitCode, stderr]).toEqual([3, "hiera: forward is random"]);
    expect(last(stdout)).toMatchObject({ verdict: "problem-invalid", reason: "forward is random", speedup: null });
  });
});

describe("Ctrl-C", () => {
  test("stops cleanly, says how to resume, and resume goes on", async () => {
    const out = join(folder, "stopped");
    const child = spawn(process.execPath, [main, "optimize", "problem.py", "--device", "null:40", "--out", out], { cwd: folder });
    let stderr = "";
    child.stderr.on("data", (chunk: Buffer) => {
      stderr += chunk.toString();
    });
    const ended = once(child, "exit");
    let stdout = "";
    child.stdout.on("data", (chunk: Buffer) => {
      stdout += chunk.toString();
      if (stdout.includes("round 1")) child.kill("SIGINT");
    });
    expect(await ended).toEqual([130, null]);
    const resume = /^hiera: stopped; what is finished is kept — go on with: hiera resume (problem-[0-9a-f]{6})\n$/.exec(stderr);
    expect(resume, stderr).not.toBeNull();
    expect(existsSync(join(out, "model_new.py"))).toBe(false);
    const { exitCode } = await hiera("resume", resume?.[1] ?? "", "--json");
    expect(exitCode).toBe(0);
    expect(existsSync(join(out, "model_new.py"))).toBe(true);
  });
});

/** The second line of the shell's `times`: user and system time of what it ran, as `0m0.061s 0m0.013s`. */
function childSeconds(times: string): number {
  const children = times.trim().split("\n")[1] ?? "";
  return [...children.matchAll(/(\d+)m([\d.]+)s/g)].reduce(
    (sum, [, minutes, rest]) => sum + 60 * Number(minutes) + Number(rest),
    0,
  );
}

describe("the command line", () => {
  test.each([
    [["optimise", "problem.py"], /unknown command 'optimise'/],
    [["optimize", "problem.py", "--fast"], /unknown option '--fast'/],
    [["optimize"], /missing required argument 'file'/],
    [["optimize", "problem.py", "--rounds", "0"], /--rounds.*whole number of at least 1/],
    [["optimize", "problem.py", "--space", "outer"], /kernel, libraries, torch/],
    [["optimize", "problem.py", "--device", "abacus"], /unknown device "abacus"/],
    [["optimize", "problem.py", "--proposer", "oracle"], /unknown proposer oracle/],
    [["show", "none"], /no run named none/],
    [["resume", "none"], /no run named none/],
    [["runs", "--workspace", "/nowhere"], /no runs are kept here \(\/nowhere\)/],
  ])("%j is one line and status 2", async (args, message) => {
    const { stderr, exitCode } = await hiera(...args);
    expect(stderr).toMatch(message);
    expect(stderr.split("\n")).toHaveLength(1);
    expect(exitCode).toBe(2);
  });

  test("--help lists every command, and comes at once", async () => {
    const { stdout, exitCode } = await hiera("--help");
    expect(exitCode).toBe(0);
    for (const name of ["optimize", "resume", "runs", "show", "evaluate", "reproduce", "inspect", "doctor"])
      expect(stdout).toContain(`  ${name} `);
    // Processor time of the fastest of several: what the clock shows where nothing else runs.
    const command = `"${process.execPath}" "${main}" --help >/dev/null; times`;
    const seconds = Array.from({ length: 5 }, () => childSeconds(execFileSync("sh", ["-c", command], { encoding: "utf8" })));
    expect(Math.min(...seconds)).toBeGreaterThan(0);
    expect(Math.min(...seconds)).toBeLessThan(0.15);
  });
});
