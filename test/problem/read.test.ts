import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { HieraError } from "../../src/errors.ts";
import { readProblem } from "../../src/problem/read.ts";

const folder = mkdtempSync(join(tmpdir(), "read-"));
afterAll(() => rmSync(folder, { recursive: true }));

function written(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

test("a file's text is handed over as it stands, without a byte order mark", () => {
  const text = "# größer als ∞\nimport torch\n";
  expect(readProblem(written("plain.py", text))).toBe(text);
  expect(readProblem(written("marked.py", `\uFEFF${text}`))).toBe(text);
});

test.each([
  ["a missing file", join(folder, "gone.py"), "usage", /^no such file \(.*gone\.py\) — /],
  ["a path through a file", join(written("file.py", "x"), "inner.py"), "usage", /^no such file/],
  ["a directory", folder, "usage", /^this is a directory \(.*\) — /],
  ["an empty file", written("empty.py", " \n"), "problem-invalid", /^the file is empty \(.*empty\.py\) — /],
  [
    "a binary",
    written("binary.py", new Uint8Array([0x7f, 0x45, 0xff, 0xfe])),
    "problem-invalid",
    /^the file is not UTF-8 text \(/,
  ],
])("%s is refused in one line", (_, path, code, message) => {
  const read = () => readProblem(path);
  expect(read).toThrow(HieraError);
  expect(read).toThrow(expect.objectContaining({ code, message: expect.stringMatching(message) }));
});
