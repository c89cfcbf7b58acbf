import { Command } from "@commander-js/extra-typings";
import * as shared from "./options.ts";

export const doctorCommand = () =>
  new Command("doctor")
    .description("say what this machine can do, and what each missing thing would enable; status 0 where optimize can run")
    .addOption(shared.workspaceOption())
    .addOption(shared.jsonOption())
    .action(async ({ workspace, json = false }) => {
      const { checkup } = await import("./checkup.ts");
      process.exitCode = await checkup(workspace, json);
    });
