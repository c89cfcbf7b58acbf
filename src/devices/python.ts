import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { HieraError } from "../errors.ts";

/** The package's own folder: this file lies two below it, in src/ and in dist/ alike. */
export const packageFolder = fileURLToPath(new URL("../../", import.meta.url));

export interface FoundPython {
  readonly command: string;
  /** null: it does not run */
  readonly version: string | null;
  /** asked of the module finder: importing torch takes seconds */
  readonly torch: boolean;
  /** why it was looked at: `HIERA_PYTHON`, `.venv`, `PATH` */
  readonly from: string;
}

const question = "import sys, importlib.util as u; print(sys.version.split()[0], u.find_spec('torch') is not None)";
const known = new Map<string, Pick<FoundPython, "version" | "torch">>();

function ask(command: string): Pick<FoundPython, "version" | "torch"> {
  const cached = known.get(command);
  if (cached !== undefined) return cached;
  const answer = answerOf(command);
  known.set(command, answer);
  return answer;
}

function answerOf(command: string): Pick<FoundPython, "version" | "torch"> {
  try {
    const text = execFileSync(command, ["-c", question], {
      encoding: "utf8",
      timeout: 20_000,
      stdio: ["ignore", "pipe", "ignore"],
    });
    const [version = null, torch] = text.trim().split(" ");
    return { version, torch: torch === "True" };
  } catch {
    return { version: null, torch: false };
  }
}

/** Where a Python may be, in order of preference; HIERA_PYTHON alone where it is set. */
function places(env: NodeJS.ProcessEnv): { command: string; from: string }[] {
  if (env.HIERA_PYTHON) return [{ command: env.HIERA_PYTHON, from: "HIERA_PYTHON" }];
  const own = { command: join(packageFolder, ".venv", "bin", "python"), from: ".venv" };
  const folders = [...(env.PATH ?? "").split(delimiter).filter(Boolean), "/usr/local/bin", "/usr/bin"];
  const onPath = folders.map((folder) => ({ command: join(folder, "python3"), from: "PATH" }));
  const unique = new Map([own, ...onPath].map((place) => [place.command, place]));
  return [...unique.values()].filter((place) => existsSync(place.command));
}

/** Every Python that could be used, asked one by one: stop early by not iterating on. */
export function* pythons(env: NodeJS.ProcessEnv = process.env): Generator<FoundPython> {
  for (const place of places(env)) yield { ...place, ...ask(place.command) };
}

/** The Python that runs the worker. Throws HieraError("infrastructure") where none has torch. */
export function choosePython(env: NodeJS.ProcessEnv = process.env): FoundPython {
  const seen: FoundPython[] = [];
  for (const python of pythons(env)) {
    if (python.torch) return python;
    seen.push(python);
  }
  const asked = env.HIERA_PYTHON;
  if (asked) {
    const what = seen[0]?.version === null ? "cannot be run" : "has no torch";
    throw new HieraError("infrastructure", `the Python in HIERA_PYTHON ${what}`, {
      where: asked,
      todo: "point HIERA_PYTHON at a Python that imports torch, or unset it",
    });
  }
  const where = seen.map((python) => python.command).join(", ") || "PATH";
  throw new HieraError("infrastructure", seen.length === 0 ? "no Python was found" : "no Python with torch was found", {
    where,
    todo: "run ./quickstart, or set HIERA_PYTHON to a Python that imports torch",
  });
}
