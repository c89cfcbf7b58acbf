import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { HieraError } from "../errors.ts";
import type { Suite, SuiteProblem } from "./suite.ts";

/** The Python files directly in a folder, by name. Throws HieraError("usage") where there are none. */
function problemsIn(folder: string): SuiteProblem[] {
  const names = listed(folder).filter((name) => name.endsWith(".py"));
  if (names.length === 0)
    throw new HieraError("usage", "no problem files", { where: folder, todo: "name a folder of .py files with --problems" });
  return names.sort().map((name) => {
    const file = join(folder, name);
    return { name: basename(name, ".py"), file, source: readFileSync(file, "utf8") };
  });
}

function listed(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new HieraError("usage", `the folder cannot be read: ${code}`, {
      where: folder,
      todo: "name a folder of .py files with --problems",
    });
  }
}

/** Every problem file of one folder. */
export const examples = (folder: string): Suite => ({ name: "examples", problems: () => problemsIn(folder) });
