import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { HieraError } from "../../src/errors.ts";
import { createRun, defaults } from "../../src/search/run.ts";
import { memoryStore } from "../../src/store/memory.ts";
import { examples } from "../../src/suites/examples.ts";
import { suites } from "../../src/suites/index.ts";
import { earlierRun, type Steps, type SuiteOutcome, type SuiteProblem, work } from "../../src/suites/suite.ts";
import { makeRun } from "../report/fixture.ts";

const problem = (name: string): SuiteProblem => ({ name, file: `${name}.py`, source: `# ${name}\n` });

async function outcomes(steps: Steps): Promise<SuiteOutcome[]> {
  const list: SuiteOutcome[] = [];
  for await (const outcome of work(["a", "b", "c"].map(problem), steps)) list.push(outcome);
  return list;
}

describe("work", () => {
  it("drives what is not finished and reuses what is", async () => {
    const driven: string[] = [];
    const list = await outcomes({
      begin: ({ name }) => ({ id: name, finished: name === "b" ? makeRun({ id: "old" }) : null }),
      drive: async (id) => {
        driven.push(id);
        return makeRun({ id });
      },
    });
    expect(driven).toEqual(["a", "c"]);
    expect(list.map(({ run, reused }) => [run?.id, reused])).toEqual([
      ["a", false],
      ["old", true],
      ["c", false],
    ]);
  });

  it("takes a problem that cannot be run as an outcome with its reason and goes on", async () => {
    const list = await outcomes({
      begin: ({ name }) => ({ id: name, finished: null }),
      drive: async (id) => {
        if (id === "b") throw new HieraError("problem-invalid", "forward raises");
        return makeRun({ id });
      },
    });
    expect(list.map(({ run, reason }) => run?.id ?? reason)).toEqual(["a", "forward raises", "c"]);
  });

  it.each(["interrupted", "usage"] as const)("ends where it is %s", async (code) => {
    const drive = async () => {
      throw new HieraError(code, "stop");
    };
    await expect(outcomes({ begin: ({ name }) => ({ id: name, finished: null }), drive })).rejects.toThrow("stop");
  });
});

describe("earlierRun", () => {
  it("finds the newest run of the same text and options, in whatever order they are written", () => {
    const store = memoryStore();
    const { source, file } = problem("a");
    const start = (id: string, text: string, options = defaults) =>
      createRun(store, { id, file, source: text, options, output: "out" });
    start("other-text", "# b\n");
    start("other-options", source, { ...defaults, rounds: 1 });
    expect(earlierRun(store, problem("a"), defaults)).toBeNull();
    start("same", source);
    const reordered = Object.fromEntries(Object.entries(defaults).reverse()) as unknown as typeof defaults;
    expect(earlierRun(store, problem("a"), reordered)).toBe("same");
    start("newer", source);
    expect(earlierRun(store, problem("a"), defaults)).toBe("newer");
  });
});

describe("examples", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "examples-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it("are the Python files of a folder, by name", () => {
    for (const name of ["b.py", "a.py", "notes.md"]) writeFileSync(join(folder, name), `# ${name}\n`);
    expect(
      examples(folder)
        .problems()
        .map(({ name, source }) => [name, source]),
    ).toEqual([
      ["a", "# a.py\n"],
      ["b", "# b.py\n"],
    ]);
  });

  it("say in one line what is wrong with the folder", () => {
    expect(() => examples(folder).problems()).toThrow(/no problem files .*--problems/);
    expect(() => examples(join(folder, "gone")).problems()).toThrow(/cannot be read: ENOENT/);
  });

  it("that come with the package are found", () => {
    expect(
      suites
        .examples?.(null)
        .problems()
        .map(({ name }) => name),
    ).toContain("gelu_chain");
  });
});
