import { Command } from "@commander-js/extra-typings";
import * as shared from "./options.ts";

export const inspectCommand = () =>
  new Command("inspect")
    .description("show the contract of the problem in FILE: interface, operator graph, floor and regions")
    .argument("<file>", "Python file with Model, get_inputs and get_init_inputs")
    .addOption(shared.deviceOption())
    .addOption(shared.precisionOption())
    .addOption(shared.modeOption())
    .addOption(shared.fixedRngOption())
    .addOption(shared.toleranceOption())
    .addOption(shared.threadsOption())
    .addOption(shared.jsonOption().default(false))
    .action(async (file, { json, device, threads, ...options }) => {
      const { inspect } = await import("./inspection.ts");
      console.log(await inspect(file, device, { ...options, threads: threads ?? null }, json));
    });
