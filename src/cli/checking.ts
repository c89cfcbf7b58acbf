import { deviceNamed } from "../devices/registry.ts";
import { HieraError } from "../errors.ts";
import type { CandidateSpec, Effort } from "../evaluation/calls.ts";
import { type Checked, type CheckOptions, check } from "../search/check.ts";
import { Link } from "../search/link.ts";
import { untilInterrupted } from "./interrupt.ts";

/** Judges one file on a device; Ctrl-C ends the worker with everything it started. */
export function checkHere(
  device: string,
  source: string,
  candidate: CandidateSpec,
  options: CheckOptions,
  effort: Effort,
): Promise<Checked> {
  const found = deviceNamed(device);
  return untilInterrupted(
    async (signal) => {
      const link = new Link(found, () => undefined, signal);
      try {
        return await check(link, source, candidate, options, effort);
      } finally {
        await link.close();
      }
    },
    () => new HieraError("interrupted", "stopped"),
  );
}
