import {
  type CandidateSpec,
  type Effort,
  type Evaluation,
  evaluate,
  type ProblemOptions,
  type Validation,
  validate,
} from "../evaluation/calls.ts";
import { probe } from "../problem/calls.ts";
import type { DeviceFacts } from "../problem/contract.ts";
import type { Link } from "./link.ts";

export interface Checked {
  readonly facts: DeviceFacts;
  readonly validation: Validation;
  readonly evaluation: Evaluation;
}

export type CheckOptions = Omit<ProblemOptions, "threads"> & { readonly threads: number | null };

/** Judges one file outside any run. Throws HieraError("problem-invalid" | "infrastructure" | "interrupted"). */
export async function check(
  link: Link,
  source: string,
  candidate: CandidateSpec,
  options: CheckOptions,
  effort: Effort,
): Promise<Checked> {
  const facts = await link.ask("device", probe(options));
  const problem = { source, options: { ...options, threads: options.threads ?? facts.threads } };
  const validation = await link.ask("problem", validate(problem));
  const faulty = (answer: Evaluation) => (answer.verdict === "infrastructure" ? answer.reason : null);
  const evaluation = await link.ask("candidate", evaluate(problem, candidate, effort), faulty);
  return { facts, validation, evaluation };
}
