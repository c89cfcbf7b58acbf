import { value } from "../../../planning/access.ts";
import type { Graph, Node } from "../../../problem/graph.ts";
import type { Dtype } from "../../../problem/tensor.ts";

const category = (dtype: Dtype): number => (dtype === "bool" ? 0 : dtype.startsWith("float") || dtype === "bfloat16" ? 2 : 1);
const integers: readonly Dtype[] = ["uint8", "int8", "int16", "int32", "int64"];
const floats: readonly Dtype[] = ["float16", "bfloat16", "float32", "float64"];

/** The common type of two tensors of equal rank class (PyTorch's promotion lattice). */
function promoteTypes(a: Dtype, b: Dtype): Dtype {
  if (a === b) return a;
  const [low, high] = category(a) <= category(b) ? [a, b] : [b, a];
  if (category(low) !== category(high)) return high;
  if (category(a) === 2) {
    if (![a, b].some((t) => t === "float32" || t === "float64")) return "float32";
    return floats[Math.max(floats.indexOf(a), floats.indexOf(b))] as Dtype;
  }
  if ([a, b].includes("uint8")) {
    const other = a === "uint8" ? b : a;
    return other === "int8" ? "int16" : other;
  }
  return integers[Math.max(integers.indexOf(a), integers.indexOf(b))] as Dtype;
}

/** The type in which operands are compared: tensors with dimensions before 0-d ones before numbers, unless a later one is of a higher category. */
export function promote(graph: Graph, node: Node, names: readonly string[]): Dtype {
  const classes: (Dtype | undefined)[] = [undefined, undefined, undefined];
  for (const name of names) {
    const arg = node.args[name];
    if (!arg) continue;
    const isValue = "value" in arg;
    const rank = isValue ? (value(graph, arg.value).shape.length > 0 ? 0 : 1) : 2;
    const literal = "literal" in arg ? arg.literal : undefined;
    const dtype = isValue
      ? value(graph, arg.value).dtype
      : typeof literal === "boolean"
        ? "bool"
        : typeof literal === "number" && Number.isInteger(literal) && !("float" in arg && arg.float)
          ? "int64"
          : "float32";
    const known = classes[rank];
    classes[rank] = known === undefined ? dtype : promoteTypes(known, dtype);
  }
  return (
    classes.reduce<Dtype | undefined>((best, next) => {
      if (best === undefined || next === undefined) return best ?? next;
      return category(next) > category(best) ? next : best;
    }, undefined) ?? "float32"
  );
}
