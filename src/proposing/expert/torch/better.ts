import type { Contract } from "../../../problem/contract.ts";
import { leaves, reads, type ValueId } from "../../../problem/graph.ts";
import { Expressions } from "./expression.ts";
import { patterns } from "./patterns.ts";
import type { Rewrite } from "./rewrite.ts";
import { isView, namesOf, refusesStraightline, type Step, straightline } from "./straightline.ts";

/** Written-out expressions as the one PyTorch operator that computes them. */
export const betterOperators: Rewrite = {
  name: "better-operators",
  direction: "reuse",
  note: "expressions written out by hand become the operator that PyTorch has for them: one pass instead of several",
  refuses: (contract) => {
    const reason = refusesStraightline(contract);
    if (reason !== null) return reason;
    return rewritten(contract).some((step) => "lines" in step)
      ? null
      : "no written-out expression that PyTorch has an operator for";
  },
  emit: (contract) => straightline(contract, needed(contract, rewritten(contract))),
};

function rewritten(contract: Contract): Step[] {
  const expressions = new Expressions(contract.graph);
  const name = namesOf(contract);
  const sdpa = versionAtLeast(contract.environment.torch, 2, 1);
  const usable = patterns.filter((pattern) => pattern.name !== "attention" || sdpa);
  return contract.graph.nodes
    .filter((node) => !isView(contract, node))
    .map((node): Step => {
      const made = node.outputs[0];
      for (const pattern of made && node.outputs.length === 1 ? usable : []) {
        const found = pattern.match(node, expressions);
        if (found)
          return { lines: [`${name(made as ValueId)} = ${found.call(name)}`], reads: found.reads, writes: [made as ValueId] };
      }
      return { node };
    });
}

/** `scaled_dot_product_attention` takes a scale from PyTorch 2.1 on. */
function versionAtLeast(version: string, major: number, minor: number): boolean {
  const [a = 0, b = 0] = version.split(".").map(Number);
  return a > major || (a === major && b >= minor);
}

/** Steps whose result something still needs: what a replacement made superfluous is left out. */
function needed(contract: Contract, steps: readonly Step[]): Step[] {
  const makers = new Map(
    contract.graph.nodes
      .filter((node) => isView(contract, node))
      .flatMap((node) => node.outputs.map((id) => [id, node] as const)),
  );
  const wanted = new Set<ValueId>();
  const want = (id: ValueId): void => {
    if (wanted.has(id)) return;
    wanted.add(id);
    const view = makers.get(id);
    if (view) reads(view).forEach(want);
  };
  leaves(contract.interface.structure).forEach(want);
  const kept = steps.toReversed().filter((step) => {
    const [written, read, effect] =
      "node" in step ? [step.node.outputs, reads(step.node), step.node.mutates.length > 0] : [step.writes, step.reads, false];
    if (!effect && !written.some((id) => id !== null && wanted.has(id))) return false;
    read.forEach(want);
    return true;
  });
  return kept.toReversed();
}
