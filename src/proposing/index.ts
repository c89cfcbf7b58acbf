import { HieraError } from "../errors.ts";
import { expert } from "./expert/expert.ts";
import type { Proposer } from "./proposer.ts";

/** A new proposer is one folder and one line here. */
const proposers: Readonly<Record<string, Proposer>> = { expert };

/** Throws HieraError("usage") for a name that nobody has. */
export function proposerNamed(name: string): Proposer {
  const found = Object.hasOwn(proposers, name) ? proposers[name] : undefined;
  if (found) return found;
  throw new HieraError("usage", `unknown proposer ${name}`, { todo: `use one of: ${Object.keys(proposers).join(", ")}` });
}
