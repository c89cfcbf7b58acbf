import { Command } from "@commander-js/extra-typings";
import * as shared from "./options.ts";

export const reproduceCommand = () =>
  new Command("reproduce")
    .description("verify and time a result again on this device, old beside new; exit 1 where they disagree")
    .argument("<result>", "a run's name, or a model_new.py that hiera wrote")
    .addOption(shared.deviceOption())
    .addOption(shared.workspaceOption())
    .addOption(shared.jsonOption())
    .action(async (result, { device, workspace, json = false }) => {
      const { printed } = await import("./failing.ts");
      const { reproduce } = await import("./reproducing.ts");
      process.exitCode = await printed(json, null, () => reproduce(result, { device, workspace, json }));
    });
