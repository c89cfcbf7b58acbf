import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { choosePython } from "../src/devices/python.ts";
import { openStore } from "../src/store/sqlite.ts";
import { hiera } from "./fixtures/cli.ts";

/** A broken input, and what the one line must name. */
interface Broken {
  readonly args: readonly string[];
  readonly names: RegExp;
  /** made in the folder that the command runs in */
  readonly prepare?: (folder: string) => void;
  readonly env?: (folder: string) => Record<string, string>;
}

const head = "import torch\nimport torch.nn as nn\n";
const model = "class Model(nn.Module):\n    def forward(self, x):\n        return x + 1\n";
const inputs = "def get_inputs():\n    return [torch.randn(64, 64)]\n";
const init = "def get_init_inputs():\n    return []\n";
const sound = head + model + inputs + init;

const optimize = ["optimize", "problem.py", "--rounds", "1", "--candidates", "1"];

/** A problem file that cannot be used. */
const problem = (source: string | Uint8Array, names: RegExp): Broken => ({
  args: optimize,
  names,
  prepare: (folder) => writeFileSync(join(folder, "problem.py"), source),
});

/** A sound problem, used wrongly. */
const usage = (args: readonly string[], names: RegExp, rest: Partial<Broken> = {}): Broken => ({
  args,
  names,
  ...rest,
  prepare: (folder) => {
    writeFileSync(join(folder, "problem.py"), sound);
    rest.prepare?.(folder);
  },
});

const forward = (body: string, arguments_ = "self, x") =>
  `${head}class Model(nn.Module):\n    def forward(${arguments_}):\n        ${body}\n${inputs}${init}`;

const broken: Readonly<Record<string, Broken>> = {
  "missing file": { args: ["optimize", "gone.py"], names: /gone\.py/ },
  directory: { args: ["optimize", "folder"], names: /folder/, prepare: (folder) => mkdirSync(join(folder, "folder")) },
  "empty file": problem("", /Model|empty/),
  "binary file": problem(new Uint8Array([0x7f, 0x45, 0x4c, 0x46, 0, 1, 2, 0xff, 0xfe]), /problem\.py|text|UTF-8|null bytes/i),
  "syntax error": problem(`${head}class Model(nn.Module:\n    pass\n`, /syntax.*|line 3/i),
  "import that fails": problem(`import no_such_package\n${sound}`, /no_such_package/),
  "no Model": problem(head + inputs + init, /Model/),
  "Model that is no module": problem(
    `${head}class Model:\n    def forward(self, x):\n        return x\n${inputs}${init}`,
    /Model.*Module/,
  ),
  "no get_inputs": problem(head + model + init, /get_inputs/),
  "get_inputs that returns no list": problem(`${head}${model}def get_inputs():\n    return 3\n${init}`, /get_inputs/),
  "inputs that are no tensors": problem(`${head}${model}def get_inputs():\n    return [object()]\n${init}`, /get_inputs|input/),
  "forward that raises": problem(forward('raise RuntimeError("on purpose")'), /on purpose/),
  "constructor that raises": problem(
    `${head}class Model(nn.Module):\n    def __init__(self):\n        raise ValueError("not today")\n${inputs}${init}`,
    /not today/,
  ),
  "wrong arity of forward": problem(forward("return x + y", "self, x, y"), /forward|argument/),
  "wrong arity of the constructor": problem(
    `${head}${model}${inputs}def get_init_inputs():\n    return [1, 2, 3]\n`,
    /argument|__init__|constructor/,
  ),
  "forward that returns no tensor": problem(forward('return "text"'), /tensor/),
  "NaN in the output": problem(forward("return torch.log(-x.abs() - 1)"), /nan|finite/i),
  "random output": problem(forward("return x + torch.rand_like(x)"), /random/),
  "inputs larger than memory": problem(sound.replace("torch.randn(64, 64)", "torch.randn(1 << 40)"), /memory/),
  "forward that needs more than memory": problem(forward("return (x.reshape(-1, 1).repeat(1, 1 << 30) * 2).sum(1)"), /memory/),
  "no write permission for --out": usage([...optimize, "--out", "/proc/out"], /\/proc\/out/),
  "corrupt store": usage(["runs"], /hiera\.db/, {
    prepare: (folder) => {
      mkdirSync(join(folder, ".hiera"));
      writeFileSync(join(folder, ".hiera", "hiera.db"), "no database ".repeat(1000));
    },
  }),
  "a file where the store should be": usage(optimize, /\.hiera/, {
    prepare: (folder) => writeFileSync(join(folder, ".hiera"), ""),
  }),
  "no store where runs are asked for": usage(["show", "some-run"], /no runs/),
  "unknown run": usage(["show", "no-such-run"], /no-such-run/, { prepare: (folder) => openStore(folder).close() }),
  "unknown command": usage(["optimise", "problem.py"], /optimise/),
  "unknown flag": usage([...optimize, "--fast"], /--fast/),
  "unknown device": usage([...optimize, "--device", "abacus"], /abacus/),
  "unknown space": usage([...optimize, "--space", "outer"], /outer/),
  "rounds that are no number": usage(["optimize", "problem.py", "--rounds", "many"], /rounds/),
  "no rounds at all": usage(["optimize", "problem.py", "--rounds", "0"], /rounds/),
  "missing argument": usage(["optimize"], /file|problem/i),
  "Python without torch": usage(optimize, /torch/, {
    env: (folder) => ({ HIERA_PYTHON: join(folder, "bare-python") }),
    prepare: (folder) =>
      writeFileSync(join(folder, "bare-python"), `#!/bin/sh\nexec ${choosePython().command} -S "$@"\n`, { mode: 0o755 }),
  }),
  "Python that is not there": usage(optimize, /no-such-python/, { env: () => ({ HIERA_PYTHON: "/no-such-python" }) }),
};

const top = mkdtempSync(join(tmpdir(), "broken-"));
const newFolder = () => mkdtempSync(join(top, "in-"));
afterAll(() => rmSync(top, { recursive: true, force: true }));

async function expectOneLine({ args, names, prepare, env }: Broken, folder: string) {
  prepare?.(folder);
  const { exitCode, stderr } = await hiera(args, { cwd: folder, env: env?.(folder) ?? {} });
  expect(exitCode, stderr).toBeGreaterThan(0);
  expect(stderr.split("\n"), "one line").toHaveLength(1);
  expect(stderr).toMatch(names);
  expect(stderr).not.toMatch(/Traceback| {4}at |\bundefined\b|\[object /);
  expect(stderr.length, stderr).toBeLessThanOrEqual(300);
}

describe("a broken input gives one clear line and a status that says so", () => {
  test("at least twenty of them", () => expect(Object.keys(broken).length).toBeGreaterThanOrEqual(20));
  test.each(Object.entries(broken))("%s", (_, input) => expectOneLine(input, newFolder()));
});

/** Mounts a file system too small for the store. Throws where mounting is not allowed. */
const mountTiny = (at: string) => execFileSync("mount", ["-t", "tmpfs", "-o", "size=16k", "tmpfs", at], { stdio: "ignore" });

test("full disk for the store", async ({ skip }) => {
  const folder = newFolder();
  mkdirSync(join(folder, ".hiera"));
  try {
    mountTiny(join(folder, ".hiera"));
  } catch {
    skip("mounting a small file system is not allowed here");
  }
  try {
    await expectOneLine(usage(optimize, /\.hiera|disk|space|full/i), folder);
  } finally {
    execFileSync("umount", ["-l", join(folder, ".hiera")]);
  }
});

/** The sound problem behind the rows above is one: what they report is their own mistake. */
test("the problem that the usage rows share is accepted", async () => {
  const folder = newFolder();
  writeFileSync(join(folder, "problem.py"), sound);
  const { exitCode, stderr } = await hiera(["inspect", "problem.py"], { cwd: folder });
  expect(exitCode, stderr).toBe(0);
});
