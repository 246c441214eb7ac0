import { Command, CommanderError } from "commander";
import { storeFolder } from "../config/folders.ts";
import type { Store } from "../protocol/store.ts";
import { refusalResult } from "../session/result.ts";
import { ALL_COMMANDS, askJust, helpOn, meantThis, shellWord, type Step } from "../words/steps.ts";
import { dashedPrompt, KEY_ON_LINE, noSuchCommand, notYet, usageSentence } from "../words/usage.ts";
import { promptOnly } from "../words/prompt.ts";
import type { Adapters } from "./adapters.ts";
import { bundleCommand } from "./bundle/command.ts";
import { completionCommand } from "./completion/commands.ts";
import { configCommands } from "./config/commands.ts";
import { ownFolders } from "./config/own-folders.ts";
import { settingsHelp } from "./config/settings-help.ts";
import { profileRefusal } from "./config/trouble.ts";
import type { Asked, CommandContext } from "./context.ts";
import { languageFor, languageIn, outputOf, profileIn, type PromptFlags, promptOnlyFlags } from "./flags.ts";
import { debugCommand } from "./debug/commands.ts";
import { demoCommand } from "./demo/command.ts";
import { docsCommand } from "./docs/commands.ts";
import { doctorCommand } from "./doctor/commands.ts";
import type { Io } from "./io.ts";
import { logsCommand } from "./log/commands.ts";
import { isPlanned, meantCommand } from "./mistypes.ts";
import { mcpCommand } from "./mcp/commands.ts";
import { memoryCommand } from "./memory/commands.ts";
import { modelCommand } from "./model/commands.ts";
import { addPromptOptions, type Form } from "./options.ts";
import { RunOutput } from "./output.ts";
import { type Headless, runPrompt } from "./prompt/run.ts";
import { recordCommands } from "./records/commands.ts";
import { RefusalError, usageRefusal } from "./refusal.ts";
import { skillCommand } from "./skills/commands.ts";
import { storeCommand } from "./store/commands.ts";
import { toolCommand } from "./tool/commands.ts";
import { printVersion } from "./version.ts";

/** The edges of one run of the program. */
interface Edges {
  readonly io: Io;
  readonly adapters: Adapters;
  readonly output: RunOutput;
}

/** Reads a command line and runs its command; returns the exit code. A wrong command line is a result as well. */
export async function runCommand(argv: readonly string[], edges: Edges): Promise<number> {
  const program = new Program(argv, edges);
  try {
    await program.run();
    return program.code;
  } catch (error) {
    if (error instanceof CommanderError) return usageError(error, { argv, path: program.failing }, edges);
    throw withHelpOn(program.acting, error);
  }
}

interface Misuse {
  readonly argv: readonly string[];
  /** The words of the command that was asked; empty for the program itself. */
  readonly path: string;
}

function usageError(error: CommanderError, { argv, path }: Misuse, { io, output }: Edges): number {
  if (error.exitCode === 0) return 0;
  const isNoneLike = error.code === "commander.unknownOption" && !error.message.includes("(Did you mean");
  const dashed = isNoneLike && argv.some(isPromptFlag);
  const hasKey = error.code === "commander.excessArguments" && /^auth (?:add|login)$/u.test(path);
  const { en, zh } = hasKey ? KEY_ON_LINE : usageSentence(error.code, error.message.replace(/^error: /u, ""));
  const message = dashed ? { en: en + dashedPrompt.en, zh: zh + dashedPrompt.zh } : { en, zh };
  const isSurplus = SURPLUS.has(error.code) && !hasKey;
  const steps = (isSurplus ? stepsBehind(argv) : undefined) ?? (path === "" ? undefined : [helpOn(path)]);
  const refusal = { reason: "usage_error", message, ...(steps && { steps }) } as const;
  const result = refusalResult(refusal, languageIn(argv, io.env));
  output.result(result);
  return result.exit.code;
}

/** A command that was asked for what makes no sense, and has nothing better to say, is explained by its own help. */
function withHelpOn(path: string, error: unknown): unknown {
  if (path === "" || !(error instanceof RefusalError)) return error;
  const { reason, steps = [], next = [] } = error.refusal;
  if (reason !== "usage_error" || steps.length > 0 || next.length > 0) return error;
  return new RefusalError({ ...error.refusal, steps: [helpOn(path)] });
}

/** What was meant by more words than the command takes; undefined where nothing is known but its help. */
function stepsBehind(argv: readonly string[]): Step[] | undefined {
  const words = argv.filter((arg) => !arg.startsWith("-"));
  const [group = "", verb, third] = words;
  if (third === undefined) return undefined;
  if (group === "config" && verb === "show") return [meantThis(`config get ${shellWord(third)}`)];
  // `evander where is it?` begins like a command.
  return words.length === argv.length ? [askJust(argv.join(" ")), helpOn(group)] : undefined;
}

/** There are more words than the command takes, or one that is none of its own. */
const SURPLUS = new Set(["commander.unknownCommand", "commander.excessArguments"]);

const isPromptFlag = (arg: string): boolean => arg === "-p" || arg === "--prompt" || arg.startsWith("--prompt=");

const pathOf = (command: Command): string =>
  command.parent === null ? "" : `${pathOf(command.parent)} ${command.name()}`.trim();

/** The commands; each loads its code when it is called. */
class Program implements CommandContext {
  code = 0;
  /** The words of the command whose line could not be read. */
  failing = "";
  /** The words of the command that was begun; empty for the program itself. */
  acting = "";
  readonly io: Io;
  readonly adapters: Adapters;
  private readonly output: RunOutput;
  private readonly argv: readonly string[];
  /** Help that was printed because a command line named a group alone. */
  private groupHelp = "";

  constructor(argv: readonly string[], { io, adapters, output }: Edges) {
    const profile = profileIn(argv);
    this.io = profile === undefined ? io : { ...io, env: { ...io.env, EVANDER_PROFILE: profile } };
    this.adapters = adapters;
    this.output = output;
    this.argv = argv;
  }

  async run(): Promise<void> {
    if (profileIn(this.argv) === "") throw profileRefusal({ type: "no-profile-name", name: "" });
    // The words behind -p are a prompt, also when one of them is the name of a command.
    const groups = isPromptFlag(this.argv[0] ?? "") ? [] : this.groups();
    const root = this.root(groups);
    const names = groups.map((group) => group.name());
    const before = this.argv.slice(0, this.argv.findIndex(isPromptFlag) + 1);
    if (before.length === 0 || before.some((arg) => names.includes(arg)))
      for (const group of groups) root.addCommand(group);
    root.hook("preAction", (_root, command) => {
      this.acting = pathOf(command);
    });
    for (const command of [root, ...groups, ...groups.flatMap((group) => group.commands)])
      command
        .option("-P, --profile <name>", "the profile to work in")
        .exitOverride((error) => {
          this.failing = pathOf(command);
          throw error;
        })
        .configureOutput({
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

  private groups(): Command[] {
    return [
      this.runCommand(),
      ...recordCommands(this),
      ...configCommands(this),
      storeCommand(this),
      doctorCommand(this),
      modelCommand(this),
      memoryCommand(this),
      skillCommand(this),
      toolCommand(this),
      mcpCommand(this),
      logsCommand(this),
      bundleCommand(this),
      debugCommand(this),
      demoCommand(this),
      docsCommand(this),
      completionCommand(this),
      this.version(),
    ];
  }

  /** `help` and `help COMMAND` are the help of the program and of that command; with other words it is a message. */
  private wordsOf(names: readonly string[]): string[] {
    const [first, second, ...rest] = this.argv;
    if (first !== "help" || (second !== undefined && !names.includes(second))) return [...this.argv];
    return [...(second === undefined ? [] : [second, ...rest]), "--help"];
  }

  private version(): Command {
    const version = new Command("version").description("print the version").option("--json", "as JSON");
    return version.action((options: { json?: boolean }) =>
      printVersion(this.adapters.version(), this.io, options.json === true),
    );
  }

  private root(groups: readonly Command[]): Command {
    const root = new Command("evander")
      .description("A personal AI agent whose turns always end, survive, and say why.")
      .argument("[prompt...]", "a first message for the conversation")
      .option("-p, --prompt [text]", "answer one prompt and leave; without a text it is read from stdin")
      .option("-V, --version", "print the version")
      .addHelpText("after", () => settingsHelp())
      .enablePositionalOptions();
    addPromptOptions(root);
    return root.action(async (words: string[], flags: PromptFlags) => {
      if (flags.version === true) return printVersion(this.adapters.version(), this.io, false);
      if (flags.prompt === undefined) return this.chat(words, flags, groups);
      return this.prompt([...(flags.prompt === true ? [] : [flags.prompt]), ...words], flags);
    });
  }

  private runCommand(): Command {
    const command = new Command("run").description("answer one prompt and leave, as -p does").argument("[prompt...]");
    return addPromptOptions(command).action((words: string[], flags: PromptFlags) => this.prompt(words, flags));
  }

  private async prompt(words: readonly string[], flags: PromptFlags): Promise<void> {
    const prompt = words.length === 0 ? true : words.join(" ");
    this.code = await runPrompt(this.headless({ ...flags, prompt }));
  }

  private async chat(words: readonly string[], flags: PromptFlags, groups: readonly Command[]): Promise<void> {
    const [only] = promptOnlyFlags(flags);
    if (only !== undefined) throw usageRefusal(promptOnly(only));
    const names = groups.map((group) => [group.name(), group.commands.map((verb) => verb.name())] as const);
    const meant = meantCommand(words, new Map([...names, ["help", []]]));
    if (meant !== undefined)
      throw usageRefusal(noSuchCommand(words.join(" ")), { steps: [meantThis(meant), askJust(words.join(" "))] });
    if (isPlanned(words))
      throw usageRefusal(notYet(words.join(" ")), { steps: [ALL_COMMANDS, askJust(words.join(" "))] });
    const { chat } = await import("./chat/chat.ts");
    const { io, adapters } = this;
    const program = (argv: readonly string[], around: Io): Promise<number> =>
      runCommand(argv, { io: around, adapters, output: new RunOutput(argv, around) });
    this.code = await chat({ flags, io, adapters, program }, words.join(" "));
  }

  get newSessionId(): () => string {
    return this.adapters.newSessionId;
  }

  asked(form: Form): Asked {
    return { io: this.io, json: this.asJson(form), language: languageFor(form, this.io.env) };
  }

  private asJson({ json, output }: Form): boolean {
    return json === true || (output ?? outputOf(this.argv)) === "json";
  }

  headless(flags: PromptFlags): Headless {
    const { io, adapters, output } = this;
    return { flags, io, adapters, output };
  }

  async openStore(): Promise<Store> {
    return this.adapters.openStore({ folder: this.storeFolder(), sync: "four" });
  }

  backgroundProcesses(): ReturnType<CommandContext["backgroundProcesses"]> {
    return this.adapters.backgroundProcesses(this.storeFolder());
  }

  get care(): CommandContext["care"] {
    const made = this.adapters.storeCare();
    return {
      recover: async (asked) => (await made).recover(asked),
      backup: async (file, asked) => (await made).backup(file, asked),
      restore: async (file, asked) => (await made).restore(file, asked),
      rebuild: async (asked) => (await made).rebuild(asked),
    };
  }

  storeFolder(): string {
    return storeFolder(this.io, ownFolders(this.io));
  }

  async withStore<T>(use: (store: Store) => T | Promise<T>): Promise<T> {
    const store = await this.openStore();
    try {
      return await use(store);
    } finally {
      store.close();
    }
  }

  runInstead(words: readonly string[]): Promise<number> {
    const { io, adapters } = this;
    return runCommand(words, { io, adapters, output: new RunOutput(words, io) });
  }

  endWith(code: number): void {
    this.code = code;
  }
}
