import { Command, CommanderError, Option } from "commander";
import type { Store } from "../protocol/store.ts";
import { refusalResult } from "../session/result.ts";
import type { Adapters } from "./adapters.ts";
import { APPROVALS, type Flags, OUTPUTS, outputOf } from "./flags.ts";
import type { Io } from "./io.ts";
import { openOutput, type Output } from "./output.ts";
import { printVersion } from "./version.ts";

/** Reads a command line and runs its command; returns the exit code. A wrong command line is a result as well. */
export async function runCommand(argv: readonly string[], io: Io, adapters: Adapters): Promise<number> {
  const program = new Program(io, adapters);
  try {
    await program.commands().parseAsync([...argv], { from: "user" });
    return program.code;
  } catch (error) {
    if (error instanceof CommanderError) return usageError(error, argv, io);
    throw error;
  }
}

function usageError(error: CommanderError, argv: readonly string[], io: Io): number {
  if (error.exitCode === 0) return 0;
  const message = error.message.replace(/^error: /u, "");
  const result = refusalResult({ reason: "usage_error", message });
  openOutput(outputOf(argv), io, false).result(result);
  return result.exit.code;
}

/** The commands; each loads its code when it is called. */
class Program {
  code = 0;
  private readonly io: Io;
  private readonly adapters: Adapters;

  constructor(io: Io, adapters: Adapters) {
    this.io = io;
    this.adapters = adapters;
  }

  commands(): Command {
    const root = this.root();
    root.addCommand(this.session());
    root.addCommand(this.turn());
    const version = new Command("version").description("print the version").option("--json", "as JSON");
    version.action((options: { json?: boolean }) => printVersion(this.adapters, this.io, options.json === true));
    root.addCommand(version);
    for (const command of [root, ...root.commands, ...root.commands.flatMap((group) => group.commands)])
      command.exitOverride().configureOutput({
        writeOut: (text) => this.io.stdout.write(text),
        writeErr: () => undefined,
      });
    return root;
  }

  private root(): Command {
    const root = new Command("evander")
      .description("A personal AI agent whose turns always end, survive, and say why.")
      .argument("[prompt...]", "a first message for the conversation")
      .option("-p, --prompt [text]", "answer one prompt and leave; without a text it is read from stdin")
      .enablePositionalOptions();
    addTurnOptions(root).option("--resume <session>", "go on with a session: its id, or last");
    return root.action(async (words: string[], flags: Flags) => {
      if (flags.prompt === undefined) return this.chat(words.join(" "), flags);
      const { runPrompt } = await import("./prompt.ts");
      const prompt = flags.prompt === true && words.length > 0 ? words.join(" ") : flags.prompt;
      this.code = await runPrompt({ ...this.edges(flags), flags: { ...flags, prompt } });
    });
  }

  private async chat(first: string, flags: Flags): Promise<void> {
    const { chat } = await import("./chat.ts");
    this.code = await chat({ flags, io: this.io, adapters: this.adapters }, first);
  }

  private session(): Command {
    const group = new Command("session").description("what was kept");
    group
      .command("list")
      .description("all sessions, the newest first")
      .option("--json", "as JSON")
      .action((options: { json?: boolean }) =>
        this.read(async (store) => (await import("./records.ts")).listSessions(store, this.io, options.json === true)),
      );
    group
      .command("show")
      .description("the messages of a session")
      .argument("<session>", "its id, or last")
      .option("--json", "as JSON")
      .action((session: string, options: { json?: boolean }) =>
        this.read(async (store) =>
          (await import("./records.ts")).showSession(store, this.io, session, options.json === true),
        ),
      );
    group
      .command("search")
      .description("what was said, in any session")
      .argument("<words...>")
      .option("--json", "as JSON")
      .action((words: string[], options: { json?: boolean }) =>
        this.read(async (store) =>
          (await import("./records.ts")).searchSessions(store, this.io, words.join(" "), options.json === true),
        ),
      );
    const resume = group.command("resume").description("go on with the unfinished turn of a session");
    resume.argument("<session>", "its id, or last").requiredOption("--continue", "go on with the turn itself");
    addTurnOptions(resume).action(async (session: string, flags: Flags) => {
      const { runResume } = await import("./prompt.ts");
      this.code = await runResume(this.edges(flags), session);
    });
    return group;
  }

  private turn(): Command {
    const group = new Command("turn").description("what happened");
    group
      .command("show")
      .description("the facts of a turn, as JSON")
      .argument("<turn>", "its id, or last")
      .action((turn: string) =>
        this.read(async (store) => (await import("./records.ts")).showTurn(store, this.io, turn)),
      );
    group
      .command("explain")
      .description("what happened in a turn, step by step, and why it ended")
      .argument("<turn>", "its id, or last")
      .option("--json", "as JSON")
      .action((turn: string, options: { json?: boolean }) =>
        this.read(async (store) =>
          (await import("./records.ts")).explainStoredTurn(store, this.io, turn, options.json === true),
        ),
      );
    return group;
  }

  private edges(flags: Flags): { flags: Flags; io: Io; adapters: Adapters; output: Output } {
    const { io, adapters } = this;
    return { flags, io, adapters, output: openOutput(flags.output, io, flags.verbose === true) };
  }

  private async read(use: (store: Store) => Promise<void>): Promise<void> {
    const store = await this.adapters.openStore({ sync: "four" });
    try {
      await use(store);
    } finally {
      store.close();
    }
  }
}

function addTurnOptions(command: Command): Command {
  return command
    .addOption(new Option("--output <form>", "how the result is written").choices(OUTPUTS).default("text"))
    .option("--model <name>", "the model to ask; practice for the built-in one")
    .option("--provider <name>", "openai, openrouter, ollama, lmstudio, llama-cpp, vllm or practice")
    .option("--cwd <folder>", "the folder to work in")
    .option("--max-iterations <n>", "model calls a turn may make")
    .addOption(new Option("--approve <policy>", "what happens to calls that need a person").choices(APPROVALS))
    .option("--config <key=value>", "set one setting; may be repeated", (pair, all: string[]) => [...all, pair], [])
    .option("--verbose", "more on stderr");
}
