import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import * as library from "../src/index.ts";
import { hiera, repository } from "./fixtures/cli.ts";

const read = (name: string) => readFileSync(join(repository, name), "utf8");
const pages = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"];
const blocks = (page: string, language: string) =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, "gms"))].map((m) => m[1] as string);

const folder = mkdtempSync(join(tmpdir(), "docs-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("the program that README begins with is the example", () => {
  const [program = ""] = blocks(read("README.md"), "python");
  const shown = program.replace("# examples/gelu_chain.py\n", "");
  expect(shown.length).toBeGreaterThan(100);
  expect(read("examples/gelu_chain.py")).toContain(shown);
});

test("what README imports, the library exports", () => {
  const names = blocks(read("README.md"), "ts").flatMap((block) =>
    [...block.matchAll(/import \{ (.*?) \} from "hiera"/g)].flatMap((m) => (m[1] ?? "").split(", ")),
  );
  expect(names).toContain("optimize");
  for (const name of names) expect(library).toHaveProperty(name);
});

test.each(pages)("%s: every file and link that it names is there", (page) => {
  const links = [...read(page).matchAll(/\]\(([^)#]+)\)/g)].map((m) => m[1] as string).filter((link) => !link.startsWith("http"));
  const paths = [...read(page).matchAll(/`((?:src|test|worker|examples|scripts)\/[\w./-]+)`/g)].map((m) => m[1] as string);
  for (const path of [...links, ...paths]) expect(existsSync(join(repository, path)), path).toBe(true);
});

test("npm scripts that the pages name are there", () => {
  const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
  const named = pages.flatMap((page) => [...read(page).matchAll(/npm run (\w+)/g)].map((m) => m[1] as string));
  expect(named.length).toBeGreaterThan(0);
  for (const name of named) expect(scripts).toHaveProperty(name);
});

const small = `
import torch
import torch.nn as nn

class Model(nn.Module):
    def forward(self, x):
        return 0.5 * x * (1.0 + torch.tanh(0.8 * (x + 0.04 * x * x * x)))

def get_inputs():
    return [torch.randn(512, 1024)]

def get_init_inputs():
    return []
`;

/** The test is about the commands, not about the speedup. */
const few = ["--rounds", "1", "--candidates", "1"];
const budget: Record<string, string[]> = { optimize: [...few, "--json"], bench: [...few, "--problems", ".", "--device", "null"] };

test("README's commands run as written, one after another", { timeout: 400_000 }, async () => {
  const commands = (blocks(read("README.md"), "sh").find((block) => block.includes("hiera optimize")) ?? "")
    .split("\n")
    .filter((line) => line.startsWith("hiera "))
    .map((line) => line.replace(/ *#.*/, "").split(" ").slice(1));
  expect(commands.map(([name]) => name)).toEqual([
    "optimize",
    "inspect",
    "evaluate",
    "runs",
    "show",
    "resume",
    "reproduce",
    "bench",
    "doctor",
  ]);

  writeFileSync(join(folder, "small.py"), small);
  const stands: Record<string, string> = { FILE: "small.py", CANDIDATE: "out/model_new.py" };
  for (const words of commands) {
    const args = words.map((word) => stands[word] ?? word);
    args.push(...(budget[words[0] as string] ?? []));
    const { exitCode, stdout, stderr } = await hiera(args, { cwd: folder });
    // A reproduced time may honestly disagree on a busy machine; it must say so in one line and not fail otherwise.
    expect(args[0] === "reproduce" && exitCode === 1 ? 0 : exitCode, `hiera ${args.join(" ")}: ${stderr}`).toBe(0);
    expect(stdout, args[0]).not.toBe("");
    if (args[0] === "optimize") stands.RUN = JSON.parse(stdout.trim().split("\n").at(-1) as string).run;
  }
});
