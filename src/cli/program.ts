import { Command, CommanderError } from "@commander-js/extra-typings";
import { exitStatus, HieraError } from "../errors.ts";
import { version } from "../version.ts";
import { benchCommand } from "./bench.ts";
import { doctorCommand } from "./doctor.ts";
import { evaluateCommand } from "./evaluate.ts";
import { inspectCommand } from "./inspect.ts";
import { optimizeCommand } from "./optimize.ts";
import { reproduceCommand } from "./reproduce.ts";
import { resumeCommand } from "./resume.ts";
import { runsCommand } from "./runs.ts";
import { showCommand } from "./show.ts";

/** One line a command. Each imports what it needs when it runs, so that `--help` stays instant. */
const commands = [
  optimizeCommand,
  resumeCommand,
  runsCommand,
  showCommand,
  evaluateCommand,
  reproduceCommand,
  benchCommand,
  inspectCommand,
  doctorCommand,
];

/** Runs one command line. Returns the exit status; prints a failure as one line on stderr. */
export async function main(args: readonly string[]): Promise<number> {
  const program = new Command("hiera")
    .description("Makes PyTorch modules faster: verified equal, measured faster, explained.")
    .version(version)
    .configureHelp({ showGlobalOptions: false });
  for (const make of commands) program.addCommand(make());
  for (const command of [program, ...program.commands]) {
    command
      .exitOverride()
      .showSuggestionAfterError(false)
      .configureOutput({ outputError: () => undefined });
  }
  if (args.length === 0) {
    program.outputHelp();
    return 0;
  }
  try {
    await program.parseAsync(args, { from: "user" });
    return Number(process.exitCode ?? 0);
  } catch (error) {
    return report(error);
  }
}

function report(error: unknown): number {
  if (error instanceof HieraError) {
    process.stderr.write(`hiera: ${error.message}\n`);
    return exitStatus[error.code];
  }
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return 0;
    process.stderr.write(`hiera: ${error.message.replace(/^error: /, "")} — see: hiera --help\n`);
    return exitStatus.usage;
  }
  throw error;
}
