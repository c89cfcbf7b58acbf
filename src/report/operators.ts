import { formRegions } from "../planning/regions.ts";
import type { Graph, GraphInput, Node } from "../problem/graph.ts";
import type { RunRecord } from "../search/record.ts";
import { shape } from "./contract.ts";
import { folded, type Html, html, table } from "./markup.ts";
import { count, missing, time, wholePercent } from "./numbers.ts";

const typeOf = (graph: Graph, id: string | null): string => {
  const value = id === null ? undefined : graph.values[id];
  return value ? shape(value) : missing;
};

const argument = (name: string, arg: Node["args"][string]): string => {
  if ("value" in arg) return arg.value;
  if ("values" in arg) return `[${arg.values.map((v) => v ?? "none").join(", ")}]`;
  return `${name}=${JSON.stringify(arg.literal)}`;
};

const node = (graph: Graph, n: Node) => [
  html`<code>${n.id}</code>`,
  n.op,
  Object.entries(n.args)
    .map(([name, arg]) => argument(name, arg))
    .join(", "),
  n.outputs.map((o) => typeOf(graph, o)).join(", "),
  n.module || missing,
];

const tensors = (graph: Graph, ids: readonly string[]): string => ids.map((id) => `${id}: ${typeOf(graph, id)}`).join("; ");

const source = (i: GraphInput): string => `${i.id}: ${i.role}${i.name ? ` ${i.name}` : ""}`;

/** Regions, which are what recipes rewrite, then the traced operators in execution order. */
function operators(graph: Graph): Html {
  const regions = graph.opaque === undefined ? formRegions(graph) : [];
  const regionOf = new Map(regions.flatMap((r) => r.nodes.map((n) => [n.id, r.id] as const)));
  return html`${
    graph.opaque === undefined
      ? table(
          ["region", "kind", "operators", "reads", "writes"],
          regions.map((r) => [
            r.id,
            r.kind,
            r.nodes.map((n) => n.op).join(", "),
            tensors(graph, r.reads),
            tensors(graph, r.writes),
          ]),
        )
      : html`<p>Only rewritten as a whole: ${graph.opaque}</p>`
  }
${folded(
  `operator graph, ${count(graph.nodes.length, "operator")}`,
  html`<p>Reads ${graph.inputs.map(source).join("; ") || "nothing"}.</p>
${table(
  ["region", "node", "operator", "arguments", "result", "module"],
  graph.nodes.map((n) => [regionOf.get(n.id) ?? missing, ...node(graph, n)]),
)}`,
)}`;
}

/** Where the reference's own time goes. */
function profileView(run: RunRecord): Html {
  const { profile, bottleneck } = run;
  if (!profile) return html``;
  if (!profile.available) return html`<p>Unprofiled: ${profile.why}</p>`;
  return html`<p>The reference's own time, operator by operator.</p>${bottleneck && html`<p>${bottleneck.why}</p>`}${table(
    ["operator", "calls", "time", "share"],
    profile.operators.map((o) => [o.name, o.calls, time(o.ms), wholePercent(o.ms / profile.totalMs)]),
    [1, 2, 3],
  )}`;
}

/** The reference as traced: what bounds it, what recipes may rewrite, every operator. */
export function operatorsView(run: RunRecord): Html {
  return html`${profileView(run)}${run.contract ? operators(run.contract.graph) : html`<p>The problem was not traced.</p>`}`;
}
