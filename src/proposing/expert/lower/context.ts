import { HieraError } from "../../../errors.ts";
import { type Access, access, value } from "../../../planning/access.ts";
import { product, spread } from "../../../planning/axes.ts";
import { along, type Frame, operandAccess } from "../../../planning/frames.ts";
import type { RegionFrame } from "../../../planning/region-frame.ts";
import type { Graph, Literal, Node, ValueId } from "../../../problem/graph.ts";
import type { Dtype } from "../../../problem/tensor.ts";
import type { Builder, Id } from "../program.ts";

/** What the operator tables see of one node: its operands as definitions, its numbers, its result's type. */
export class Context {
  readonly b: Builder;
  readonly node: Node;
  readonly frame: Frame;
  readonly #graph: Graph;
  readonly #region: RegionFrame;
  readonly #made: ReadonlyMap<ValueId, Id>;

  constructor(graph: Graph, region: RegionFrame, node: Node, b: Builder, made: ReadonlyMap<ValueId, Id>) {
    this.#graph = graph;
    this.#region = region;
    this.#made = made;
    this.node = node;
    this.b = b;
    this.frame = region.frames.get(node.id) as Frame;
  }

  get graph(): Graph {
    return this.#graph;
  }

  /** The result's type. */
  out(index = 0): Dtype {
    const id = this.node.outputs[index];
    if (id === null || id === undefined) throw new HieraError("usage", `${this.node.op} has no output ${index}`);
    return value(this.#graph, id).dtype;
  }

  literal(name: string): Literal | undefined {
    const arg = this.node.args[name];
    return arg && "literal" in arg ? arg.literal : undefined;
  }

  number(name: string, otherwise?: number): number {
    const said = this.literal(name);
    if (said === undefined || said === null) {
      if (otherwise !== undefined) return otherwise;
      throw new HieraError("usage", `${this.node.op} has no number ${name}`);
    }
    return typeof said === "string" ? Number(said.replace("inf", "Infinity").replace("nan", "NaN")) : Number(said);
  }

  has(name: string): boolean {
    const arg = this.node.args[name];
    return arg !== undefined && !("literal" in arg && arg.literal === null);
  }

  /** An operand, tensor or number, broadcast to the node's shape, as `dtype` (its own where left out). */
  in(name: string, dtype?: Dtype): Id {
    const arg = this.node.args[name];
    if (arg && "value" in arg) {
      const id = this.#tensor(arg.value, (a) => a);
      return dtype ? this.b.cast(id, dtype) : id;
    }
    const float = typeof this.literal(name) === "boolean" || (arg && "float" in arg && arg.float);
    const own: Dtype = Number.isInteger(this.number(name)) && !float ? "int64" : "float32";
    return this.b.constant(this.number(name), dtype ?? own);
  }

  /** A one-dimensional parameter that belongs to logical dimension `dim`. */
  channel(name: string, dim: number, dtype: Dtype): Id {
    const arg = this.node.args[name];
    if (!arg || !("value" in arg)) throw new HieraError("usage", `${this.node.op} has no tensor ${name}`);
    return this.b.cast(this.load(arg.value, dim), dtype);
  }

  /** Elements of a vector along one dimension of the node's shape. */
  load(id: ValueId, dim: number): Id {
    const flat = operandAccess(this.#graph, id, value(this.#graph, id).shape);
    const stride = flat.strides.at(-1) ?? 0;
    return this.#load(
      { ...flat, strides: this.frame.shape.map((size, d) => (d === dim && size > 1 ? stride : 0)) },
      value(this.#graph, id).dtype,
    );
  }

  #tensor(id: ValueId, shift: (a: Access) => Access): Id {
    const a = operandAccess(this.#graph, id, this.frame.shape);
    const made = this.#made.get(a.base);
    if (made !== undefined) return made;
    const constant = this.#graph.inputs.find((input) => input.id === a.base)?.data;
    const dtype = value(this.#graph, id).dtype;
    if (constant?.length === 1) {
      const [number] = constant;
      return this.b.constant(typeof number === "string" ? Number(number.replace("inf", "Infinity")) : Number(number), dtype);
    }
    return this.#load(shift(a), dtype);
  }

  #load(a: Access, dtype: Dtype): Id {
    return this.b.add({ kind: "load", base: a.base, offset: a.offset, strides: this.strides(a), dtype });
  }

  /** Strides by the region's axes of an access over the node's shape. */
  strides(a: Pick<Access, "strides">): number[] {
    return onRegion(this.#region, this.frame, a);
  }

  /** Number of elements that one reduction of this node takes in. */
  get count(): number {
    return product(this.frame.axes.filter((axis) => axis.reduced).map((axis) => axis.size));
  }

  /** An operand shifted by `low[d]` elements along each dimension, where it has elements there, else `otherwise`. */
  padded(name: string, low: readonly number[], otherwise: Id): Id {
    const arg = this.node.args[name];
    if (!arg || !("value" in arg)) throw new HieraError("usage", `${this.node.op} has no tensor ${name}`);
    const { shape, dtype } = value(this.#graph, arg.value);
    const { base, offset, strides } = access(this.#graph, arg.value);
    const tests = shape.flatMap((size, d): Id[] => {
      const from = low[d] as number;
      if (from === 0 && size === this.frame.shape[d]) return [];
      const at = this.position([d], product(this.frame.shape));
      const bound = (v: number): Id => this.b.constant(v, this.b.dtype(at));
      return [this.b.op("ge", [at, bound(from)], "bool"), this.b.op("lt", [at, bound(from + size)], "bool")];
    });
    const shifted = { base, offset: offset - strides.reduce((sum, s, d) => sum + s * (low[d] as number), 0), strides };
    if (tests.length === 0) return this.b.cast(this.#load(shifted, dtype), this.out());
    const guard = tests.reduce((a, b) => this.b.op("logical_and", [a, b], "bool"));
    const element = this.b.add({ kind: "load", base, offset: shifted.offset, strides: this.strides(shifted), dtype, guard });
    return this.b.op("where", [guard, this.b.cast(element, this.out()), otherwise], this.out());
  }

  /** Row-major position among the reduced logical dimensions `dims`. */
  position(dims: readonly number[], total: number): Id {
    const strides = this.frame.shape.map(() => 0);
    let step = 1;
    for (const dim of dims.toSorted((a, b) => b - a)) {
      strides[dim] = step;
      step *= this.frame.shape[dim] as number;
    }
    return this.b.add({ kind: "index", strides: this.strides({ strides }), dtype: total < 2 ** 31 ? "int32" : "int64" });
  }
}

/** Strides by a region's axes of an access over the shape of one of its nodes; 0 along reduced axes for a node that has a row's results only. */
export function onRegion(region: RegionFrame, frame: Frame, a: Pick<Access, "strides">): number[] {
  const full = product(frame.axes.map((x) => x.size)) === product(region.axes.map((x) => x.size));
  const own = along(a as Access, frame.axes);
  if (full)
    return spread(
      own,
      region.axes.map((x) => x.size),
    );
  const kept = spread(
    own,
    region.axes.filter((x) => !x.reduced).map((x) => x.size),
  );
  let next = 0;
  return region.axes.map((x) => (x.reduced ? 0 : (kept[next++] as number)));
}
