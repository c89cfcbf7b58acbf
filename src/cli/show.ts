import { Command, Option } from "@commander-js/extra-typings";
import * as shared from "./options.ts";

export const showCommand = () =>
  new Command("show")
    .description("show a run: the answer, each round's plan, candidates, verdicts and reasons")
    .argument("<run>", "a run's name, as `hiera runs` lists it")
    .addOption(new Option("--diff <candidates...>", "two candidates, such as r1c1 r2c3: how their files differ"))
    .addOption(shared.workspaceOption())
    .addOption(shared.jsonOption())
    .action(async (id, { diff, workspace, json = false }) => {
      const { HieraError } = await import("../errors.ts");
      const { readStore } = await import("./reading.ts");
      const { assemble } = await import("../search/assemble.ts");
      const { diffCandidates, showRun } = await import("../report/text.ts");
      const { styleFor } = await import("../report/terminal.ts");
      const run = readStore(workspace, (store) => assemble(store, id));
      const [a, b, ...more] = diff ?? [];
      if (diff !== undefined && (a === undefined || b === undefined || more.length > 0)) {
        throw new HieraError("usage", "--diff takes two candidates", { todo: `for example: hiera show ${id} --diff r1c1 r1c2` });
      }
      const style = styleFor(process.stdout);
      const text =
        a !== undefined && b !== undefined ? diffCandidates(run, a, b, style) : json ? JSON.stringify(run) : showRun(run, style);
      process.stdout.write(`${text}\n`);
    });
