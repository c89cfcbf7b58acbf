import type { Settings, Tunable } from "../spaces/space.ts";

/** What a measured setting is worth: speedup over the baseline measured beside it; null where it is not valid. */
export interface Measured {
  readonly settings: Settings;
  readonly speedup: { readonly median: number } | null;
}

/** Measurements a candidate, the initial one not counted. */
const tuningLimit = 8;

/** A setting replaces another only where it is this much faster: timing noise stays below. */
const margin = 1.02;

export const initialSettings = (tunables: readonly Tunable[]): Settings =>
  Object.fromEntries(tunables.map((tunable) => [tunable.name, tunable.initial]));

/**
 * Coordinate search: one tunable after another, its values nearest to the current one first, the best kept.
 * Returns all measurements in order, `first` included.
 */
export async function tune<T extends Measured>(
  tunables: readonly Tunable[],
  first: T,
  measure: (settings: Settings, index: number) => Promise<T>,
  limit = tuningLimit,
): Promise<readonly T[]> {
  const trials = [first];
  let best = first;
  for (const { name, values } of tunables) {
    const start = values.indexOf(best.settings[name] ?? Number.NaN);
    const distance = (value: number) => Math.abs(values.indexOf(value) - start);
    const others = values.filter((value) => value !== best.settings[name]).sort((a, b) => distance(a) - distance(b));
    for (const value of others) {
      if (trials.length > limit) return trials;
      const trial = await measure({ ...best.settings, [name]: value }, trials.length);
      trials.push(trial);
      if (better(trial, best)) best = trial;
    }
  }
  return trials;
}

const better = (a: Measured, b: Measured) => a.speedup !== null && a.speedup.median > margin * (b.speedup?.median ?? 0);

/** The settings that `tune` ended with. */
export const bestTrial = <T extends Measured>(trials: readonly [T, ...T[]]): T =>
  trials.reduce((best, trial) => (better(trial, best) ? trial : best));
