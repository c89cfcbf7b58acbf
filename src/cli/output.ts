import { accessSync, constants, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { HieraError } from "../errors.ts";
import { renderReport } from "../report/html.ts";
import type { RunRecord } from "../search/record.ts";
import { type Provenance, withHeader } from "../spaces/header.ts";
import { makeFolder } from "../store/folder.ts";

/** Makes the folder; throws HieraError("usage") where it cannot be written, before a search spends time. */
export function ensureWritable(folder: string): void {
  try {
    makeFolder(folder);
    // A trailing slash: a file is no folder.
    accessSync(`${folder}/`, constants.W_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new HieraError("usage", `the output folder cannot be written: ${code}`, {
      where: folder,
      todo: "choose another --out",
    });
  }
}

/** Writes the drop-in and the report of a finished run. Returns their paths; a run without a candidate has a report only. */
export async function writeOutput(run: RunRecord, folder: string): Promise<readonly string[]> {
  ensureWritable(folder);
  const report = await renderReport(run);
  const source = dropIn(run);
  return [...(source === null ? [] : [write(folder, "model_new.py", source)]), write(folder, "report.html", report)];
}

/** A reader sees the old file or the new one, never half of it. */
export function write(folder: string, name: string, text: string): string {
  const path = join(folder, name);
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    writeFileSync(temporary, text);
    renameSync(temporary, path);
  } catch (error) {
    throw new HieraError("infrastructure", `the output cannot be written: ${(error as Error).message}`, {
      where: path,
      todo: "free some space or choose another --out, then: hiera resume RUN",
    });
  }
  return path;
}

/** The winning file with its provenance; null where there is none. */
export function dropIn(run: RunRecord): string | null {
  const { result, contract } = run;
  if (result === null || contract === null || result.source === null) return null;
  const best = run.candidates.find((candidate) => candidate.id === result.best);
  const { environment } = contract;
  const provenance: Provenance = {
    hiera: run.hiera,
    run: run.id,
    problem: run.problem.name,
    contract: contract.hash,
    verdict: result.verdict,
    speedup: best ? result.speedup : null,
    baselineMs: result.baselineMs,
    bestMs: result.bestMs,
    floorMs: result.floorMs,
    space: result.space ?? "torch",
    direction: result.direction ?? "none",
    recipes: [...(best?.origin.recipes ?? [])],
    settings: { ...best?.settings },
    device: environment.name,
    torch: environment.torch,
    compiler: environment.compiler?.version ?? "none",
    options: {
      mode: run.options.mode,
      precision: run.options.precision,
      fixedRng: run.options.fixedRng,
      tolerance: run.options.tolerance,
      threads: run.options.threads ?? environment.threads,
    },
  };
  return withHeader(result.source, provenance);
}
