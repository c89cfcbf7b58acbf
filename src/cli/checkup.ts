import { exitStatus } from "../errors.ts";
import { type Check, checks, type Machine, thisMachine } from "./checks.ts";

export interface Finding {
  readonly name: string;
  readonly needed: boolean;
  readonly ok: boolean;
  /** what is there, or what is not */
  readonly found: string;
  readonly enables: string;
  readonly get: string;
}

async function look(check: Check, machine: Machine): Promise<Finding> {
  const { name, needed, enables, get } = check;
  try {
    return { name, needed, ok: true, found: await check.look(machine), enables, get };
  } catch (error) {
    return { name, needed, ok: false, found: (error as Error).message, enables, get };
  }
}

/** The main job is `hiera optimize` on the CPU. */
export async function examine(machine: Machine, list = checks): Promise<{ ready: boolean; checks: Finding[] }> {
  const findings = await Promise.all(list.map((check) => look(check, machine)));
  return { ready: findings.every((f) => f.ok || !f.needed), checks: findings };
}

export function describe(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map((f) => f.name.length));
  return findings
    .flatMap(({ name, needed, ok, found, enables, get }) => {
      const line = `${ok ? "ok     " : needed ? "NEEDED " : "missing"}  ${name.padEnd(width)}  ${found}`;
      return ok ? [line] : [line, `${" ".repeat(width + 11)}for ${enables}; to get it: ${get}`];
    })
    .join("\n");
}

/** Prints what this machine can do. Returns the exit status, which says whether the main job can run. */
export async function checkup(workspace: string, json: boolean): Promise<number> {
  const result = await examine(thisMachine(process.env, workspace));
  const missing = result.checks.filter((f) => f.needed && !f.ok).map((f) => f.name);
  const closing = result.ready
    ? "hiera optimize can run here."
    : `hiera optimize cannot run here: ${missing.join(", ")} missing.`;
  console.log(json ? JSON.stringify(result) : `${describe(result.checks)}\n\n${closing}`);
  return result.ready ? 0 : exitStatus.infrastructure;
}
