import type { z } from "zod";

/** Where candidates are built and run. One duplex line protocol reaches every device. */
export interface Device {
  /** as the user names it: `cpu`, `null` */
  readonly name: string;
  /** Starts the worker and shakes hands. Throws HieraError("infrastructure") where it cannot be reached. */
  open(options?: OpenOptions): Promise<Session>;
}

export interface OpenOptions {
  /** the worker's own diagnostics, line by line; never the protocol */
  readonly onLog?: (line: string) => void;
}

/** One worker. Requests are answered in order; a closed session answers none. */
export interface Session {
  readonly hello: Hello;
  /** Throws HieraError("problem-invalid" | "infrastructure" | "usage") as the worker says, and on abort "interrupted". */
  request<T>(call: Call<T>, options?: RequestOptions): Promise<T>;
  /** Ends the worker and everything it started. */
  close(): Promise<void>;
}

/** A request as a value: what is asked, and the schema that the answer must satisfy. */
export interface Call<T> {
  readonly method: string;
  readonly params: unknown;
  readonly result: z.ZodType<T>;
}

export interface RequestOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
}

export interface Progress {
  readonly stage: string;
  readonly detail?: string | undefined;
}

/** The worker's first line. */
export interface Hello {
  readonly protocol: number;
  readonly worker: string;
  readonly python: string;
}
