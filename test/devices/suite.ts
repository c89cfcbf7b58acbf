import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { Call, Device, Session } from "../../src/devices/device.ts";
import { protocolVersion } from "../../src/devices/protocol.ts";
import { probe, trace } from "../../src/problem/calls.ts";

/** A problem that every device accepts. */
export const problem = {
  source: `import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return torch.nn.functional.gelu(x * 2)


def get_inputs():
    return [torch.rand(64, 64)]


def get_init_inputs():
    return []
`,
  options: { mode: "as-is", precision: "strict", fixedRng: false, tolerance: "budget", threads: 1 },
} as const;

const unknown: Call<unknown> = { method: "no-such-method", params: {}, result: z.unknown() };
const misread: Call<unknown> = { method: "probe", params: { threads: 1 }, result: z.object({ nobody: z.literal("sends this") }) };

/** What every device promises, by the protocol alone. `why`: where it cannot run here, the reason. */
export function deviceSuite(name: string, make: () => Device, why: string | null = null): void {
  const within = async (work: (session: Session) => Promise<void>) => {
    const session = await make().open();
    try {
      await work(session);
    } finally {
      await session.close();
    }
  };

  describe.skipIf(why !== null)(`device: ${name}${why === null ? "" : ` (skipped: ${why})`}`, () => {
    test("greets with the protocol's version", () =>
      within(async ({ hello }) => {
        expect(hello.protocol).toBe(protocolVersion);
        expect(hello.worker).not.toBe("");
      }));

    test("probe and trace answer by their schemas, and progress is reported", () =>
      within(async (session) => {
        const stages: string[] = [];
        const facts = await session.request(probe({ threads: 1 }), { onProgress: ({ stage }) => stages.push(stage) });
        expect(facts.rates.copy).toBeGreaterThan(0);
        const traced = await session.request(trace(problem));
        expect(traced.outputs).toHaveLength(1);
        expect(stages.every((stage) => stage !== "")).toBe(true);
      }));

    test("requests sent together are answered in order", () =>
      within(async (session) => {
        const order: number[] = [];
        await Promise.all([1, 2, 3].map((n) => session.request(trace(problem)).then(() => order.push(n))));
        expect(order).toEqual([1, 2, 3]);
      }));

    test("an unknown method is a typed error, and the session lives on", () =>
      within(async (session) => {
        await expect(session.request(unknown)).rejects.toMatchObject({
          code: "usage",
          message: expect.stringContaining("no-such-method"),
        });
        await expect(session.request(trace(problem))).resolves.toBeDefined();
      }));

    test("an answer that is not what was asked for is refused by name", () =>
      within(async (session) => {
        await expect(session.request(misread)).rejects.toMatchObject({
          code: "infrastructure",
          message: expect.stringMatching(/answer to probe is malformed: nobody/),
        });
      }));

    test("an aborted request ends as interrupted, before or while it runs", () =>
      within(async (session) => {
        await expect(session.request(trace(problem), { signal: AbortSignal.abort() })).rejects.toMatchObject({
          code: "interrupted",
        });
        const stop = new AbortController();
        const running = session.request(trace(problem), { signal: stop.signal });
        setTimeout(() => stop.abort(), 0);
        await expect(running).rejects.toMatchObject({ code: "interrupted" });
      }));

    test("a closed session answers none", async () => {
      const session = await make().open();
      await session.close();
      await expect(session.request(trace(problem))).rejects.toMatchObject({ code: "infrastructure" });
    });
  });
}
