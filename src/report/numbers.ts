import type { Interval } from "../evaluation/calls.ts";

/** What stands where nothing was measured. */
export const missing = "–";

type Maybe = number | null | undefined;

const known = (x: Maybe): x is number => typeof x === "number" && Number.isFinite(x);

/** Three significant digits without an exponent; thousands keep all their digits. */
export function significant(x: Maybe): string {
  if (!known(x)) return missing;
  const size = Math.abs(x);
  if (size >= 999.5) return Math.round(x).toLocaleString("en-US");
  if (size > 0 && size < 1e-4) return x.toExponential(2);
  return String(x.toPrecision(3));
}

/** A time given in milliseconds, in the unit that keeps the number between 1 and 1,000. */
export function time(ms: Maybe): string {
  if (!known(ms)) return missing;
  const units: [number, string][] = [
    [1000, "s"],
    [1, "ms"],
    [1e-3, "µs"],
  ];
  const [scale, unit] = units.find(([from]) => Math.abs(ms) >= from * 0.9995) ?? [1e-6, "ns"];
  return `${significant(ms / scale)} ${unit}`;
}

/** Wall time given in seconds, as people say it: `4.2 s`, `2 min 23 s`, `1 h 05 min`. */
export function duration(seconds: Maybe): string {
  if (!known(seconds)) return missing;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes} min ${String(whole % 60).padStart(2, "0")} s`;
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, "0")} min`;
}

export const times = (ratio: Maybe): string => (known(ratio) ? `${significant(ratio)}×` : missing);

export const percent = (share: Maybe): string => (known(share) ? `${significant(share * 100)} %` : missing);

/** Shares that are read at a glance: whole above 10 %, one decimal below. */
export const wholePercent = (share: Maybe): string =>
  known(share) ? `${(share * 100).toFixed(share >= 0.0995 ? 0 : 1)} %` : missing;

/** `[9.61, 10.1]`, or nothing measured. */
export const range = (interval: Interval | null | undefined): string =>
  interval && known(interval.low) && known(interval.high)
    ? `[${significant(interval.low)}, ${significant(interval.high)}]`
    : missing;

const scaled = (x: Maybe, base: number, units: readonly string[], unit: string): string => {
  if (!known(x)) return missing;
  const power = Math.min(units.length - 1, x < 1 ? 0 : Math.floor(Math.log(x) / Math.log(base) + 1e-12));
  return `${significant(x / base ** power)} ${units[power]}${unit}`;
};

/** Counts and rates: decimal prefixes (1 GFLOP = 10⁹). */
export const metric = (x: Maybe, unit: string): string => scaled(x, 1000, ["", "k", "M", "G", "T", "P"], unit);

/** Sizes of memory: binary prefixes (1 GiB = 2³⁰ bytes). */
export const memory = (x: Maybe): string => scaled(x, 1024, ["", "Ki", "Mi", "Gi", "Ti"], "B");

export const count = (n: number, one: string, many = `${one}s`): string => `${n} ${n === 1 ? one : many}`;

/** Text of unknown origin with its control characters made visible, so that a log can drive neither a terminal nor a page. */
export const printable = (text: string): string =>
  text.replace(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not pass
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
    (c) => (c === "\r" ? "" : c < " " ? String.fromCharCode(0x2400 + c.charCodeAt(0)) : "\ufffd"),
  );
