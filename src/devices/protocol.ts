import { z } from "zod";

/** Lines of JSON, one message each, UTF-8. The worker speaks first. */
export const protocolVersion = 1;

export const HelloLine = z.object({ hiera: z.int(), worker: z.string(), python: z.string() });

export const RequestLine = z.object({ id: z.int(), method: z.string(), params: z.unknown() });
export type RequestLine = z.infer<typeof RequestLine>;

/** One of: progress (any number), then one result or one error. */
export const ReplyLine = z.union([
  z.object({ id: z.int(), progress: z.object({ stage: z.string(), detail: z.string().optional() }) }),
  z.object({ id: z.int(), result: z.unknown() }),
  z.object({
    id: z.int(),
    error: z.object({
      kind: z.enum(["problem-invalid", "infrastructure", "usage"]),
      message: z.string(),
      where: z.string().optional(),
      todo: z.string().optional(),
    }),
  }),
]);
export type ReplyLine = z.infer<typeof ReplyLine>;
