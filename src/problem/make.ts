import type { TraceOptions } from "./calls.ts";
import type { Contract, DeviceFacts, Trace } from "./contract.ts";
import { floorOf } from "./floor.ts";
import { sha256 } from "./hash.ts";

export interface Problem {
  readonly name: string;
  readonly source: string;
  readonly options: TraceOptions & { readonly fixedRng: boolean; readonly tolerance: "budget" | "kernelbench" };
}

/** The contract of a problem on a device, from what one run of the reference showed and what the device was found to be. */
export function makeContract({ name, source, options }: Problem, trace: Trace, facts: DeviceFacts): Contract {
  const { graph, inputs, outputs, structure, initArguments, fixedArguments, state } = trace;
  const terms: Terms = {
    version: 1,
    problem: { name, source, hash: sha256(source) },
    interface: { inputs, outputs, structure, initArguments, fixedArguments },
    state,
    behaviour: {
      mode: trace.training ? "train" : "eval",
      modeMatters: trace.modeMatters,
      mayChange: trace.mutatedInputs,
      changesBuffers: state.filter((s) => s.mutated).map((s) => s.name),
      fixedRng: options.fixedRng,
    },
    numerics: { precision: options.precision, tolerance: options.tolerance, longestSum: trace.work.longestSum },
    environment: facts,
    graph,
  };
  return { ...terms, hash: hashOf(terms), performance: { floor: floorOf(trace.work, facts) } };
}

type Terms = Omit<Contract, "hash" | "performance">;

/** What is measured differs from run to run and obliges nobody: rates and the floor made of them are left out. */
const hashOf = ({ environment: { rates: _, ...environment }, ...terms }: Terms): string => sha256({ ...terms, environment });
