import { Command, CommanderError, Option } from "commander";
import { SETTING_KEYS } from "../config/settings.ts";
import type { Store } from "../protocol/store.ts";
import { refusalResult } from "../session/result.ts";
import { type Language, LANGUAGES } from "../words/language.ts";
import type { Adapters } from "./adapters.ts";
import { APPROVALS, type Flags, languageFor, languageIn, OUTPUTS, outputOf } from "./flags.ts";
import type { Io } from "./io.ts";
import { meantCommand } from "./mistypes.ts";
import { openOutput, type Output } from "./output.ts";
import type { Asked } from "./ps.ts";
import { RefusalError } from "./refusal.ts";
import { printVersion } from "./version.ts";

/** Reads a command line and runs its command; returns the exit code. A wrong command line is a result as well. */
export async function runCommand(argv: readonly string[], io: Io, adapters: Adapters): Promise<number> {
  const program = new Program(io, adapters, argv);
  try {
    await program.run();
    return program.code;
  } catch (error) {
    if (error instanceof CommanderError) return usageError(error, argv, io);
    throw error;
  }
}

function usageError(error: CommanderError, argv: readonly string[], io: Io): number {
  if (error.exitCode === 0) return 0;
  const dashed = error.code === "commander.unknownOption" && argv.some(isPromptFlag);
  const hint = dashed ? '. A prompt that begins with "-" is written --prompt="-…"' : "";
  const message = error.message.replace(/^error: /u, "") + hint;
  const result = refusalResult({ reason: "usage_error", message }, languageIn(argv, io.env));
  openOutput(outputOf(argv), io, false).result(result);
  return result.exit.code;
}

const isPromptFlag = (arg: string): boolean => arg === "-p" || arg === "--prompt" || arg.startsWith("--prompt=");

/** The commands; each loads its code when it is called. */
class Program {
  code = 0;
  private readonly io: Io;
  private readonly adapters: Adapters;
  private readonly argv: readonly string[];
  /** Help that was printed because a command line named a group alone. */
  private groupHelp = "";

  constructor(io: Io, adapters: Adapters, argv: readonly string[]) {
    this.io = io;
    this.adapters = adapters;
    this.argv = argv;
  }

  async run(): Promise<void> {
    const groups = [this.session(), this.turn(), this.approve(), this.ps(), this.next(), this.version()];
    const root = this.root(groups);
    // The words behind -p are a prompt, also when one of them is the name of a command.
    const names = groups.map((group) => group.name());
    const before = this.argv.slice(0, this.argv.findIndex(isPromptFlag) + 1);
    if (before.length === 0 || before.some((arg) => names.includes(arg)))
      for (const group of groups) root.addCommand(group);
    for (const command of [root, ...groups, ...groups.flatMap((group) => group.commands)])
      command.exitOverride().configureOutput({
        writeOut: (text) => this.io.stdout.write(text),
        writeErr: (text) => (this.groupHelp += text),
      });
    try {
      await root.parseAsync(this.wordsOf(names), { from: "user" });
    } catch (error) {
      if (!(error instanceof CommanderError) || error.code !== "commander.help") throw error;
      this.io.stdout.write(this.groupHelp);
    }
  }

  /** `help` and `help COMMAND` are the help of the program and of that command; with other words it is a message. */
  private wordsOf(names: readonly string[]): string[] {
    const [first, second, ...rest] = this.argv;
    if (first !== "help" || (second !== undefined && !names.includes(second))) return [...this.argv];
    return [...(second === undefined ? [] : [second, ...rest]), "--help"];
  }

  private version(): Command {
    const version = new Command("version").description("print the version").option("--json", "as JSON");
    return version.action((options: { json?: boolean }) => printVersion(this.adapters, this.io, options.json === true));
  }

  private root(groups: readonly Command[]): Command {
    const root = new Command("evander")
      .description("A personal AI agent whose turns always end, survive, and say why.")
      .argument("[prompt...]", "a first message for the conversation")
      .option("-p, --prompt [text]", "answer one prompt and leave; without a text it is read from stdin")
      .option("-V, --version", "print the version")
      .addHelpText("after", SETTINGS_HELP)
      .enablePositionalOptions();
    addTurnOptions(root).option("--resume <session>", "go on with a session: its id, or last");
    return root.action(async (words: string[], flags: Flags) => {
      if (flags.version === true) return printVersion(this.adapters, this.io, false);
      if (flags.prompt === undefined) return this.chat(words, flags, groups);
      const { runPrompt } = await import("./prompt.ts");
      const all = [...(flags.prompt === true ? [] : [flags.prompt]), ...words];
      const prompt = all.length === 0 ? true : all.join(" ");
      this.code = await runPrompt({ ...this.edges(flags), flags: { ...flags, prompt } });
    });
  }

  private async chat(words: readonly string[], flags: Flags, groups: readonly Command[]): Promise<void> {
    if (flags.output !== "text")
      throw new RefusalError({
        reason: "usage_error",
        message: `--output ${flags.output} is for one prompt: add -p "what to do".`,
      });
    const names = groups.map((group) => [group.name(), group.commands.map((verb) => verb.name())] as const);
    const meant = meantCommand(words, new Map([...names, ["help", []]]));
    if (meant !== undefined)
      throw new RefusalError({
        reason: "usage_error",
        message: `There is no command ${JSON.stringify(words.join(" "))}.`,
        next: [
          { do: "correct", text: "Perhaps this was meant", command: `evander ${meant}` },
          { do: "ask", text: "To ask a model just that", command: `evander -p ${JSON.stringify(words.join(" "))}` },
        ],
      });
    const { chat } = await import("./chat.ts");
    this.code = await chat({ flags, io: this.io, adapters: this.adapters }, words.join(" "));
  }

  private session(): Command {
    const group = new Command("session").description("what was kept");
    readable(group.command("list").description("all sessions, the newest first")).action((form: Form) =>
      this.read(async (store) => (await import("./records.ts")).listSessions(store, this.io, this.asJson(form))),
    );
    readable(group.command("show").description("the messages of a session"))
      .argument("<session>", "its id, or last")
      .action((session: string, form: Form) =>
        this.read(async (store) =>
          (await import("./records.ts")).showSession(store, this.io, session, this.asJson(form)),
        ),
      );
    readable(group.command("search").description("what was said, in any session"))
      .argument("<words...>")
      .action((words: string[], form: Form) =>
        this.read(async (store) =>
          (await import("./records.ts")).searchSessions(store, this.io, words.join(" "), this.asJson(form)),
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
    readable(group.command("show").description("the facts of a turn; always JSON"))
      .argument("[turn]", "its id, or last", "last")
      .option("--raw", "its requests instead, as the model saw them: one JSON body a line")
      .action((turn: string, { raw }: { readonly raw?: boolean }) =>
        this.read(async (store) => {
          const { showRequests, showTurn } = await import("./records.ts");
          (raw === true ? showRequests : showTurn)(store, this.io, turn);
        }),
      );
    readable(group.command("explain").description("what happened in a turn, step by step, and why it ended"))
      .argument("<turn>", "its id, or last")
      .action((turn: string, form: Form) =>
        this.read(async (store) => (await import("./records.ts")).explainStoredTurn(store, turn, this.asked(form))),
      );
    return group;
  }

  private approve(): Command {
    const group = new Command("approve").description("calls of parked turns that need a person");
    readable(group.command("list").description("what waits, with the id of each call")).action((form: Form) =>
      this.read(async (store) => (await import("./approve.ts")).listQuestions(store, this.asked(form))),
    );
    for (const verb of ["yes", "no"] as const)
      readable(group.command(verb).description(verb === "yes" ? "allow calls" : "deny calls"))
        .argument("<id...>", "as list shows them")
        .action((ids: string[], form: Form) =>
          this.read(async (store) =>
            (await import("./approve.ts")).decideAll(store, ids, { allow: verb === "yes", ...this.asked(form) }),
          ),
        );
    return group;
  }

  private ps(): Command {
    const ps = new Command("ps").description("turns that run, are parked or were left, and what each waits for");
    return readable(ps).action((form: Form) =>
      this.read(async (store) => (await import("./ps.ts")).listOpenTurns(store, this.asked(form))),
    );
  }

  private next(): Command {
    const next = new Command("next").description("the first next step of the last turn that can be run");
    return readable(next)
      .option("--run", "run it")
      .action(async (form: Form & { readonly run?: boolean }) => {
        const { nextStep, printStep, wordsOf } = await import("./next.ts");
        const asked = this.asked(form);
        const step = await this.read((store) => Promise.resolve(nextStep(store, asked)));
        const command = form.run === true ? step?.command : undefined;
        if (typeof command === "string") this.code = await runCommand(wordsOf(command), this.io, this.adapters);
        else printStep(step, asked);
      });
  }

  private asked(form: Form): Asked {
    return { io: this.io, json: this.asJson(form), language: languageFor(form, this.io.env) };
  }

  private asJson({ json, output }: Form): boolean {
    return json === true || (output ?? outputOf(this.argv)) === "json";
  }

  private edges(flags: Flags): { flags: Flags; io: Io; adapters: Adapters; output: Output } {
    const { io, adapters } = this;
    return { flags, io, adapters, output: openOutput(outputOf(this.argv), io, flags.verbose === true) };
  }

  private async read<T>(use: (store: Store) => Promise<T>): Promise<T> {
    const store = await this.adapters.openStore({ sync: "four" });
    try {
      return await use(store);
    } finally {
      store.close();
    }
  }
}

/** How a command that reads is asked for JSON. */
interface Form {
  readonly lang?: Language;
  readonly json?: boolean;
  readonly output?: "text" | "json";
}

const readable = (command: Command): Command =>
  command
    .option("--json", "as JSON")
    .addOption(new Option("--output <form>", "text or json").choices(["text", "json"]))
    .addOption(langOption());

const langOption = (): Option =>
  new Option("--lang <language>", "of explanations; else that of the locale").choices(LANGUAGES);

const SETTINGS_HELP = `
Settings for --config:
${[...SETTING_KEYS].map(([key, takes]) => `  ${key.padEnd(20)} ${takes}`).join("\n")}`;

function addTurnOptions(command: Command): Command {
  return command
    .addOption(new Option("--output <form>", "how the result is written").choices(OUTPUTS).default("text"))
    .option("--model <name>", "the model to ask; practice for the built-in one")
    .option("--provider <name>", "openai, openrouter, ollama, lmstudio, llama-cpp, vllm or practice")
    .option("--cwd <folder>", "the folder to work in")
    .option("--max-iterations <n>", "model calls a turn may make")
    .option("--max-time <time>", "how long a turn may run: 90s, 5m, 1h30m")
    .addOption(new Option("--approve <policy>", "what happens to calls that need a person").choices(APPROVALS))
    .option("--fail-on-tool-error", "end the turn at the first tool that fails")
    .option("--config <key=value>", "set one setting; may be repeated", (pair, all?: string[]) => [
      ...(all ?? []),
      pair,
    ])
    .addOption(langOption())
    .option("--verbose", "more on stderr");
}
