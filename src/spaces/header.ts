import { z } from "zod";

/** What an exported file says of itself: where it comes from and what was measured. */
export const Provenance = z.object({
  hiera: z.string(),
  run: z.string(),
  problem: z.string(),
  contract: z.string(),
  verdict: z.string(),
  speedup: z.object({ median: z.number(), low: z.number(), high: z.number() }).nullable(),
  baselineMs: z.number().nullable(),
  bestMs: z.number().nullable(),
  floorMs: z.number(),
  space: z.string(),
  direction: z.string(),
  recipes: z.array(z.string()),
  settings: z.record(z.string(), z.number()),
  device: z.string(),
  torch: z.string(),
  compiler: z.string(),
  /** how the reference is built and compared; `reproduce` uses the same */
  options: z.object({
    mode: z.enum(["as-is", "train", "eval"]),
    precision: z.enum(["strict", "tf32", "bf16", "fp16"]),
    fixedRng: z.boolean(),
    tolerance: z.enum(["budget", "kernelbench"]),
    threads: z.int(),
  }),
});
export type Provenance = z.infer<typeof Provenance>;

const marker = "# hiera: ";

const plural = (count: number, noun: string) => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** The file with a header for people (the result in words) and one line for `hiera reproduce`. */
export function withHeader(source: string, p: Provenance): string {
  const ms = (value: number | null) => (value === null ? "?" : `${Number(value.toPrecision(3))} ms`);
  const result =
    p.speedup === null
      ? "no improvement found: this is the reference itself"
      : `${p.speedup.median.toFixed(2)}x [${p.speedup.low.toFixed(2)}, ${p.speedup.high.toFixed(2)}] over eager PyTorch ${p.torch}`;
  return [
    `# Drop-in for Model in ${p.problem}, made by hiera ${p.hiera}: ${result}.`,
    `# ${ms(p.bestMs)} a call instead of ${ms(p.baselineMs)} (floor ${ms(p.floorMs)}) on ${p.device}, ${plural(p.options.threads, "thread")}, precision ${p.options.precision}.`,
    `# Verdict: ${p.verdict}. Space: ${p.space}. Contract: ${p.contract}.`,
    "# Needs PyTorch and, where native code is below, a compiler and the libraries in its flags. Verify and time it again: hiera reproduce model_new.py",
    `${marker}${JSON.stringify(p)}`,
    source,
  ].join("\n");
}

/** The provenance of an exported file, or null where the text carries none that this version reads. */
export function readHeader(text: string): Provenance | null {
  const line = text.split("\n", 20).find((candidate) => candidate.startsWith(marker));
  if (line === undefined) return null;
  try {
    return Provenance.parse(JSON.parse(line.slice(marker.length)));
  } catch {
    return null;
  }
}

/** The file without its header: what is built, verified and timed. */
export function withoutHeader(text: string): string {
  const lines = text.split("\n");
  const at = lines.findIndex((line) => line.startsWith(marker));
  return at < 0 ? text : lines.slice(at + 1).join("\n");
}
