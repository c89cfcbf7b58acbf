import { readFileSync } from "node:fs";
import { HieraError } from "../errors.ts";

/** The text of a user's Python file. Throws HieraError("usage") where it cannot be read, ("problem-invalid") where it is no text. */
export function readProblem(file: string): string {
  const source = decode(read(file), file);
  if (source.trim() === "") {
    throw new HieraError("problem-invalid", "the file is empty", {
      where: file,
      todo: "see examples/ for what a problem looks like",
    });
  }
  return source;
}

/** System error code → what it means for a file that should be read, and what to do. */
const failures: Record<string, readonly [what: string, todo: string]> = {
  ENOENT: ["no such file", "check the path"],
  ENOTDIR: ["no such file", "check the path"],
  EISDIR: ["this is a directory", "name one Python file in it"],
  EACCES: ["the file may not be read", "change its permissions, or run as its owner"],
  EPERM: ["the file may not be read", "change its permissions, or run as its owner"],
};

function read(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    const { code = "unknown error" } = error as NodeJS.ErrnoException;
    const [what, todo] = failures[code] ?? [`the file cannot be read: ${code}`, "check the path"];
    throw new HieraError("usage", what, { where: file, todo });
  }
}

function decode(content: Buffer, file: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(content);
  } catch {
    throw new HieraError("problem-invalid", "the file is not UTF-8 text", {
      where: file,
      todo: "save it as UTF-8 Python source",
    });
  }
}
