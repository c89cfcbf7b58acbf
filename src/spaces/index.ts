import { kernel } from "./kernel/index.ts";
import { libraries } from "./libraries/index.ts";
import type { Space, SpaceName } from "./space.ts";
import { torch } from "./torch/index.ts";

/** Narrowest first. A new space is one folder and one line here. */
export const spaces: Readonly<Record<SpaceName, Space>> = { kernel, libraries, torch };
