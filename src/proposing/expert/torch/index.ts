import { betterOperators } from "./better.ts";
import type { Rewrite } from "./rewrite.ts";
import { channelsLast, compile, operators } from "./rewrites.ts";

/** In the order in which an expert would try them. A new rewrite is one value and one line here. */
export const rewrites: readonly Rewrite[] = [betterOperators, compile, channelsLast, operators];
