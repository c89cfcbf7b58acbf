/** Names of the steps of a run: facts are written and read under these alone. */
export const keys = {
  probe: "probe",
  trace: "trace",
  contract: "contract",
  validation: "validation",
  profile: "profile",
  plan: (round: number, attempt: number) => `r${round}/plan/${attempt}`,
  answer: (round: number, attempt: number) => `r${round}/answer/${attempt}`,
  go: (id: string) => `${id}/go`,
  goOn: (id: string) => `${id}/go-on`,
  build: (id: string, trial: number) => `${id}/build/${trial}`,
  trial: (id: string, trial: number) => `${id}/trial/${trial}`,
  full: (id: string) => `${id}/full`,
  final: (id: string) => `${id}/final`,
  result: "result",
} as const;

export const candidateId = (round: number, index: number): string => `r${round}c${index + 1}`;

/** The output where nothing was faster; it is built and verified like a candidate. */
export const referenceId = "reference";
