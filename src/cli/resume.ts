import { Command } from "@commander-js/extra-typings";
import * as shared from "./options.ts";

export const resumeCommand = () =>
  new Command("resume")
    .description("go on with an interrupted run; nothing that is finished is done again")
    .argument("<run>", "a run's name, as `hiera runs` lists it")
    .addOption(shared.workspaceOption())
    .addOption(shared.jsonOption())
    .action(async (run, { workspace, json = false }) => {
      const { resumeRun } = await import("./driving.ts");
      process.exitCode = await resumeRun(run, { workspace, json });
    });
