import { mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const root = fileURLToPath(new URL("..", import.meta.url));

/** The package as JavaScript in a folder of its own, so that tests can start, signal and kill real processes. Returns the folder. */
export function builtPackage(): string {
  const folder = mkdtempSync(join(tmpdir(), "hiera-built-"));
  for (const name of ["package.json", "node_modules", "worker"]) symlinkSync(join(root, name), join(folder, name));
  for (const file of readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".ts"),
  )) {
    const target = join(folder, "dist", file.replace(/\.ts$/, ".js"));
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, javascript(readFileSync(join(root, "src", file), "utf8"), file));
  }
  return folder;
}

const javascript = (text: string, fileName: string): string =>
  ts.transpileModule(text, {
    fileName,
    compilerOptions: {
      target: ts.ScriptTarget.ES2023,
      module: ts.ModuleKind.ESNext,
      verbatimModuleSyntax: true,
      rewriteRelativeImportExtensions: true,
    },
  }).outputText;
