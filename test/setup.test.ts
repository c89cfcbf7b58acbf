import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { execa } from "execa";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

const repository = resolve(import.meta.dirname, "..");
let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "setup-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function file(path: string, text: string, mode = 0o755): string {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
  chmodSync(join(root, path), mode);
  return join(root, path);
}

/** A Python that answers `-c 'import torch'` and the module finder like one with torch, or without. */
const fakePython = (path: string, torch: boolean) =>
  file(path, `#!/bin/sh\necho "$0 $*" >> ${root}/asked\nexit ${torch ? 0 : 1}\n`);

/** Just the tools that the functions call, so that nothing of this machine's Python is on the path. */
function tools(...names: string[]): string {
  mkdirSync(join(root, "tools"), { recursive: true });
  for (const name of [
    ...["bash", "awk", "cat", "dirname", "mkdir", "mktemp", "rm", "tail", "find", "id", "grep", "head"],
    ...names,
  ]) {
    const place = ["/usr/bin", "/bin"].map((folder) => join(folder, name)).find(existsSync);
    if (place) symlinkSync(place, join(root, "tools", name));
  }
  return join(root, "tools");
}

/** Runs lines of bash with scripts/setup.sh sourced; the last Debian and local places are cut off unless the test allows them. */
async function bash(lines: string, env: Record<string, string>) {
  const source = readFileSync(join(repository, "scripts/setup.sh"), "utf8").replaceAll(
    /\/usr(\/local)?\/bin\/python3/g,
    `${root}/no-python`,
  );
  file("setup.sh", source);
  return execa("/bin/bash", ["--norc", "-c", `set -euo pipefail; root=${root}; . ${root}/setup.sh; ${lines}`], {
    env,
    extendEnv: false,
    reject: false,
  });
}

describe("the Python", () => {
  test("HIERA_PYTHON comes before all others", async () => {
    const own = fakePython("own/python3", true);
    fakePython("path/python3", true);
    const { stdout } = await bash('need_python; echo "$HIERA_PYTHON"', { PATH: `${root}/path:${tools()}`, HIERA_PYTHON: own });
    expect(stdout).toBe(own);
  });

  test("HIERA_PYTHON without torch is an error that names it, whatever else there is", async () => {
    const own = fakePython("own/python3", false);
    fakePython("path/python3", true);
    const { exitCode, stderr } = await bash("need_python", { PATH: `${root}/path:${tools()}`, HIERA_PYTHON: own });
    expect(exitCode).toBe(1);
    expect(stderr).toBe(`setup: HIERA_PYTHON=${own} cannot import torch: install torch there, or unset HIERA_PYTHON`);
  });

  test("a later python3 on the path is found where the first has no torch", async () => {
    fakePython("a/python3", false);
    const second = fakePython("b/python3", true);
    const { stdout } = await bash('need_python; echo "$HIERA_PYTHON"', { PATH: `${root}/a:${root}/b:${tools()}` });
    expect(stdout).toBe(second);
  });

  test("what was found is remembered: a second run imports nothing", async () => {
    fakePython("path/python3", true);
    const env = { PATH: `${root}/path:${tools()}` };
    await bash("need_python", env);
    rmSync(join(root, "asked"));
    await bash("need_python", env);
    const asked = readFileSync(join(root, "asked"), "utf8");
    expect(asked).toContain("find_spec");
    expect(asked).not.toContain("import torch");
  });

  test("a remembered Python that is gone is looked for again", async () => {
    const first = fakePython("a/python3", true);
    const second = fakePython("b/python3", true);
    const env = { PATH: `${root}/a:${root}/b:${tools()}` };
    await bash("need_python", env);
    rmSync(first);
    const { stdout } = await bash('need_python; echo "$HIERA_PYTHON"', env);
    expect(stdout).toBe(second);
  });

  test("where nothing can be installed, one message gives both commands", async () => {
    const { exitCode, stderr } = await bash("need_python", { PATH: tools() });
    expect(exitCode).toBe(1);
    expect(stderr.split("\n")).toHaveLength(1);
    expect(stderr).toContain("pip install torch");
    expect(stderr).toContain("sudo apt-get install python3-torch");
  });
});

describe("Debian packages", () => {
  test("without apt-get the command to run is printed", async () => {
    const { exitCode, stderr } = await bash("need_compiler", { PATH: tools() });
    expect(exitCode).toBe(1);
    expect(stderr).toBe("setup: g++ is missing, and nothing can be compiled without it: sudo apt-get install g++");
  });

  test("a missing OpenBLAS is said, and is no error", async () => {
    const { exitCode, stdout } = await bash("need_blas", { PATH: tools() });
    expect(exitCode).toBe(0);
    expect(stdout).toContain("sudo apt-get install libopenblas-dev");
  });

  test("apt-get is asked where it may be used, after one update", async () => {
    file("tools/apt-get", `#!/bin/sh\necho "$*" >> ${root}/apt\nexit 0\n`);
    file("tools/sudo", '#!/bin/sh\nshift\nexec "$@"\n');
    const { exitCode } = await bash("apt_install one; apt_install two", { PATH: tools("env", "true") });
    expect(exitCode).toBe(0);
    const verbs = readFileSync(join(root, "apt"), "utf8").trim().split("\n");
    expect(verbs.map((line) => line.replace(/^-o \S+ /, ""))).toEqual([
      "update",
      "install -y --no-install-recommends one",
      "install -y --no-install-recommends two",
    ]);
  });
});

describe("Node packages and the build", () => {
  const npm = () => file("tools/npm", `#!/bin/sh\necho "$*" >> ${root}/npm\n`);
  const calls = () => (existsSync(join(root, "npm")) ? readFileSync(join(root, "npm"), "utf8").trim().split("\n") : []);
  const age = (path: string, seconds: number) =>
    utimesSync(join(root, path), Date.now() / 1000 - seconds, Date.now() / 1000 - seconds);

  test("are made where they are missing or older than what they come from, and only there", async () => {
    npm();
    file("package-lock.json", "{}");
    for (const path of ["src/a.ts", "package.json", "tsconfig.json"]) file(path, "");
    const env = { PATH: tools() };
    await bash("need_modules; need_build", env);
    expect(calls()).toEqual(["ci --no-audit --no-fund", "run --silent build"]);

    file("node_modules/.package-lock.json", "{}");
    file("dist/cli/main.js", "");
    for (const path of ["package-lock.json", "src/a.ts", "src", "package.json", "tsconfig.json"]) age(path, 100);
    rmSync(join(root, "npm"));
    await bash("need_modules; need_build", env);
    expect(calls()).toEqual([]);

    age("node_modules/.package-lock.json", 200);
    age("dist/cli/main.js", 200);
    await bash("need_modules; need_build", env);
    expect(calls()).toEqual(["ci --no-audit --no-fund", "run --silent build"]);
  });

  test("an old Node is refused with the version that is needed", async () => {
    file("tools/node", '#!/bin/sh\n[ "$1" = --version ] && echo v18.0.0 && exit 0\nexit 1\n');
    npm();
    const { exitCode, stderr } = await bash("need_node", { PATH: tools() });
    expect(exitCode).toBe(1);
    expect(stderr).toBe("setup: Node.js v18.0.0 is too old: 20.19 or newer is needed, from https://nodejs.org");
  });
});

describe("the tally", () => {
  const tally = async (files: Record<string, string>) => {
    for (const [name, text] of Object.entries(files)) file(`results/${name}`, text);
    return (await execa(process.execPath, [join(repository, "scripts/tally.mjs"), join(root, "results")])).stdout;
  };

  test("adds vitest and unittest, skips apart", async () => {
    const vitest = JSON.stringify({
      numPassedTests: 10,
      numFailedTests: 1,
      numPendingTests: 2,
      numTodoTests: 0,
      testResults: [],
    });
    const unittest = "Ran 8 tests in 1.0s\n\nFAILED (failures=1, errors=2, skipped=1, expected failures=1)\n";
    expect(await tally({ "vitest.json": vitest, "worker-1.txt": unittest, "worker-2.txt": "Ran 3 tests in 0.1s\n\nOK\n" })).toBe(
      "17 passed, 4 failed, 3 skipped",
    );
  });

  test("a log without a count, and a file that did not load, are failures", async () => {
    const broken = { status: "failed", assertionResults: [] };
    const vitest = JSON.stringify({
      numPassedTests: 1,
      numFailedTests: 0,
      numPendingTests: 0,
      numTodoTests: 0,
      testResults: [broken],
    });
    expect(await tally({ "vitest.json": vitest, "worker-1.txt": "Segmentation fault\n" })).toBe("1 passed, 2 failed, 0 skipped");
  });
});

test("quickstart, from any folder, sets up and hands its options to hiera optimize", async () => {
  for (const path of ["quickstart", "scripts/setup.sh"]) file(path, readFileSync(join(repository, path), "utf8"));
  file("tools/node", '#!/bin/sh\n[ "$1" = -e ] || echo "$HIERA_PYTHON: $*"\n');
  file("tools/npm", "#!/bin/sh\n");
  file("tools/g++", "#!/bin/sh\n");
  const python = fakePython("own/python3", true);
  file("package-lock.json", "{}");
  file("src/a.ts", "");
  file("package.json", "{}");
  file("tsconfig.json", "{}");
  const { stdout, exitCode } = await execa("/bin/bash", ["--norc", join(root, "quickstart"), "--rounds", "1"], {
    env: { PATH: tools(), HIERA_PYTHON: python },
    extendEnv: false,
    cwd: "/",
    reject: false,
  });
  expect(exitCode).toBe(0);
  expect(stdout.split("\n").at(-1)).toBe(
    `${python}: ${root}/dist/cli/main.js optimize ${root}/examples/gelu_chain.py --rounds 1`,
  );
});
