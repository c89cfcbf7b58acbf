import type { Contract } from "../problem/contract.ts";

/** Nested: each allows all that the one before it allows. */
export const spaceNames = ["kernel", "libraries", "torch"] as const;
export type SpaceName = (typeof spaceNames)[number];

/** A number that performance depends on and the tuner may change; the code sees it as the macro (or constant) `name`. */
export interface Tunable {
  readonly name: string;
  readonly values: readonly number[];
  readonly initial: number;
  /** what it does, in the field's words */
  readonly meaning: string;
}

/** Tunable name → chosen value. */
export type Settings = Readonly<Record<string, number>>;

/** One shared library. Content-addressed by source, flags, compiler and processor. */
export interface BuildSpec {
  readonly source: string;
  readonly language: "c++" | "cuda";
  readonly flags: readonly string[];
}

/** What a space's entry point asks a proposer to write: file name → text. */
export type Files = Readonly<Record<string, string>>;

export interface Wrapped {
  /** the whole drop-in file, without its provenance header */
  readonly source: string;
  readonly builds: readonly BuildSpec[];
}

/** One implementation space: what it allows, and how its files become a drop-in module. */
export interface Space {
  readonly name: SpaceName;
  /** for people and models: what may be used, what the files are called, what the entry point is */
  readonly rules: (contract: Contract) => string;
  /** Throws HieraError("usage") where a file is missing or one too many is there. */
  readonly wrap: (contract: Contract, files: Files, settings: Settings) => Wrapped;
}
