import { basename } from "node:path";
import { deviceNamed } from "../devices/registry.ts";
import type { ProblemOptions } from "../evaluation/calls.ts";
import { formRegions } from "../planning/regions.ts";
import { probe, trace } from "../problem/calls.ts";
import type { Contract } from "../problem/contract.ts";
import { describeContract } from "../problem/describe.ts";
import { makeContract } from "../problem/make.ts";
import { readProblem } from "../problem/read.ts";

type Options = Omit<ProblemOptions, "threads"> & { readonly threads: number | null };

/** The contract of a file on a device, as text, or with `json` as the whole document on one line. Throws HieraError. */
export async function inspect(file: string, device: string, options: Options, json: boolean): Promise<string> {
  const contract = await contractOf(file, device, options);
  return json ? JSON.stringify(contract) : describeContract(contract, formRegions(contract.graph));
}

async function contractOf(file: string, device: string, options: Options): Promise<Contract> {
  const source = readProblem(file);
  const session = await deviceNamed(device).open();
  try {
    const facts = await session.request(probe(options));
    const problem = { source, options: { ...options, threads: options.threads ?? facts.threads } };
    const traced = await session.request(trace(problem));
    return makeContract({ name: basename(file, ".py"), source, options: problem.options }, traced, facts);
  } finally {
    await session.close();
  }
}
