import { execFileSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { formRegions } from "../../../src/planning/regions.ts";
import type { Contract } from "../../../src/problem/contract.ts";
import type { Graph, ValueId } from "../../../src/problem/graph.ts";
import { assembleNative } from "../../../src/proposing/expert/assemble.ts";
import type { Dialect } from "../../../src/proposing/expert/dialect.ts";
import { cpp } from "../../../src/proposing/expert/dialects/cpp.ts";
import { cuda } from "../../../src/proposing/expert/dialects/cuda.ts";
import type { Recipe } from "../../../src/proposing/expert/recipe.ts";
import { contractHeader } from "../../../src/spaces/contract-header.ts";
import { portsOf } from "../../../src/spaces/ports.ts";
import { facts, scaledRelu } from "../../fixtures/contract.ts";
import { flags, python } from "./harness.ts";

/** A contract around a graph written by hand; every graph input is an input of forward. */
export function contractFor(graph: Graph, libraries: Contract["environment"]["libraries"] = {}): Contract {
  const type = (id: ValueId) => ({ ...(graph.values[id] as Graph["values"][string]), id, device: "cpu" });
  const outputs = "tuple" in graph.output ? graph.output.tuple.flatMap((t) => ("tensor" in t ? [t.tensor] : [])) : [];
  return {
    ...scaledRelu(),
    interface: {
      inputs: graph.inputs.map(({ id, name }) => ({ name, tensor: type(id) })),
      outputs: outputs.map((id) => ({ ...type(id), path: "" })),
      structure: graph.output,
      initArguments: [],
      fixedArguments: {},
    },
    state: [],
    environment: { ...facts, libraries },
    graph,
  };
}

/** The whole file that a candidate consists of, all regions by one recipe. Throws where a region is refused. */
export function wholeFile(
  contract: Contract,
  recipe: Recipe,
  dialect: Dialect,
  variant: string,
  settings: Readonly<Record<string, number>> = {},
): string {
  const steps = formRegions(contract.graph).map((region) => {
    const why = recipe.refuses(region, contract);
    if (why) throw new Error(`${region.id}: ${why}`);
    return recipe.emit(region, contract, dialect, variant);
  });
  const chosen = steps
    .flatMap((s) => s.tunables)
    .map((t) => [t.name, settings[t.name.replace(/^HIERA_R\d+_/, "")] ?? t.initial] as const);
  return `${contractHeader(contract, Object.fromEntries(chosen))}\n${assembleNative(contract, steps, dialect)}`;
}

/**
 * CUDA as a C++ compiler reads it: kernels of independent threads run one thread after another, so that their values can be tested
 * where there is no GPU.
 */
const emulated: Dialect = {
  ...cuda,
  prelude: `#include <cmath>
#include <cstdint>
#define __global__
#define __launch_bounds__(n)
typedef void* cudaStream_t;
typedef cudaStream_t hiera_stream;
struct Index { unsigned x; };
static Index blockIdx, threadIdx, blockDim;
static int cudaGetLastError() { return 0; }`,
};
const launched = (file: string): string =>
  file.replace(
    /(\w+)<<<(.+), ([^,]+), 0, stream>>>(\(.*\));/g,
    "blockDim.x = $3; for (blockIdx.x = 0; blockIdx.x < $2; ++blockIdx.x) for (threadIdx.x = 0; threadIdx.x < $3; ++threadIdx.x) $1$4;",
  );

export interface Whole {
  /** "cuda": its text, emulated on the CPU */
  readonly language?: "c++" | "cuda";
  readonly contract: Contract;
  readonly recipe: Recipe;
  readonly variant: string;
  readonly settings?: Readonly<Record<string, number>>;
  /** Python expressions: inputs by name, outputs over those names */
  readonly inputs: Readonly<Record<string, string>>;
  readonly expect: readonly string[];
  readonly link?: readonly string[];
}

export interface Outcome {
  /** worst error of each output over its error budget; 1 is at the limit */
  readonly shares: readonly number[];
  readonly ms?: number;
  readonly eagerMs?: number;
}

/** Builds a candidate's file and runs it beside torch. */
export function runWhole(whole: Whole, options: { python?: string; bench?: boolean; threads?: number } = {}): Outcome {
  const folder = mkdtempSync(join(tmpdir(), "hiera-test-"));
  const { given, outputs } = portsOf(whole.contract);
  const dialect = whole.language === "cuda" ? emulated : cpp;
  writeFileSync(
    join(folder, "kernel.cpp"),
    launched(wholeFile(whole.contract, whole.recipe, dialect, whole.variant, whole.settings)),
  );
  const spec = {
    ...whole,
    contract: undefined,
    threads: options.threads ?? 2,
    bench: options.bench ?? false,
    given: given.map((port) => ({ name: port.label, ...port.type })),
    outputs: outputs.map((port) => port.type),
  };
  writeFileSync(join(folder, "spec.json"), JSON.stringify(spec));
  execFileSync(
    "g++",
    [
      ...flags.filter((f) => !f.startsWith("-ffp")),
      "-Wall",
      "-Wno-unused-function",
      "-Wno-unknown-pragmas",
      join(folder, "kernel.cpp"),
      "-o",
      join(folder, "kernel.so"),
      ...(whole.link ?? []),
    ],
    { stdio: "inherit" },
  );
  const answer = execFileSync(options.python ?? (python as string), [join(import.meta.dirname, "run_whole.py"), folder], {
    encoding: "utf8",
  });
  return JSON.parse(answer) as Outcome;
}
