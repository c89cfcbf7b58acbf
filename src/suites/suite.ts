import { HieraError } from "../errors.ts";
import type { RunBody } from "../search/bodies.ts";
import type { RunOptions, RunRecord } from "../search/record.ts";
import type { Store } from "../store/store.ts";

/** A set of problems that are worked through in order. */
export interface Suite {
  readonly name: string;
  /** Throws HieraError("usage") where the set is not there. */
  readonly problems: () => readonly SuiteProblem[];
}

export interface SuiteProblem {
  readonly name: string;
  readonly file: string;
  readonly source: string;
}

/** What became of one problem: a finished run, or why there is none. */
export interface SuiteOutcome {
  readonly problem: SuiteProblem;
  readonly run: RunRecord | null;
  /** taken from the workspace, not run again */
  readonly reused: boolean;
  readonly reason: string | null;
}

/** The newest run of exactly this text with exactly these options, finished or not. */
export function earlierRun(store: Store, problem: SuiteProblem, options: RunOptions): string | null {
  const address = store.put(problem.source);
  const wanted = JSON.stringify(Object.entries(options).sort());
  const found = store.runs().find(({ body }) => {
    const { problem: known, options: had } = body as RunBody;
    return known.source === address && JSON.stringify(Object.entries(had).sort()) === wanted;
  });
  return found?.id ?? null;
}

/** How a problem is run; both are given, so that a command can show progress and a test need no device. */
export interface Steps {
  /** Finds or makes the problem's run; `finished` holds its record where nothing is left to do. */
  readonly begin: (problem: SuiteProblem) => { readonly id: string; readonly finished: RunRecord | null };
  readonly drive: (id: string) => Promise<RunRecord>;
}

/** A problem that cannot be run is an outcome with its reason; an interruption or a usage error ends the suite. */
const outcomes: ReadonlySet<HieraError["code"]> = new Set(["problem-invalid", "infrastructure", "no-candidate"]);

/** Works through the problems one after the other and tells each outcome as soon as it is there. */
export async function* work(problems: readonly SuiteProblem[], { begin, drive }: Steps): AsyncGenerator<SuiteOutcome> {
  for (const problem of problems) {
    try {
      const { id, finished } = begin(problem);
      yield { problem, run: finished ?? (await drive(id)), reused: finished !== null, reason: null };
    } catch (error) {
      if (!(error instanceof HieraError) || !outcomes.has(error.code)) throw error;
      yield { problem, run: null, reused: false, reason: error.message };
    }
  }
}
