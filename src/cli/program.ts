import type { Adapters } from "./adapters.ts";
import { runCommand } from "./commands.ts";
import { languageIn, profileIn } from "./flags.ts";
import type { Io } from "./io.ts";
import { RunOutput } from "./output.ts";
import { failureResult } from "./refusal.ts";

/** One command line. Exactly one result is written by whatever promises one, also when the program breaks. */
export class ProgramRun {
  private readonly argv: readonly string[];
  private readonly io: Io;
  private readonly output: RunOutput;

  constructor(argv: readonly string[], io: Io) {
    this.argv = argv;
    this.io = io;
    this.output = new RunOutput(argv, io);
  }

  /** Returns the exit code. */
  async end(adapters: Adapters): Promise<number> {
    const { argv, io, output } = this;
    try {
      if (argv[0] === "__complete")
        return await (await import("./completion/names.ts")).printNames(argv[1], io, adapters);
      return await runCommand(argv, { io, adapters, output });
    } catch (error) {
      return this.crashed(error);
    }
  }

  /** Writes the result of whatever nobody caught, in the form that was asked for. Returns the exit code. */
  crashed(error: unknown): number {
    const { argv, io, output } = this;
    const language = languageIn(argv, io.env);
    const profile = profileIn(argv);
    const around = profile === undefined ? io : { ...io, env: { ...io.env, EVANDER_PROFILE: profile } };
    const result = failureResult(error, around, {
      save: !argv.includes("--no-save"),
      verbose: argv.includes("--verbose"),
      language,
      sessionId: output.sessionId,
    });
    output.result(result);
    return result.exit.code;
  }
}
