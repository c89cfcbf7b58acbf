import { Argument, Command, Option } from "@commander-js/extra-typings";
import * as shared from "./options.ts";

export const benchCommand = () =>
  new Command("bench")
    .description("optimize every problem of a set and print a table; what is done already is not run again")
    .addArgument(new Argument("<set>", "the problem set").choices(["examples"] as const))
    .addOption(new Option("--problems <folder>", "other problem files than those that come with hiera"))
    .addOption(new Option("--again", "run what is done already, too").default(false))
    .addOption(shared.spaceOption("allow only this implementation space (default: the planner chooses)"))
    .addOption(new Option("--rounds <count>", "rounds a problem").default(3).argParser(shared.positiveInteger))
    .addOption(new Option("--candidates <count>", "candidates a round").default(6).argParser(shared.positiveInteger))
    .addOption(new Option("--minutes <minutes>", "stop proposing for a problem after this time").argParser(shared.positiveNumber))
    .addOption(shared.deviceOption())
    .addOption(shared.precisionOption())
    .addOption(shared.modeOption())
    .addOption(shared.fixedRngOption())
    .addOption(shared.toleranceOption())
    .addOption(shared.threadsOption())
    .addOption(new Option("--proposer <name>", "who writes candidates").default("expert"))
    .addOption(new Option("--out <folder>", "where the table and each result are written").default("bench"))
    .addOption(shared.workspaceOption())
    .addOption(shared.jsonOption())
    .action(async (set, { problems, again, out, workspace, json = false, space, minutes, threads, ...rest }) => {
      const { bench } = await import("./benching.ts");
      const options = { ...rest, space: space ?? null, minutes: minutes ?? null, threads: threads ?? null };
      process.exitCode = await bench(set, options, { problems: problems ?? null, again, out, workspace, json });
    });
