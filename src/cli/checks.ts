import { accessSync, constants, existsSync, mkdirSync, readFileSync, rmSync, statfsSync } from "node:fs";
import { availableParallelism, totalmem } from "node:os";
import { resolve } from "node:path";
import { execa } from "execa";
import { localDevice } from "../devices/local.ts";
import { choosePython } from "../devices/python.ts";

/** One thing that a machine may have. */
export interface Check {
  readonly name: string;
  /** without it `hiera optimize --device cpu` cannot run */
  readonly needed: boolean;
  /** what having it makes possible */
  readonly enables: string;
  /** the command, or the place, that brings it */
  readonly get: string;
  /** What was found, in a few words. Throws where it is missing; the message says what was. */
  look(machine: Machine): Promise<string> | string;
}

export interface Machine {
  readonly env: NodeJS.ProcessEnv;
  /** the folder that keeps runs, which may not be there yet */
  readonly workspace: string;
  /** asked once, shared by the checks that need it */
  readonly torch: () => Promise<TorchFacts>;
}

interface TorchFacts {
  readonly command: string;
  readonly python: string;
  readonly torch: string;
  readonly threads: number;
  readonly compile: boolean;
  readonly onednn: boolean;
}

const torchQuestion = `
import json, platform, torch
torch.set_num_threads(max(1, __import__("os").cpu_count() or 1))
print(json.dumps(dict(python=platform.python_version(), torch=torch.__version__, threads=torch.get_num_threads(),
    compile=hasattr(torch, "compile"), onednn=torch.backends.mkldnn.is_available())))`;

export function thisMachine(env: NodeJS.ProcessEnv, workspace: string): Machine {
  let asked: Promise<TorchFacts> | undefined;
  const ask = async () => {
    const { command } = choosePython(env);
    return { command, ...JSON.parse(await output(command, ["-c", torchQuestion])) } as TorchFacts;
  };
  return { env, workspace: resolve(workspace, ".hiera"), torch: () => (asked ??= ask()) };
}

/** Standard output of a command. Throws an error of one line. */
async function output(command: string, args: readonly string[], input = ""): Promise<string> {
  const done = await execa(command, args, { reject: false, input, timeout: 60_000, forceKillAfterDelay: 1000 });
  if (done.code === "ENOENT") throw new Error(`${command} is not on PATH`);
  if (!done.failed) return done.stdout.trim();
  throw new Error(done.stderr.trim().split("\n").at(-1) || `${command} ended with ${done.exitCode ?? done.signal ?? done.code}`);
}

const firstLine = async (command: string, args: readonly string[]) => (await output(command, args)).split("\n")[0] ?? "";
const apt = (packages: string) => `sudo apt-get install ${packages}`;
const refuse = (why: string): never => {
  throw new Error(why);
};

/** The header is enough to build against, and the library comes in the same package. */
const header = (name: string) => async () => {
  await output("g++", ["-fsyntax-only", "-x", "c++", "-"], `#include <${name}>\n`).catch(() =>
    refuse(`${name} is not found by g++`),
  );
  return name;
};

const apiKey = (name: string, provider: string): Check => ({
  name,
  needed: false,
  enables: `nothing in this version, whose proposer needs no key; later, candidates written by ${provider}'s models`,
  get: `export ${name}=…`,
  look: ({ env }) => (env[name] ? "set" : refuse("not set")),
});

/** A new check is one entry here. */
export const checks: readonly Check[] = [
  {
    name: "Node.js",
    needed: true,
    enables: "hiera itself",
    get: "https://nodejs.org, 20.19 or newer",
    look: () => {
      const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
      return major > 20 || (major === 20 && minor >= 19) ? process.versions.node : refuse(`${process.versions.node} is too old`);
    },
  },
  {
    name: "processor",
    needed: true,
    enables: "the device cpu",
    get: "",
    look: () => `${availableParallelism()} cores, ${Math.round(totalmem() / 2 ** 30)} GiB`,
  },
  {
    name: "Python with torch",
    needed: true,
    enables: "reading, running and judging problems",
    get: "./quickstart, or HIERA_PYTHON=/path/to/python",
    look: async ({ torch }) => {
      const found = await torch();
      return `Python ${found.python}, torch ${found.torch}, ${found.threads} threads (${found.command})`;
    },
  },
  {
    name: "worker",
    needed: true,
    enables: "the device cpu",
    get: "see the line above",
    look: async ({ env }) => {
      const session = await localDevice("cpu", env).open();
      await session.close();
      return `answers, protocol ${session.hello.protocol}`;
    },
  },
  {
    name: "torch.compile",
    needed: false,
    enables: "compiled candidates in the space torch",
    get: "pip install torch (2.0 or newer)",
    look: async ({ torch }) => ((await torch()).compile ? "available" : refuse(`torch ${(await torch()).torch} has none`)),
  },
  {
    name: "g++",
    needed: true,
    enables: "own C++ kernels, the spaces kernel and libraries",
    get: apt("g++"),
    look: () => firstLine("g++", ["--version"]),
  },
  {
    name: "OpenBLAS",
    needed: false,
    enables: "matrix products in the space libraries",
    get: apt("libopenblas-dev"),
    look: header("cblas.h"),
  },
  {
    name: "oneDNN",
    needed: false,
    enables: "candidates of your own that call oneDNN in the space libraries; no recipe does",
    get: apt("libdnnl-dev"),
    look: header("oneapi/dnnl/dnnl.h"),
  },
  {
    name: "oneDNN in torch",
    needed: false,
    enables: "blocked memory formats in the space torch",
    get: "pip install torch",
    look: async ({ torch }) => ((await torch()).onednn ? "available" : refuse("this torch was built without it")),
  },
  {
    name: "NVIDIA GPU",
    needed: false,
    enables: "nothing in this version, whose device is the CPU; later, CUDA kernels",
    get: "a machine with an NVIDIA GPU and its driver",
    look: async () =>
      (await output("nvidia-smi", ["--query-gpu=name,driver_version", "--format=csv,noheader"])).replaceAll("\n", "; "),
  },
  {
    name: "nvcc",
    needed: false,
    enables: "compiling CUDA kernels",
    get: "https://developer.nvidia.com/cuda-downloads",
    look: async () => (await output("nvcc", ["--version"])).match(/release [\d.]+/)?.[0] ?? "found",
  },
  {
    name: "Nsight Compute",
    needed: false,
    enables: "hardware counters of CUDA kernels",
    get: "ncu from the CUDA toolkit, and the driver option NVreg_RestrictProfilingToAdminUsers=0 or root",
    look: async () => {
      const version = (await output("ncu", ["--version"])).match(/Version [\d.]+/)?.[0] ?? "found";
      const driver = "/proc/driver/nvidia/params";
      const restricted = existsSync(driver) && /RmProfilingAdminOnly: 1/.test(readFileSync(driver, "utf8"));
      return restricted && process.getuid?.() !== 0 ? refuse("the driver lets only root profile") : version;
    },
  },
  {
    name: "perf",
    needed: false,
    enables: "hardware counters of CPU kernels; operator times come from torch's profiler without it",
    get: `${apt("linux-perf")} && sudo sysctl kernel.perf_event_paranoid=2`,
    look: async () => {
      const version = await firstLine("perf", ["--version"]);
      await output("perf", ["stat", "-e", "cycles:u", "true"]).catch(() => refuse("the kernel refuses its counters"));
      return version;
    },
  },
  {
    name: "sandbox: own user",
    needed: false,
    enables: "candidates that cannot read the judge's memory or files",
    get: "run as root, in a container for instance",
    look: () => (process.getuid?.() === 0 ? "candidates drop to an unprivileged uid" : refuse("not root")),
  },
  {
    name: "sandbox: no network",
    needed: false,
    enables: "candidates that reach no network",
    get: "run as root, or sudo sysctl kernel.unprivileged_userns_clone=1",
    look: async () => {
      await output("unshare", process.getuid?.() === 0 ? ["-n", "true"] : ["-rn", "true"]);
      return "a network namespace can be made";
    },
  },
  {
    name: "sandbox: limits",
    needed: false,
    enables: "limits on a candidate's memory, processes and output",
    get: "Linux",
    look: () => (process.platform === "linux" ? "rlimits" : refuse(`on ${process.platform} memory cannot be limited`)),
  },
  {
    name: "workspace",
    needed: true,
    enables: "keeping runs",
    get: "run in a folder that you may write to, with 1 GiB free",
    look: ({ workspace }) => {
      const isNew = !existsSync(workspace);
      mkdirSync(workspace, { recursive: true });
      try {
        accessSync(workspace, constants.W_OK);
        const { bavail, bsize } = statfsSync(workspace);
        const free = (bavail * bsize) / 2 ** 30;
        return free >= 1 ? `${workspace}, ${Math.floor(free)} GiB free` : refuse(`${workspace} has ${free.toFixed(2)} GiB free`);
      } finally {
        if (isNew) rmSync(workspace, { recursive: true });
      }
    },
  },
  apiKey("OPENAI_API_KEY", "OpenAI"),
  apiKey("ANTHROPIC_API_KEY", "Anthropic"),
  apiKey("GOOGLE_GENERATIVE_AI_API_KEY", "Google"),
  apiKey("DEEPSEEK_API_KEY", "DeepSeek"),
  apiKey("OPENROUTER_API_KEY", "OpenRouter"),
];
