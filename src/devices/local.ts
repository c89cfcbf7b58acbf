import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { HieraError } from "../errors.ts";
import type { Device } from "./device.ts";
import { connect, type Listener, type Transport } from "./lines.ts";
import { choosePython, packageFolder } from "./python.ts";

/** This machine, by `python -m hiera_worker` over pipes. The worker leads a process group, so that nothing outlives it. */
export function localDevice(name = "cpu", env: NodeJS.ProcessEnv = process.env): Device {
  return {
    name,
    open: ({ onLog } = {}) => connect((listener) => startWorker(choosePython(env).command, env, listener, onLog)),
  };
}

/** Milliseconds between asking the worker to end and killing its group. */
const graceMs = 1000;

function startWorker(python: string, env: NodeJS.ProcessEnv, listener: Listener, onLog?: (line: string) => void): Transport {
  const child = spawn(python, ["-u", "-m", "hiera_worker"], {
    detached: true,
    env: { ...env, PYTHONPATH: [join(packageFolder, "worker"), env.PYTHONPATH].filter(Boolean).join(":") },
    stdio: ["pipe", "pipe", "pipe"],
  });
  const log: string[] = [];
  createInterface({ input: child.stderr }).on("line", (line) => {
    if (log.push(line) > 200) log.shift();
    onLog?.(line);
  });
  createInterface({ input: child.stdout }).on("line", (line) => listener.line(line));
  // A worker that is gone breaks the pipe; `close` below says why in better words.
  child.stdin.on("error", () => undefined);

  const gone = new Promise<void>((resolve) => {
    child.once("error", (error) => {
      listener.end(new HieraError("infrastructure", `Python cannot be started: ${error.message}`, { where: python }));
      resolve();
    });
    child.once("close", (code, signal) => {
      killGroup(child.pid);
      listener.end(deathNotice(code, signal, log, python));
      resolve();
    });
  });
  return {
    send: (line) => void child.stdin.write(`${line}\n`),
    async close() {
      child.stdin.end();
      const timer = setTimeout(() => killGroup(child.pid), graceMs);
      await gone;
      clearTimeout(timer);
    },
  };
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // ESRCH: all of the group have ended.
  }
}

const causes: readonly { readonly match: RegExp; readonly what: string; readonly todo: string }[] = [
  {
    match: /No module named '?torch/,
    what: "this Python cannot import torch",
    todo: "set HIERA_PYTHON to one that can, or run ./quickstart",
  },
  { match: /No module named '?hiera_worker/, what: "the worker's files are missing", todo: "reinstall hiera" },
  {
    match: /MemoryError|Cannot allocate memory/,
    what: "the worker ran out of memory",
    todo: "free memory or make the problem smaller",
  },
];

function deathNotice(code: number | null, signal: string | null, log: readonly string[], python: string): HieraError {
  const cause = causes.find(({ match }) => log.some((line) => match.test(line)));
  if (cause !== undefined) return new HieraError("infrastructure", cause.what, { where: python, todo: cause.todo });
  const telling =
    log.findLast((line) => /\b\w*(Error|Exception)\b|[Ff]atal|Killed/.test(line)) ?? log.findLast((line) => line.trim() !== "");
  const how = signal === null ? `ended with status ${code}` : `was killed by ${signal}`;
  return new HieraError("infrastructure", `the worker ${how}${telling === undefined ? "" : `: ${telling.trim()}`}`, {
    where: python,
    todo: signal === "SIGKILL" ? "check free memory, then resume" : "see hiera doctor",
  });
}
