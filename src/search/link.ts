import type { Call, Device, Session } from "../devices/device.ts";
import { HieraError } from "../errors.ts";
import type { Observer } from "./events.ts";

/** Tries after a failure that is not the candidate's fault. */
const retries = 2;

/** The device as the search sees it: opened when first needed, reopened where the worker dies, each request retried, bounded. */
export class Link {
  readonly #device: Device;
  readonly #observe: Observer;
  readonly #signal: AbortSignal | undefined;
  #session: Promise<Session> | undefined;

  constructor(device: Device, observe: Observer, signal?: AbortSignal) {
    this.#device = device;
    this.#observe = observe;
    this.#signal = signal;
  }

  /** Throws what the session throws; "infrastructure" only after the retries. `again`: an answer that is worth another try, as a reason. */
  async ask<T>(subject: string, call: Call<T>, again: (answer: T) => string | null = () => null): Promise<T> {
    for (let attempt = 0; ; attempt++) {
      try {
        const answer = await (await this.#open()).request(call, {
          ...(this.#signal && { signal: this.#signal }),
          onProgress: ({ stage, detail }) => this.#observe({ type: "stage", subject, stage, detail }),
        });
        const reason = again(answer);
        if (reason === null || attempt === retries) return answer;
        this.#observe({ type: "retry", subject, reason });
      } catch (error) {
        if (!(error instanceof HieraError) || error.code !== "infrastructure" || attempt === retries) throw error;
        this.#observe({ type: "retry", subject, reason: error.message });
        await this.close();
      }
    }
  }

  /** True where a worker answers: then an infrastructure failure belongs to the request, not to the device. */
  async reachable(): Promise<boolean> {
    await this.close();
    return this.#open().then(
      () => true,
      () => false,
    );
  }

  async close(): Promise<void> {
    const session = this.#session;
    this.#session = undefined;
    await session?.then(
      (open) => open.close(),
      () => undefined,
    );
  }

  #open(): Promise<Session> {
    if (this.#signal?.aborted) return Promise.reject(new HieraError("interrupted", "interrupted"));
    this.#session ??= this.#device.open();
    return this.#session;
  }
}
