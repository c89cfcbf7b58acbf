import type { ValueId } from "../../problem/graph.ts";

/** A tensor that lives in the workspace from the step that writes it to the last step that reads it. */
export interface Lifetime {
  readonly value: ValueId;
  readonly bytes: number;
  readonly from: number;
  readonly to: number;
}

const alignment = 64;
const aligned = (bytes: number) => Math.ceil(bytes / alignment) * alignment;

/** Byte offsets such that no two tensors alive at the same step overlap; largest first, each at the lowest free place. */
export function planWorkspace(lifetimes: readonly Lifetime[]): { offsets: ReadonlyMap<ValueId, number>; bytes: number } {
  const placed: { life: Lifetime; at: number }[] = [];
  for (const life of [...lifetimes].sort((a, b) => b.bytes - a.bytes)) {
    const clashes = placed
      .filter(({ life: other }) => other.from <= life.to && life.from <= other.to)
      .sort((a, b) => a.at - b.at);
    let at = 0;
    for (const clash of clashes) {
      if (at + aligned(life.bytes) <= clash.at) break;
      at = Math.max(at, clash.at + aligned(clash.life.bytes));
    }
    placed.push({ life, at });
  }
  const bytes = Math.max(0, ...placed.map(({ life, at }) => at + aligned(life.bytes)));
  return { offsets: new Map(placed.map(({ life, at }) => [life.value, at])), bytes };
}
