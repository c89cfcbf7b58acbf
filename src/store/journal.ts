import type { FactKind, Store } from "./store.ts";

/**
 * Makes a deterministic procedure resumable: a step that has a fact returns it, any other runs and becomes one.
 * Running the same procedure again after a kill therefore goes on at the first missing step.
 */
export class Journal {
  readonly store: Store;
  readonly run: string;
  readonly #known: Map<string, unknown>;
  #spentMs: number;
  #since = performance.now();

  constructor(store: Store, run: string) {
    this.store = store;
    this.run = run;
    const facts = store.facts(run);
    this.#known = new Map(facts.map((fact) => [fact.key, fact.body]));
    this.#spentMs = facts.reduce((sum, fact) => sum + fact.spentMs, 0);
  }

  /** The recorded body of `key`, or that of `fn`, recorded. A body goes through JSON either way, so that both are equal. */
  async step<T>(key: string, kind: FactKind, fn: () => T | Promise<T>): Promise<T> {
    if (this.#known.has(key)) return this.#known.get(key) as T;
    const body = JSON.parse(JSON.stringify(await fn())) as T;
    const now = performance.now();
    this.store.append(this.run, { key, kind, body, spentMs: Math.round(now - this.#since) });
    this.#spentMs += now - this.#since;
    this.#since = now;
    this.#known.set(key, body);
    return body;
  }

  has(key: string): boolean {
    return this.#known.has(key);
  }

  /** Milliseconds in which processes drove this run, this one included; pauses between a kill and a resume do not count. */
  get activeMs(): number {
    return this.#spentMs + performance.now() - this.#since;
  }
}
