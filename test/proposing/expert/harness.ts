import { execFileSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { baseOf, layout } from "../../../src/planning/access.ts";
import { formRegions } from "../../../src/planning/regions.ts";
import type { Contract } from "../../../src/problem/contract.ts";
import { type Graph, leaves } from "../../../src/problem/graph.ts";
import type { Dialect } from "../../../src/proposing/expert/dialect.ts";
import { cpp } from "../../../src/proposing/expert/dialects/cpp.ts";
import type { Emitted } from "../../../src/proposing/expert/recipe.ts";
import { pointwise } from "../../../src/proposing/expert/recipes/pointwise.ts";
import { rows } from "../../../src/proposing/expert/recipes/rows.ts";

export const flags =
  "-std=c++17 -O3 -march=native -fopenmp -fno-math-errno -fno-trapping-math -ffp-contract=fast -fPIC -shared".split(" ");

/** A Python that imports torch, or undefined. */
export const python: string | undefined = [process.env.HIERA_PYTHON, "/usr/bin/python3", "python3"].find((candidate) => {
  if (!candidate) return false;
  try {
    execFileSync(candidate, ["-c", "import torch"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
});

export const found = (command: string): boolean => {
  try {
    execFileSync(command, ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
};

/** A graph, Python expressions of its inputs by name, and of its outputs over those names in float64. */
export interface Case {
  readonly name: string;
  readonly graph: Graph;
  readonly inputs: Readonly<Record<string, string>>;
  readonly expect: readonly string[];
  readonly variant?: string;
  /** elements of the longest sum */
  readonly longest?: number;
}

const contractOf = (graph: Graph, threads = 2): Contract => ({ graph, environment: { threads } }) as Contract;

/** Every region of a graph rendered; throws where a region is refused. */
export function emitAll(graph: Graph, dialect: Dialect, prefix: string, variant?: string, threads = 2): Emitted[] {
  return formRegions(graph).map((region) => {
    const recipe = region.kind === "row" ? rows : pointwise;
    const contract = contractOf(graph, threads);
    const why = recipe.refuses(region, contract);
    if (why) throw new Error(`${region.id}: ${why}`);
    const known = recipe.variants.some((v) => v.name === variant);
    return recipe.emit(
      { ...region, id: `${prefix}${region.id}` },
      contract,
      dialect,
      known && variant ? variant : (recipe.variants[0]?.name as string),
    );
  });
}

export const macros = (emitted: readonly Emitted[], settings: Readonly<Record<string, number>> = {}): string =>
  emitted.flatMap((e) => e.tunables.map((t) => `#define ${t.name} ${settings[t.name] ?? t.initial}`)).join("\n");

/** Compiles all cases into one library, runs it beside torch, and returns what the script prints: one object a case. */
export function runCases(
  cases: readonly Case[],
  options: { threads?: number; python?: string; settings?: Record<string, number> } = {},
): CaseResult[] {
  const folder = mkdtempSync(join(tmpdir(), "hiera-test-"));
  const emitted = cases.map((c, k) => emitAll(c.graph, cpp, `c${k}`, c.variant, options.threads ?? 2));
  const all = emitted.flat();
  const wrappers = all.map(
    (e) =>
      `extern "C" int call_${e.symbol}(void** p, void* scratch) { return ${e.symbol}(${[...e.parameters.map((_, k) => `Any{p[${k}]}`), "scratch", "nullptr"].join(", ")}); }`,
  );
  const source = [
    macros(all, options.settings),
    cpp.prelude,
    "struct Any { void* at; template <class T> operator T*() const { return static_cast<T*>(at); } };",
    ...all.map((e) => e.code),
    ...wrappers,
    'extern "C" void set_threads(int n) { omp_set_num_threads(n); }',
  ].join("\n");
  const spec = cases.map((c, k) => ({
    ...c,
    values: c.graph.values,
    graphInputs: c.graph.inputs,
    outputs: leaves(c.graph.output).map((id) => {
      const written = emitted[k]?.some((e) => e.parameters.some((p) => p.value === id && p.access === "write"));
      return {
        id,
        base: written ? id : baseOf(c.graph, id),
        strides: written
          ? layout(
              {
                ...c.graph,
                values: { ...c.graph.values, [id]: { ...(c.graph.values[id] as object), view: undefined } },
              } as Graph,
              id,
            )
          : layout(c.graph, id),
      };
    }),
    calls: emitted[k]?.map((e) => ({ symbol: `call_${e.symbol}`, parameters: e.parameters, scratch: e.scratchBytes })),
  }));
  writeFileSync(join(folder, "kernel.cpp"), source);
  writeFileSync(join(folder, "spec.json"), JSON.stringify({ threads: options.threads ?? 2, cases: spec }));
  execFileSync(
    "g++",
    [
      ...flags,
      "-Wall",
      "-Wno-unused-function",
      "-Wno-unused-variable",
      "-Wno-unused-but-set-variable",
      join(folder, "kernel.cpp"),
      "-o",
      join(folder, "kernel.so"),
    ],
    { stdio: "inherit" },
  );
  const script = join(import.meta.dirname, "run_cases.py");
  const answer = execFileSync(options.python ?? (python as string), [script, folder], { encoding: "utf8", maxBuffer: 1 << 26 });
  return answer
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as CaseResult);
}

export interface CaseResult {
  readonly name: string;
  /** error over budget, worst output; 1 is at the limit */
  readonly share: number;
  readonly why?: string;
}
