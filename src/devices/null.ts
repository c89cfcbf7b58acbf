import { createHash } from "node:crypto";
import { HieraError } from "../errors.ts";
import type { Device } from "./device.ts";
import { connect, type Listener, type Transport } from "./lines.ts";
import { nullFacts, nullTrace } from "./null-answers.ts";
import { protocolVersion, RequestLine } from "./protocol.ts";

export interface NullOptions {
  /** milliseconds before each answer */
  readonly delayMs?: number;
  /** Failures to play: called before each answer with the count of earlier requests of that method. */
  readonly fail?: (method: string, earlier: number, params: unknown) => HieraError | "die" | undefined;
}

/**
 * A device without a machine: it honours the whole protocol and derives every answer from the request alone, so that runs repeat exactly.
 * A source may say what becomes of it, in a comment: `null: {"verdict": "incorrect"}`, `null: {"speedup": 2.5}`; a problem, `null: {"invalid": "why"}`.
 */
export function nullDevice(options: NullOptions = {}): Device {
  return { name: "null", open: () => connect((listener) => startNull(options, listener)) };
}

function startNull({ delayMs = 0, fail }: NullOptions, listener: Listener): Transport {
  const counts = new Map<string, number>();
  let open = true;
  const say = (message: unknown) => open && listener.line(JSON.stringify(message));
  const wait = () => new Promise((resolve) => setTimeout(resolve, delayMs));

  async function answer({ id, method, params }: RequestLine): Promise<void> {
    const earlier = counts.get(method) ?? 0;
    counts.set(method, earlier + 1);
    say({ id, progress: { stage: method } });
    await wait();
    const failure = fail?.(method, earlier, params);
    if (failure === "die") {
      open = false;
      return listener.end(new HieraError("infrastructure", "the null worker died as it was told"));
    }
    if (failure !== undefined) return void say({ id, error: errorBody(failure) });
    const reply = answers[method];
    if (reply === undefined) return void say({ id, error: { kind: "usage", message: `unknown method "${method}"` } });
    const result = reply(params as Params);
    say("invalid" in result ? { id, error: { kind: "problem-invalid", message: result.invalid } } : { id, result });
  }

  queueMicrotask(() => say({ hiera: protocolVersion, worker: "null", python: "none" }));
  return {
    send(line) {
      const request = RequestLine.parse(JSON.parse(line));
      if (request.method !== "cancel") void answer(request);
    },
    async close() {
      open = false;
    },
  };
}

const errorBody = (error: HieraError) => ({
  kind: error.code,
  message: error.message,
});

interface Params {
  readonly problem?: { readonly source: string };
  readonly candidate?: { readonly source: string } | null;
  readonly build?: { readonly source: string };
  readonly effort?: string;
}

/** A number in [0, 1) that depends on the texts alone. */
function chance(...texts: string[]): number {
  const digest = createHash("sha256").update(texts.join("\0")).digest();
  return digest.readUInt32BE(0) / 2 ** 32;
}

interface Wish {
  readonly verdict?: string;
  readonly speedup?: number;
  readonly invalid?: string;
}

/** What a source says shall become of it. */
function wishOf(source: string): Wish {
  const found = /\bnull: (\{[^}]*\})/.exec(source)?.[1];
  return found === undefined ? {} : (JSON.parse(found) as Wish);
}

const baselineMs = 10;

const answers: Readonly<Record<string, (params: Params) => object>> = {
  probe: () => nullFacts,
  trace: (p) => wishOr(p, () => nullTrace),
  validate: (p) => wishOr(p, () => ({ baselineMs, variants: ["own", "zero-mean", "scaled"], checks: ["oracle: null"] })),
  build: () => ({ ok: true, cached: false, seconds: 0, log: [] }),
  evaluate: (p) => evaluation(p),
  profile: () => ({
    available: true,
    why: "null",
    operators: [
      { name: "mul", ms: 4, calls: 1 },
      { name: "gelu", ms: 6, calls: 1 },
    ],
    totalMs: baselineMs,
  }),
};

function wishOr({ problem }: Params, result: () => object): object {
  const { invalid } = wishOf(problem?.source ?? "");
  return invalid === undefined ? result() : { invalid };
}

/** An eighth of all sources is wrong and an eighth fails; the rest runs 0.5 to 4 times as fast. The reference itself runs as fast as it does. */
function evaluation({ problem, candidate, effort }: Params): object {
  const source = candidate?.source ?? "";
  const text = problem?.source ?? "";
  const isReference = /class ModelNew\(Model\):\s+pass/.test(source);
  const drawn = chance("verdict", text, source);
  const fate = isReference ? "valid" : drawn < 0.125 ? "incorrect" : drawn < 0.25 ? "runtime-error" : "valid";
  const { verdict = fate, speedup } = wishOf(source.replace(text, ""));
  const median =
    (isReference ? 1 : (speedup ?? 0.5 * 8 ** chance("speedup", text, source))) *
    (1 + 0.02 * chance("noise", source, String(effort)));
  const candidateMs = baselineMs / median;
  return {
    verdict,
    reason: verdict === "valid" ? "every check passed" : `the null device drew "${verdict}" for this source`,
    log: verdict === "valid" ? [] : [`null: ${verdict}`],
    checks: ["oracle: null"],
    error: { share: verdict === "incorrect" ? 40 : 0.1, where: "own" },
    timing:
      verdict === "valid"
        ? {
            candidateMs,
            baselineMs,
            speedup: { median, low: 0.97 * median, high: 1.03 * median },
            pairs: effort === "quick" ? 5 : 20,
            spread: 0.02,
            cache: "cold",
            callsPerBurst: 1,
          }
        : null,
    seconds: { verify: 0, measure: 0 },
  };
}
