import { Command } from "@commander-js/extra-typings";
import * as shared from "./options.ts";

export const evaluateCommand = () =>
  new Command("evaluate")
    .description("the verdict on any file with a ModelNew, against the Model in PROBLEM")
    .argument("<problem>", "Python file with Model, get_inputs and get_init_inputs")
    .argument("<candidate>", "Python file with ModelNew")
    .addOption(shared.deviceOption())
    .addOption(shared.spaceOption("hold the candidate to this space's rules (default: anything is allowed)"))
    .addOption(shared.precisionOption())
    .addOption(shared.modeOption())
    .addOption(shared.fixedRngOption())
    .addOption(shared.toleranceOption())
    .addOption(shared.threadsOption())
    .addOption(shared.jsonOption())
    .action(async (problem, candidate, { device, space, json = false, threads, ...options }) => {
      const { readProblem } = await import("../problem/read.ts");
      const { checkHere } = await import("./checking.ts");
      const { printed } = await import("./failing.ts");
      const { evaluationJson, evaluationText } = await import("./verdict-text.ts");
      process.exitCode = await printed(json, null, async () => {
        const source = readProblem(problem);
        const spec = { source: readProblem(candidate), builds: [], space: space ?? null };
        const { evaluation } = await checkHere(device, source, spec, { ...options, threads: threads ?? null }, "full");
        process.stdout.write(json ? `${JSON.stringify(evaluationJson(evaluation))}\n` : evaluationText(evaluation));
        return evaluation.verdict === "valid" ? 0 : 1;
      });
    });
