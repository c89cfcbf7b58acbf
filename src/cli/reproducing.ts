import { existsSync, readFileSync } from "node:fs";
import { exitStatus, HieraError } from "../errors.ts";
import { styleFor } from "../report/terminal.ts";
import { compareTable, type Measured } from "../report/text.ts";
import { assemble } from "../search/assemble.ts";
import { type Provenance, readHeader, withoutHeader } from "../spaces/header.ts";
import { embeddedReference } from "../spaces/python.ts";
import type { SpaceName } from "../spaces/space.ts";
import { checkHere } from "./checking.ts";
import { dropIn } from "./output.ts";
import { readStore } from "./reading.ts";

/** Two runs of one file on one machine: intervals of the ratio this far apart still agree. */
const agreement = 0.1;

interface Options {
  readonly device: string;
  readonly workspace: string;
  readonly json: boolean;
}

/** Verifies and times a recorded result again and prints old beside new. Returns the exit status: 1 where they disagree. */
export async function reproduce(result: string, { device, workspace, json }: Options): Promise<number> {
  const text = textOf(result, workspace);
  const old = readHeader(text);
  const reference = embeddedReference(text);
  if (old === null || reference === null) {
    throw new HieraError("usage", "not a file that this hiera wrote", {
      where: result,
      todo: "give a run's name or its model_new.py",
    });
  }
  const spec = { source: withoutHeader(text), builds: [], space: old.space as SpaceName };
  const { facts, evaluation } = await checkHere(device, reference, spec, old.options, "final");
  const now: Measured = {
    verdict: evaluation.verdict,
    speedup: evaluation.timing?.speedup ?? null,
    baselineMs: evaluation.timing?.baselineMs ?? null,
    candidateMs: evaluation.timing?.candidateMs ?? null,
    device: facts.name,
    torch: facts.torch,
  };
  const why = disagreement(old, now, evaluation.reason);
  const closing = why === null ? "They agree." : `They disagree: ${why}.`;
  process.stdout.write(
    json
      ? `${JSON.stringify({ agrees: why === null, reason: why ?? "they agree", recorded: measuredOf(old), now })}\n`
      : `${compareTable(measuredOf(old), now, styleFor(process.stdout))}\n\n${closing}\n`,
  );
  return why === null ? 0 : exitStatus.disagreement;
}

function textOf(result: string, workspace: string): string {
  if (result.endsWith(".py") || existsSync(result)) return readText(result);
  const text = dropIn(readStore(workspace, (store) => assemble(store, result)));
  if (text !== null) return text;
  throw new HieraError("usage", `the run ${result} has no result`, { todo: `finish it with: hiera resume ${result}` });
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new HieraError("usage", `the file cannot be read: ${(error as NodeJS.ErrnoException).code}`, { where: path });
  }
}

const measuredOf = ({ verdict, speedup, baselineMs, bestMs, device, torch }: Provenance): Measured => ({
  verdict,
  speedup,
  baselineMs,
  candidateMs: bestMs,
  device,
  torch,
});

/** Why the new result contradicts the old; null where it does not. A file without a recorded gain is the reference: ratio 1. */
function disagreement(old: Pick<Measured, "speedup">, now: Pick<Measured, "verdict" | "speedup">, reason: string): string | null {
  if (now.verdict !== "valid") return `the verdict is now ${now.verdict}: ${reason}`;
  if (now.speedup === null) return "it could not be timed";
  const { low, high } = old.speedup ?? { low: 1, high: 1 };
  const apart = now.speedup.low > high * (1 + agreement) || now.speedup.high < low / (1 + agreement);
  return apart ? `the speedup's intervals lie more than ${100 * agreement} % apart` : null;
}
