import type { Arg, Graph, Node, ValueId } from "../../../problem/graph.ts";

/** A shape of expression: any tensor (the same one wherever its name stands), a number, or an operator over shapes. */
export type Shape = { readonly any: string } | number | { readonly op: string; readonly of: readonly Shape[] };

export const any = (name: string): Shape => ({ any: name });
export const op = (name: string, ...of: Shape[]): Shape => ({ op: name, of });

export type Bound = ReadonlyMap<string, ValueId>;

const commutes = new Set(["add", "mul"]);
/** A constant as people write it: √(2/π) with four digits or with sixteen. */
const close = (a: number, b: number) => Math.abs(a - b) <= 1e-4 * Math.abs(b);

/** Who makes each tensor. */
export class Expressions {
  readonly #makers: ReadonlyMap<ValueId, Node>;

  constructor(readonly graph: Graph) {
    this.#makers = new Map(
      graph.nodes.flatMap((node) => node.outputs.flatMap((id) => (id === null ? [] : [[id, node] as const]))),
    );
  }

  readonly maker = (id: ValueId | undefined): Node | undefined => (id === undefined ? undefined : this.#makers.get(id));

  /** What the names of a shape stand for where the tensor has that shape; null where it has not. */
  match(id: ValueId, shape: Shape, bound: Bound = new Map()): Bound | null {
    return this.#fits({ value: id }, shape, bound);
  }

  #fits(arg: Arg | undefined, shape: Shape, bound: Bound): Bound | null {
    if (arg === undefined) return null;
    if (typeof shape === "number")
      return "literal" in arg && typeof arg.literal === "number" && close(arg.literal, shape) ? bound : null;
    if (!("value" in arg)) return null;
    if ("any" in shape) {
      const known = bound.get(shape.any);
      return known === undefined ? new Map([...bound, [shape.any, arg.value]]) : known === arg.value ? bound : null;
    }
    const node = this.maker(arg.value);
    if (node === undefined || node.op !== shape.op || node.outputs[0] !== arg.value || scaled(node)) return null;
    const args = operandsOf(node);
    const orders = commutes.has(node.op) ? [args, args.toReversed()] : [args];
    for (const order of orders) {
      const result = shape.of.reduce<Bound | null>((so, part, index) => so && this.#fits(order[index], part, so), bound);
      if (result !== null) return result;
    }
    return null;
  }
}

/** `torch.add(a, b, alpha=2)` is another function than a + b. */
const scaled = (node: Node): boolean => {
  const alpha = node.args.alpha;
  return alpha !== undefined && "literal" in alpha && alpha.literal !== 1;
};

const operandsOf = ({ args }: Node): (Arg | undefined)[] => [args.self, args.other ?? args.exponent];
