import type { Call } from "../devices/device.ts";
import { DeviceFacts, type Precision, Trace } from "./contract.ts";

/** How a problem is to be understood; chosen by the user. */
export interface TraceOptions {
  readonly mode: "as-is" | "train" | "eval";
  readonly precision: Precision;
  readonly threads: number;
}

/** What the device is and how fast. `threads`: null for one a physical core that the worker may use. */
export const probe = ({ threads }: { readonly threads: number | null }): Call<DeviceFacts> => ({
  method: "probe",
  params: { threads },
  result: DeviceFacts,
});

/** One run of the reference, recorded. Throws `problem-invalid` for every problem that cannot be used. */
export const trace = ({ source, options }: { readonly source: string; readonly options: TraceOptions }): Call<Trace> => ({
  method: "trace",
  params: { source, options },
  result: Trace,
});
