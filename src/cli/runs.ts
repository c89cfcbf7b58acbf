import { Command } from "@commander-js/extra-typings";
import * as shared from "./options.ts";

export const runsCommand = () =>
  new Command("runs")
    .description("list the runs kept here, newest first")
    .addOption(shared.workspaceOption())
    .addOption(shared.jsonOption())
    .action(async ({ workspace, json = false }) => {
      const { readStore } = await import("./reading.ts");
      const { assemble } = await import("../search/assemble.ts");
      const { runsTable } = await import("../report/text.ts");
      const { styleFor } = await import("../report/terminal.ts");
      const runs = readStore(workspace, (store) => store.runs().map((row) => assemble(store, row.id)));
      const brief = () =>
        runs.map(({ id, state, createdAt, problem, result }) => ({
          run: id,
          state,
          createdAt,
          problem: problem.name,
          outcome: result?.outcome ?? null,
          speedup: result?.speedup ?? null,
        }));
      process.stdout.write(`${json ? JSON.stringify(brief()) : runsTable(runs, styleFor(process.stdout))}\n`);
    });
