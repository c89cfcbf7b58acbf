import type { Evaluation } from "../evaluation/calls.ts";
import type { Candidate, Proposal } from "../proposing/proposer.ts";
import type { Files, Settings } from "../spaces/space.ts";
import type { Store } from "../store/store.ts";
import type { RunOptions, Trial } from "./record.ts";

/** Facts whose texts lie in the store by address. */

/** What a run begins with: enough to resume it. `source`: address of the problem's text. */
export interface RunBody {
  readonly hiera: string;
  readonly problem: { readonly name: string; readonly file: string; readonly source: string };
  readonly options: RunOptions;
  /** folder for the drop-in and the report */
  readonly output: string;
}

/** The proposer's answer; `files` maps a name to its text's address. */
export type Answer = Proposal;

/** One evaluation of a candidate with these settings; `source`: the drop-in's address, null where it could not be wrapped. */
export interface Attempt {
  readonly settings: Settings;
  readonly source: string | null;
  readonly evaluation: Evaluation;
}

const mapFiles = (files: Files, fn: (text: string) => string): Files =>
  Object.fromEntries(Object.entries(files).map(([name, text]) => [name, fn(text)]));

const mapCandidates = (proposal: Proposal, fn: (text: string) => string): Proposal => ({
  ...proposal,
  candidates: proposal.candidates.map((candidate): Candidate => ({ ...candidate, files: mapFiles(candidate.files, fn) })),
});

export const packAnswer = (proposal: Proposal, store: Store): Answer => mapCandidates(proposal, (text) => store.put(text));
export const unpackAnswer = (answer: Answer, store: Store): Proposal => mapCandidates(answer, (address) => store.text(address));

export function trialOf({ settings, evaluation }: Attempt): Trial {
  const { verdict, reason, timing } = evaluation;
  return {
    settings,
    verdict,
    reason,
    ms: timing?.candidateMs ?? null,
    speedup: verdict === "valid" ? (timing?.speedup ?? null) : null,
  };
}
