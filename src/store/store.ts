/** Append-only memory of runs. Nothing is ever changed or removed; a run is the sum of its facts. */
export interface Store {
  /** Throws HieraError("usage") where the id is taken. */
  create(run: string, body: unknown): void;
  /** newest first */
  runs(): readonly RunRow[];
  run(id: string): RunRow | undefined;
  /** in the order in which they were appended */
  facts(run: string): readonly Fact[];
  /** Atomic and durable when it returns. Throws HieraError("infrastructure") where the key exists. */
  append(run: string, fact: NewFact): void;
  /** Content-addressed text; returns its address (sha256, hexadecimal). */
  put(text: string): string;
  /** Throws HieraError("infrastructure") for an address that is not there. */
  text(address: string): string;
  /** One process drives a run. Returns the release. Throws HieraError("usage") while another live process holds it. */
  lock(run: string): () => void;
  close(): void;
}

export interface RunRow {
  readonly id: string;
  readonly body: unknown;
  readonly at: string;
}

export interface NewFact {
  /** names the step: `contract`, `r1/plan`, `r1c2/full` */
  readonly key: string;
  readonly kind: FactKind;
  /** JSON */
  readonly body: unknown;
  /** milliseconds in which this process worked since its previous fact */
  readonly spentMs: number;
}

export interface Fact extends NewFact {
  /** 1, 2, 3 … within the run */
  readonly seq: number;
  /** ISO 8601, UTC */
  readonly at: string;
}

export const factKinds = [
  "problem",
  "contract",
  "plan",
  "answer",
  "candidate",
  "build",
  "verdict",
  "measurement",
  "profile",
  "decision",
  "result",
] as const;
export type FactKind = (typeof factKinds)[number];
