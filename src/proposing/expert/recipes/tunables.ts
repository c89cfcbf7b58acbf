import type { Tunable } from "../../../spaces/space.ts";

type Known = Omit<Tunable, "name">;

/** Tunables of the lowered recipes, by short name. */
const known = {
  BLOCK: {
    values: [1024, 4096, 16384, 65536],
    initial: 4096,
    meaning: "elements of the innermost axis that a thread takes at a time",
  },
  TILE: { values: [32, 64, 128, 256], initial: 128, meaning: "neighbouring columns that a thread reduces together" },
  CHUNKS: { values: [2, 4, 8, 16], initial: 4, meaning: "parts of a row that threads reduce side by side" },
  THREADS: { values: [128, 256, 512, 1024], initial: 256, meaning: "threads a block" },
  PER_THREAD: { values: [1, 2, 4, 8], initial: 4, meaning: "elements a thread computes side by side" },
} as const satisfies Record<string, Known>;

export type TunableName = keyof typeof known;

/** The named tunables of one region, and how its code calls them. */
export function tunables(
  region: string,
  chosen: readonly TunableName[],
): { macro: (name: string) => string; tunables: Tunable[] } {
  const macro = (name: string): string => `HIERA_${region.toUpperCase()}_${name}`;
  return { macro, tunables: chosen.map((name) => ({ name: macro(name), ...known[name] })) };
}

/** Largest value that a tunable may take. */
export const largest = (name: TunableName): number => Math.max(...known[name].values);
