import type { DeviceFacts, Floor } from "../problem/contract.ts";
import { type Graph, reads } from "../problem/graph.ts";
import { bytes } from "../problem/tensor.ts";

export const bottlenecks = ["memory", "compute", "latency", "launch"] as const;
export type BottleneckKind = (typeof bottlenecks)[number];

/** What bounds the reference here, with the numbers that say so. */
export interface Bottleneck {
  readonly kind: BottleneckKind;
  /** one sentence with the numbers */
  readonly why: string;
  /** floor over measured baseline, 0 to 1: the share of the floor that the baseline reaches */
  readonly floorShare: number;
  /** dispatch time of the graph's calls over baseline */
  readonly launchShare: number;
  /** time of operator-by-operator traffic at the measured copy rate, over baseline */
  readonly trafficShare: number;
  /** bytes moved operator by operator, over unavoidable bytes */
  readonly trafficRatio: number;
}

/**
 * Milliseconds that PyTorch takes to dispatch one operator: 5 µs on a CPU; 10 µs where a kernel is launched too.
 * Order of magnitude, as torch.profiler shows it for empty tensors.
 */
const dispatchMs: Record<DeviceFacts["kind"], number> = { cpu: 0.005, cuda: 0.01, null: 0.005 };

/** Bytes that the graph moves where each operator reads its operands and writes its results; views move nothing. */
function trafficBytes(graph: Graph): number {
  const size = (id: string | null) => {
    const value = id === null ? undefined : graph.values[id];
    return value === undefined ? 0 : bytes(value);
  };
  const isView = (id: string | null) => id !== null && graph.values[id]?.view !== undefined;
  const moving = graph.nodes.filter((node) => !node.outputs.every(isView));
  return moving.reduce((sum, node) => sum + [...reads(node), ...node.outputs].reduce((s, id) => s + size(id), 0), 0);
}

interface Evidence extends Omit<Bottleneck, "kind" | "why"> {
  readonly floor: Floor;
  readonly baselineMs: number;
  readonly calls: number;
  readonly traffic: number;
}

const percent = (share: number) => `${Math.round(100 * share)} %`;
const mib = (count: number) => `${Number((count / 2 ** 20).toPrecision(3))} MiB`;

interface Rule {
  readonly kind: BottleneckKind;
  readonly holds: (e: Evidence) => boolean;
  readonly why: (e: Evidence) => string;
}

/** The first rule that holds decides; the last always holds. */
const rules: readonly Rule[] = [
  {
    kind: "launch",
    holds: (e) => e.launchShare >= 0.3,
    why: (e) => `dispatching ${e.calls} operators takes about ${percent(e.launchShare)} of the call`,
  },
  {
    kind: "compute",
    holds: (e) => e.floor.bound === "compute" && e.floorShare >= Math.min(0.3, e.trafficShare),
    why: (e) => `arithmetic alone takes ${Number(e.floor.computeMs.toPrecision(3))} ms, ${percent(e.floorShare)} of the call`,
  },
  {
    kind: "memory",
    holds: (e) => e.trafficShare >= 0.4 || (e.floor.bound === "memory" && e.floorShare >= 0.4),
    why: (e) =>
      `${e.calls} operators move ${mib(e.traffic)} where ${mib(e.floor.bytes)} is unavoidable; at the copy rate that is ${percent(e.trafficShare)} of the call`,
  },
  {
    kind: "latency",
    holds: () => true,
    why: (e) => `neither traffic (${percent(e.trafficShare)}) nor the floor (${percent(e.floorShare)}) explains the call's time`,
  },
];

/** Classifies the reference from its graph, floor, measured time (milliseconds a call) and the device's measured rates. */
export function classify(graph: Graph, floor: Floor, facts: DeviceFacts, baselineMs: number): Bottleneck {
  const traffic = trafficBytes(graph);
  const calls = graph.nodes.length;
  const evidence: Evidence = {
    floor,
    baselineMs,
    calls,
    traffic,
    floorShare: Math.min(1, floor.ms / baselineMs),
    launchShare: Math.min(1, (calls * dispatchMs[facts.kind]) / baselineMs),
    trafficShare: Math.min(1, ((traffic / facts.rates.copy) * 1000) / baselineMs),
    trafficRatio: traffic / Math.max(1, floor.bytes),
  };
  const { floorShare, launchShare, trafficShare, trafficRatio } = evidence;
  const rule = rules.find((candidate) => candidate.holds(evidence)) as Rule;
  return {
    kind: rule.kind,
    why: `${rule.kind}-bound: ${rule.why(evidence)}`,
    floorShare,
    launchShare,
    trafficShare,
    trafficRatio,
  };
}
