import type { Arg, Graph, Literal, Node, ValueId } from "../../../src/problem/graph.ts";
import { contiguousStrides, type Dtype } from "../../../src/problem/tensor.ts";

interface Result {
  readonly shape: readonly number[];
  readonly dtype?: Dtype;
  readonly strides?: readonly number[];
}

/** Writes operator graphs by hand, as a tracer would. */
export class GraphBuilder {
  readonly graph: Graph = { values: {}, inputs: [], nodes: [], output: { tuple: [] } };

  #value(result: Result, view?: { base: ValueId; offset: number }): ValueId {
    const id = `v${Object.keys(this.graph.values).length}`;
    this.graph.values[id] = {
      dtype: result.dtype ?? "float32",
      shape: [...result.shape],
      strides: [...(result.strides ?? contiguousStrides(result.shape))],
      ...(view ? { view } : {}),
    };
    return id;
  }

  input(name: string, shape: readonly number[], dtype: Dtype = "float32", strides?: readonly number[]): ValueId {
    const id = this.#value({ shape, dtype, ...(strides ? { strides } : {}) });
    this.graph.inputs.push({ id, role: "input", name });
    return id;
  }

  /** `args`: a string that names a value is a tensor, anything else a literal. */
  node(op: string, args: Record<string, Literal>, ...results: readonly Result[]): ValueId {
    return this.nodes(op, args, ...results)[0] as ValueId;
  }

  nodes(op: string, args: Record<string, Literal>, ...results: readonly Result[]): ValueId[] {
    const ids = results.map((result) => this.#value(result));
    this.#push(op, args, ids);
    return ids;
  }

  view(op: string, base: ValueId, shape: readonly number[], strides: readonly number[], offset = 0): ValueId {
    const root = this.graph.values[base]?.view;
    const dtype = this.graph.values[base]?.dtype as Dtype;
    const id = this.#value({ shape, dtype, strides }, { base: root?.base ?? base, offset: offset + (root?.offset ?? 0) });
    this.#push(op, { self: base }, [id]);
    return id;
  }

  returns(...ids: readonly ValueId[]): Graph {
    this.graph.output = { tuple: ids.map((tensor) => ({ tensor })) };
    return this.graph;
  }

  #push(op: string, args: Record<string, Literal>, outputs: ValueId[]): void {
    const typed = Object.entries(args).map(([name, a]): [string, Arg] => [
      name,
      typeof a === "string" && this.graph.values[a] ? { value: a } : { literal: a },
    ]);
    const id = `n${this.graph.nodes.length}`;
    const node: Node = {
      id,
      op,
      target: `aten.${op}`,
      args: Object.fromEntries(typed),
      positional: Object.keys(args),
      outputs,
      mutates: [],
      module: "",
    };
    this.graph.nodes.push(node);
  }
}
