import { Command, Option } from "@commander-js/extra-typings";
import * as shared from "./options.ts";

export const optimizeCommand = () =>
  new Command("optimize")
    .description("make the module in FILE faster: search, verify, measure, and write a drop-in and a report")
    .argument("<file>", "Python file with Model, get_inputs and get_init_inputs")
    .addOption(shared.spaceOption("allow only this implementation space (default: the planner chooses)"))
    .addOption(
      new Option("--rounds <count>", "rounds of plan, candidates and feedback").default(3).argParser(shared.positiveInteger),
    )
    .addOption(new Option("--candidates <count>", "candidates a round").default(6).argParser(shared.positiveInteger))
    .addOption(new Option("--minutes <minutes>", "stop proposing after this time").argParser(shared.positiveNumber))
    .addOption(shared.deviceOption())
    .addOption(shared.precisionOption())
    .addOption(shared.modeOption())
    .addOption(shared.fixedRngOption())
    .addOption(shared.toleranceOption())
    .addOption(shared.threadsOption())
    .addOption(new Option("--out <folder>", "where model_new.py and report.html are written").default("out"))
    .addOption(shared.workspaceOption())
    .addOption(new Option("--proposer <name>", "who writes candidates").default("expert"))
    .addOption(shared.jsonOption())
    .action(async (file, options) => {
      const { out, workspace, json = false, space, minutes, threads, ...rest } = options;
      const { startRun } = await import("./driving.ts");
      const run = { ...rest, space: space ?? null, minutes: minutes ?? null, threads: threads ?? null };
      process.exitCode = await startRun(file, run, { out, workspace, json });
    });
