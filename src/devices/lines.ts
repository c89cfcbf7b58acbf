import { HieraError } from "../errors.ts";
import type { Call, Hello, Progress, RequestOptions, Session } from "./device.ts";
import { HelloLine, protocolVersion, ReplyLine } from "./protocol.ts";

/** How lines travel: a pipe, a socket, a function call. */
export interface Transport {
  send(line: string): void;
  /** Ends the worker and everything it started; resolves when they are gone. */
  close(): Promise<void>;
}

export interface Listener {
  line(text: string): void;
  /** called at most once, with what happened and what to do */
  end(error: HieraError): void;
}

interface Pending {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: HieraError) => void;
  readonly onProgress: ((progress: Progress) => void) | undefined;
}

const helloSeconds = 60;

/** Shakes hands over a transport and turns it into a session. Throws HieraError("infrastructure") where no hello of our version comes. */
export async function connect(start: (listener: Listener) => Transport): Promise<Session> {
  const pending = new Map<number, Pending>();
  let ended: HieraError | undefined;
  let greet: (line: string) => void = () => undefined;
  let refuse: (error: HieraError) => void = () => undefined;
  const greeting = new Promise<string>((resolve, reject) => {
    greet = resolve;
    refuse = reject;
  });
  let greeted = false;

  const fail = (error: HieraError) => {
    ended ??= error;
    refuse(ended);
    for (const { reject } of pending.values()) reject(ended);
    pending.clear();
  };
  const answer = (text: string) => {
    const reply = ReplyLine.safeParse(json(text));
    if (!reply.success)
      return fail(new HieraError("infrastructure", `the worker sent a line that is no message: ${text.slice(0, 120)}`));
    const waiting = pending.get(reply.data.id);
    if (waiting === undefined) return;
    if ("progress" in reply.data) return waiting.onProgress?.(reply.data.progress);
    pending.delete(reply.data.id);
    if ("result" in reply.data) return waiting.resolve(reply.data.result);
    const { kind, message, where, todo } = reply.data.error;
    waiting.reject(new HieraError(kind, message, { ...(where && { where }), ...(todo && { todo }) }));
  };

  const transport = start({
    line: (text) => {
      if (greeted) return answer(text);
      greeted = true;
      greet(text);
    },
    end: fail,
  });
  let hello: Hello;
  const timer = setTimeout(
    () => fail(new HieraError("infrastructure", `the worker did not answer within ${helloSeconds} s`)),
    1000 * helloSeconds,
  );
  try {
    hello = parseHello(await greeting);
  } catch (error) {
    await transport.close();
    throw error;
  } finally {
    clearTimeout(timer);
  }

  let lastId = 0;
  const ask = <T>(call: Call<T>, { signal, onProgress }: RequestOptions): Promise<T> => {
    if (ended !== undefined) return Promise.reject(ended);
    if (signal?.aborted) return Promise.reject(interrupted());
    const id = ++lastId;
    const cancel = () => {
      transport.send(JSON.stringify({ id: ++lastId, method: "cancel", params: { id } }));
      pending.get(id)?.reject(interrupted());
      pending.delete(id);
    };
    const reply = new Promise<unknown>((resolve, reject) => {
      pending.set(id, { resolve, reject, onProgress });
      signal?.addEventListener("abort", cancel, { once: true });
      transport.send(JSON.stringify({ id, method: call.method, params: call.params }));
    });
    return reply.then((result) => checked(call, result)).finally(() => signal?.removeEventListener("abort", cancel));
  };

  let last: Promise<unknown> = Promise.resolve();
  return {
    hello,
    request(call, options = {}) {
      const next = last.then(() => ask(call, options));
      last = next.catch(() => undefined);
      return next;
    },
    async close() {
      fail(new HieraError("infrastructure", "the session with the worker is closed"));
      await transport.close();
    },
  };
}

const interrupted = () => new HieraError("interrupted", "interrupted");

function parseHello(text: string): Hello {
  const hello = HelloLine.safeParse(json(text));
  if (!hello.success)
    throw new HieraError("infrastructure", `the worker began with a line that is no greeting: ${text.slice(0, 120)}`);
  const { hiera, worker, python } = hello.data;
  if (hiera === protocolVersion) return { protocol: hiera, worker, python };
  throw new HieraError("infrastructure", `the worker speaks protocol ${hiera}, this hiera speaks ${protocolVersion}`, {
    todo: "install the same version on both sides",
  });
}

function checked<T>(call: Call<T>, result: unknown): T {
  const parsed = call.result.safeParse(result);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new HieraError(
    "infrastructure",
    `the worker's answer to ${call.method} is malformed: ${issue?.path.join(".")}: ${issue?.message}`,
  );
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
