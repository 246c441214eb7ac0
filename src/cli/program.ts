import type { Adapters } from "./adapters.ts";
import { languageIn, outputOf } from "./flags.ts";
import type { Io } from "./io.ts";
import { openOutput } from "./output.ts";
import { failureResult } from "./refusal.ts";
import { printVersion } from "./version.ts";

/** Runs one command line and returns its exit code. Exactly one result is written by whatever promises one. */
export async function runProgram(argv: readonly string[], io: Io, adapters: Adapters): Promise<number> {
  try {
    if (asksForVersion(argv)) {
      printVersion(adapters, io, false);
      return 0;
    }
    return await (await import("./commands.ts")).runCommand(argv, io, adapters);
  } catch (error) {
    return crashed(error, argv, io);
  }
}

/** Answered without the parser, which takes as long to load as Node does to start: shells and scripts ask it often. */
const asksForVersion = (argv: readonly string[]): boolean =>
  argv.length === 1 && ["version", "--version", "-V"].includes(argv[0] ?? "");

/** The result of whatever nobody caught, written in the form that was asked for. Returns the exit code. */
export function crashed(error: unknown, argv: readonly string[], io: Io): number {
  const verbose = argv.includes("--verbose");
  const result = failureResult(error, io, { verbose, language: languageIn(argv, io.env) });
  openOutput(outputOf(argv), io, verbose).result(result);
  return result.exit.code;
}
