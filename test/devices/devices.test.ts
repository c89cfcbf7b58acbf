import { chmodSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { localDevice } from "../../src/devices/local.ts";
import { nullDevice } from "../../src/devices/null.ts";
import { choosePython, pythons } from "../../src/devices/python.ts";
import { deviceNamed, devices } from "../../src/devices/registry.ts";
import { HieraError } from "../../src/errors.ts";
import { evaluate } from "../../src/evaluation/calls.ts";
import { trace } from "../../src/problem/calls.ts";
import { deviceSuite, problem } from "./suite.ts";

const noPython = [...pythons()].some((python) => python.torch) ? null : "no Python with torch";

deviceSuite("null", () => nullDevice({ delayMs: 5 }));
deviceSuite("local", () => localDevice(), noPython);

describe("null device", () => {
  const candidate = { source: "class ModelNew: 1", builds: [], space: null };
  const ask = async (source: string, effort: "quick" | "full" = "full") => {
    const session = await nullDevice().open();
    return session.request(evaluate(problem, { ...candidate, source }, effort));
  };

  test("answers depend on the request alone", async () => {
    expect(await ask("a")).toEqual(await ask("a"));
    expect((await ask("a")).timing).not.toEqual((await ask("b")).timing);
  });

  test("a source says what becomes of it", async () => {
    expect(await ask('# null: {"verdict": "stale"}')).toMatchObject({ verdict: "stale", timing: null });
    const { timing } = await ask('# null: {"verdict": "valid", "speedup": 3}');
    expect(timing?.speedup.median).toBeGreaterThanOrEqual(3);
    expect(timing?.speedup.median).toBeLessThan(3.1);
  });

  test("failures are played when told", async () => {
    const broken = nullDevice({ fail: (method, earlier) => (method === "trace" && earlier === 0 ? "die" : undefined) });
    const session = await broken.open();
    await expect(session.request(trace(problem))).rejects.toMatchObject({ code: "infrastructure" });
  });
});

describe("choosing a Python", () => {
  const script = (text: string) => {
    const path = join(mkdtempSync(join(tmpdir(), "hiera-python-")), "python3");
    writeFileSync(path, `#!/bin/sh\n${text}\n`);
    chmodSync(path, 0o755);
    return path;
  };
  const choose = (HIERA_PYTHON: string) => () => choosePython({ HIERA_PYTHON });

  test("HIERA_PYTHON decides alone", () => {
    const path = script("echo 3.11.2 True");
    expect(choosePython({ HIERA_PYTHON: path, PATH: "" })).toEqual({
      command: path,
      version: "3.11.2",
      torch: true,
      from: "HIERA_PYTHON",
    });
  });

  test.each([
    [
      "one without torch",
      script("echo 3.11.2 False"),
      /^the Python in HIERA_PYTHON has no torch \(.*python3\) — point HIERA_PYTHON/,
    ],
    ["one that fails", script("exit 1"), /^the Python in HIERA_PYTHON cannot be run/],
    ["one that is not there", "/none/python", /^the Python in HIERA_PYTHON cannot be run|no Python/],
  ])("%s is refused in one line", (_, path, message) => {
    expect(choose(path)).toThrow(HieraError);
    expect(choose(path)).toThrow(message);
  });

  test("the first on PATH that has torch is taken", () => {
    const [bare, full] = [script("echo 3.13.0 False"), script("echo 3.12.0 True")];
    const PATH = [bare, full].map((path) => path.replace("/python3", "")).join(":");
    const { command, from } = choosePython({ PATH });
    expect([".venv", "PATH"]).toContain(from);
    if (from === "PATH") expect(command).toBe(full);
  });
});

describe("a worker that dies", () => {
  const dying = (text: string) => {
    const path = join(mkdtempSync(join(tmpdir(), "hiera-dying-")), "python3");
    writeFileSync(path, `#!/bin/sh\nif [ "$1" = -c ]; then echo 3.11.2 True; exit; fi\n${text}\n`);
    chmodSync(path, 0o755);
    return localDevice("cpu", { HIERA_PYTHON: path, PATH: process.env.PATH });
  };

  test.each([
    ["without a word", "exit 3", /^the worker ended with status 3 \(/],
    [
      "with a traceback",
      "echo 'Traceback' >&2; echo 'ValueError: odd' >&2; exit 1",
      /^the worker ended with status 1: ValueError: odd/,
    ],
    ["without torch", "echo \"ModuleNotFoundError: No module named 'torch'\" >&2; exit 1", /^this Python cannot import torch/],
    ["by a signal", "kill -9 $$", /^the worker was killed by SIGKILL/],
    ["after noise on the protocol", "echo hello; sleep 5", /began with a line that is no greeting: hello/],
    [
      "of another version",
      'echo \'{"hiera": 99, "worker": "w", "python": "p"}\'; sleep 5',
      /speaks protocol 99, this hiera speaks 1/,
    ],
  ])("%s says so in one line", async (_, text, message) => {
    const error = await dying(text)
      .open()
      .then(
        () => null,
        (reason: unknown) => reason,
      );
    expect(error).toBeInstanceOf(HieraError);
    expect((error as HieraError).code).toBe("infrastructure");
    expect((error as HieraError).message).toMatch(message);
    expect((error as HieraError).message).not.toContain("\n");
  });

  test("in the middle of a request fails that request", async () => {
    const session = await dying(`echo '{"hiera": 1, "worker": "w", "python": "p"}'; read line; exit 7`).open();
    await expect(session.request(trace(problem))).rejects.toMatchObject({
      message: expect.stringContaining("ended with status 7"),
    });
    await session.close();
  });
});

test("an unknown device is a usage error that lists the known ones", () => {
  for (const name of ["tpu", "", "toString", "cpu2"]) {
    expect(() => deviceNamed(name)).toThrow(new RegExp(`unknown device "${name}".*${Object.keys(devices).join(", ")}`));
  }
});
