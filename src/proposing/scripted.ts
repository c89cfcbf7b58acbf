import { sourceName } from "../spaces/native.ts";
import type { Tunable } from "../spaces/space.ts";
import type { Candidate, Proposal, Proposer, Request } from "./proposer.ts";

/** A candidate as far as a script cares: its text says to the null device what shall become of it. */
export interface ScriptedCandidate {
  readonly title: string;
  readonly space?: "kernel" | "torch";
  readonly direction?: Candidate["direction"];
  readonly verdict?: string;
  readonly speedup?: number;
  readonly tunables?: readonly Tunable[];
}

export type ScriptedAnswer = readonly ScriptedCandidate[] | Proposal;

/** A proposer that reads its answers from a script, one a request, and then has nothing more; it keeps what it was asked. For tests and docs. */
export function scriptedProposer(answers: readonly ScriptedAnswer[] | ((request: Request) => ScriptedAnswer)): Proposer & {
  readonly requests: readonly Request[];
} {
  const requests: Request[] = [];
  return {
    name: "scripted",
    requests,
    async propose(request) {
      const answer = typeof answers === "function" ? answers(request) : (answers[requests.length] ?? []);
      requests.push(request);
      if ("uncovered" in answer) return answer;
      return { candidates: answer.map((line) => scriptedCandidate(line, request)), uncovered: [] };
    },
  };
}

function scriptedCandidate(line: ScriptedCandidate, { contract, plan }: Pick<Request, "contract" | "plan">): Candidate {
  const { title, space = "kernel", direction = plan.direction, verdict, speedup, tunables = [] } = line;
  const wish = `null: ${JSON.stringify({ verdict, speedup })}`;
  const files =
    space === "torch"
      ? { "model_new.py": `# ${title}\n# ${wish}\nclass ModelNew(Model):\n    forward = Model.forward\n` }
      : { [sourceName(contract)]: `// ${title}\n// ${wish}\n` };
  return { title, space, direction, files, tunables, origin: { proposer: "scripted", recipes: [], note: title } };
}
