import type { Contract, DeviceFacts } from "../problem/contract.ts";
import type { TensorType } from "../problem/tensor.ts";
import type { RunRecord } from "../search/record.ts";
import { facts, type Html, html, table } from "./markup.ts";
import { count, memory, metric, time } from "./numbers.ts";

/** `float32 [64, 128]` */
export const shape = (t: Pick<TensorType, "dtype" | "shape">): string => `${t.dtype} [${t.shape.join(", ")}]`;

const rates = (unit: Record<string, number>): string =>
  Object.entries(unit)
    .map(([dtype, rate]) => `${dtype} ${metric(rate, "FLOP/s")}`)
    .join(", ");

/** What was found on the device. */
export function environment(device: DeviceFacts): Html {
  const { rates: rate } = device;
  return facts([
    ["device", `${device.name} (${device.kind}, ${device.architecture})`],
    ["cores", `${device.cores}, ${count(device.threads, "thread")} used`],
    ["memory", `${memory(device.memoryBytes)}, last-level cache ${memory(device.cacheBytes)}`],
    ["system", `${device.os}, Python ${device.python}, torch ${device.torch}${device.compile ? "" : " without torch.compile"}`],
    ["compiler", device.compiler ? `${device.compiler.command} ${device.compiler.version}` : "none"],
    [
      "libraries",
      Object.entries(device.libraries)
        .map(([name, l]) => `${name} ${l.version}`)
        .join(", ") || "none",
    ],
    ["copy rate", metric(rate.copy, "B/s")],
    ["product rate", rates(rate.matrix)],
    ["vector rate", rates(rate.vector)],
    ["isolation", device.isolation.join(", ") || "none"],
    ["profiler", device.profiler.available ? "available" : device.profiler.why],
  ]);
}

function interfaceTable(contract: Contract): Html {
  const inputs = contract.interface.inputs.map((i) => [
    "input",
    i.name,
    i.tensor ? shape(i.tensor) : JSON.stringify(i.literal ?? null),
    i.tensor ? `strides [${i.tensor.strides.join(", ")}]` : "passed unchanged",
  ]);
  const state = contract.state.map((s) => [
    s.kind,
    s.name,
    shape(s),
    [s.role, s.constraint ?? "", s.mutated ? "changed by the reference" : ""].filter(Boolean).join(", "),
  ]);
  const outputs = contract.interface.outputs.map((o) => [
    "output",
    o.path || o.id,
    shape(o),
    `strides [${o.strides.join(", ")}]`,
  ]);
  return table(["role", "name", "type", "notes"], [...inputs, ...state, ...outputs]);
}

/** What a candidate gets, must return and may change, and how it is judged. */
export function contractView(run: RunRecord, contract: Contract): Html {
  const { behaviour, numerics, performance } = contract;
  const { floor } = performance;
  return html`${interfaceTable(contract)}${facts([
    ["hash", html`<code>${contract.hash}</code>`],
    ["problem hash", html`<code>${contract.problem.hash}</code>`],
    ["mode", `${behaviour.mode}${behaviour.fixedRng ? ", random state fixed" : ""}`],
    ["may change", [...behaviour.mayChange, ...behaviour.changesBuffers].join(", ") || "nothing"],
    [
      "precision",
      `${numerics.precision}, tolerance ${numerics.tolerance}, longest sum ${numerics.longestSum.toLocaleString("en-US")} elements`,
    ],
    ["variants", run.validation?.variants.join(", ") ?? ""],
    ["problem checks", run.validation?.checks.join(" · ") ?? ""],
    [
      "floor",
      `${time(floor.ms)}, bound by ${floor.bound}: ${memory(floor.bytes)} in ${time(floor.memoryMs)}, ${metric(floor.operations, "FLOP")} in ${time(floor.computeMs)}`,
    ],
    ["assumes", floor.assumes],
  ])}`;
}
