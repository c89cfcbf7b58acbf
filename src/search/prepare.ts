import { HieraError } from "../errors.ts";
import { type ProblemSpec, profile, type Validation, validate } from "../evaluation/calls.ts";
import { type Bottleneck, classify } from "../knowledge/bottlenecks.ts";
import { probe, trace } from "../problem/calls.ts";
import { makeContract } from "../problem/make.ts";
import type { PreparedContext, RunContext } from "./context.ts";
import { keys } from "./keys.ts";
import type { RunOptions } from "./record.ts";

export interface Prepared {
  readonly context: PreparedContext;
  readonly validation: Validation;
  readonly bottleneck: Bottleneck;
}

/** Understands a problem on a device: probe, trace, contract, oracle and baseline, profile. Throws HieraError("problem-invalid"). */
export async function prepare(run: RunContext, name: string, source: string, options: RunOptions): Promise<Prepared> {
  const { journal, link, observe } = run;
  const subject = "problem";
  const facts = await journal.step(keys.probe, "measurement", () => link.ask(subject, probe(options)));
  const problem: ProblemSpec = { source, options: { ...problemOptions(options), threads: options.threads ?? facts.threads } };
  const traced = await journal.step(keys.trace, "problem", () => link.ask(subject, trace(problem)));
  const contract = await journal.step(keys.contract, "contract", () =>
    makeContract({ name, source, options: problem.options }, traced, facts),
  );
  const validation = await journal.step(keys.validation, "measurement", () => link.ask(subject, validate(problem)));
  await journal.step(keys.profile, "profile", () => link.ask(subject, profile(problem, null)).catch(unprofiled));
  const bottleneck = classify(contract.graph, contract.performance.floor, facts, validation.baselineMs);
  observe({ type: "contract", contract, validation, bottleneck });
  return { context: { ...run, problem, contract }, validation, bottleneck };
}

const problemOptions = ({ mode, precision, fixedRng, tolerance }: RunOptions) => ({ mode, precision, fixedRng, tolerance });

/** No profile is never an error. */
function unprofiled(error: unknown) {
  if (!(error instanceof HieraError) || error.code === "interrupted") throw error;
  return { available: false, why: error.message, operators: [], totalMs: 0 };
}
