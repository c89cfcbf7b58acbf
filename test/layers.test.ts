import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { execa } from "execa";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

const root = resolve(import.meta.dirname, "..");

/** What dependency-cruiser says of a folder with a `src/` under our rules. */
async function cruise(cwd: string) {
  const { stdout } = await execa(
    process.execPath,
    [
      join(root, "node_modules/dependency-cruiser/bin/dependency-cruise.mjs"),
      ...["src", "--config", join(root, ".dependency-cruiser.cjs"), "--output-type", "json"],
    ],
    { cwd, reject: false },
  );
  const { summary } = JSON.parse(stdout) as {
    summary: { totalCruised: number; violations: { rule: { name: string }; from: string; to: string }[] };
  };
  return { modules: summary.totalCruised, broken: summary.violations.map((v) => `${v.rule.name}: ${v.from} → ${v.to}`) };
}

test("src keeps every rule, and the tool saw it", async () => {
  const { modules, broken } = await cruise(root);
  expect(modules).toBeGreaterThan(20);
  expect(broken).toEqual([]);
});

/** rule → files that break it and no other; `export` makes a module importable. */
const planted: Record<string, Record<string, string>> = {
  "only-downwards-from-suites": { "suites/a.ts": 'import "../cli/b.ts";', "cli/b.ts": "" },
  "only-downwards-from-search-report": { "search/a.ts": 'import "../cli/b.ts";', "cli/b.ts": "" },
  "only-downwards-from-planning-proposing-evaluation": { "planning/a.ts": 'import "../search/b.ts";', "search/b.ts": "" },
  "only-downwards-from-spaces-knowledge-problem": { "problem/a.ts": 'import "../evaluation/b.ts";', "evaluation/b.ts": "" },
  "only-downwards-from-devices-store": {
    "devices/a.ts": 'import type { B } from "../problem/b.ts";\nexport type A = B;',
    "problem/b.ts": "export type B = 1;",
  },
  "every-room-has-a-tier": { "helpers/a.ts": 'import "../errors.ts";', "errors.ts": "" },
  "no-circle": {
    "problem/a.ts": 'import type { B } from "./b.ts";\nexport type A = 1 | B;',
    "problem/b.ts": 'import type { A } from "./a.ts";\nexport type B = 2 | A;',
  },
  "planning-knows-no-proposer": { "planning/a.ts": 'import "../proposing/expert/b.ts";', "proposing/expert/b.ts": "" },
  "judges-know-no-author": { "evaluation/a.ts": 'import "../proposing/b.ts";', "proposing/b.ts": "" },
  "ground-knows-nothing": { "errors.ts": 'import "./store/b.ts";', "store/b.ts": "" },
  "declared-packages-only": { "store/a.ts": 'import "no-such-package";' },
  resolvable: { "store/a.ts": 'import "./gone.ts";' },
};

describe("a planted violation fails", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "layers-"));
    writeFileSync(join(folder, "package.json"), "{}");
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  test.each(Object.entries(planted))("%s", async (rule, files) => {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, "src", name)), { recursive: true });
      writeFileSync(join(folder, "src", name), text);
    }
    const { modules, broken } = await cruise(folder);
    expect(modules).toBeGreaterThan(0);
    expect(broken.map((line) => line.split(":")[0])).toContain(rule);
  });

  test("every rule has a violation planted here", async () => {
    const { default: config } = (await import(join(root, ".dependency-cruiser.cjs"))) as {
      default: { forbidden: { name: string; comment: string }[] };
    };
    expect(config.forbidden.map((rule) => rule.name).sort()).toEqual(Object.keys(planted).sort());
    for (const rule of config.forbidden) expect(rule.comment, rule.name).toMatch(/\w/);
  });
});

test("no source file is longer than 500 lines", async () => {
  const { stdout } = await execa("git", ["ls-files", "-co", "--exclude-standard"], { cwd: root });
  const sources = stdout.split("\n").filter((f) => /\.(ts|mjs|cjs|py|sh)$/.test(f));
  expect(sources.length).toBeGreaterThan(20);
  const lines = (f: string) => readFileSync(join(root, f), "utf8").split("\n").length - 1;
  expect(sources.map((f) => `${f}: ${lines(f)}`).filter((s) => Number(s.split(": ")[1]) > 500)).toEqual([]);
});
