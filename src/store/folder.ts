import { existsSync, mkdirSync } from "node:fs";
import { dirname, resolve } from "node:path";

/** Makes a folder with its parents. Node's own `recursive` never returns below /proc, where a parent exists but takes no folder. */
export function makeFolder(folder: string): void {
  const path = resolve(folder);
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path);
  } catch (error) {
    // Another process was first.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}
