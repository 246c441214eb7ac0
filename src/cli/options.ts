import { type Command, Option } from "commander";
import { RETRY_MODES } from "../protocol/fact.ts";
import { EFFORTS } from "../protocol/provider.ts";
import type { Language } from "../words/language.ts";
import { LANGUAGES } from "../words/language.ts";
import { PROMPT_WORDS } from "../words/prompt.ts";
import { APPROVALS, OUTPUTS } from "./flags.ts";
import { usageRefusal } from "./refusal.ts";

/** How a command that reads is asked for JSON. */
export interface Form {
  readonly lang?: Language;
  readonly json?: boolean;
  readonly output?: "text" | "json";
}

export const readable = (command: Command): Command =>
  command
    .option("--json", "as JSON")
    .addOption(new Option("--output <form>", "text or json").choices(["text", "json"]))
    .addOption(langOption());

export const langOption = (): Option =>
  new Option("--lang <language>", "of explanations; else that of the locale").choices(LANGUAGES);

/** Options of one prompt, beside those of every turn. */
export const addPromptOptions = (command: Command): Command =>
  addTurnOptions(command)
    .option("-f, --file <file...>", "hand in text files, or addresses of pictures; - is stdin")
    .option("--resume <session>", "go on with a session: its id, the beginning of it, its title, or last")
    .option("--fork <session>", "begin with what was said in a session, and leave that one as it is")
    .option("--at <n>", "with --fork: its first n messages, as session show numbers them; else all of them")
    .option("--new", "begin a new session, as is usual")
    .option("--no-save", "keep nothing on disk")
    .option("--idempotency-key <key>", "ask once: the same key again prints the stored result")
    .option("--messages", "the messages of the turn in the result")
    .option("--quiet", "nothing on stderr but errors");

/** Options of every command that runs a turn. */
export function addTurnOptions(command: Command): Command {
  return refuseBoth(command)
    .addOption(new Option("--output <form>", "how the result is written").choices(OUTPUTS).default("text"))
    .option("--model <name>", "the model to ask; practice for the built-in one")
    .option("--provider <name>", "who serves the model: openai, anthropic, ollama, …; see evander doctor providers")
    .option("--fallback <models>", "who takes over when it fails: PROVIDER/MODEL, in order, separated by commas")
    .addOption(new Option("--effort <level>", "how much the model is to think").choices(EFFORTS))
    .option("--cwd <folder>", "the folder to work in")
    .option("--max-iterations <n>", "model calls a turn may make")
    .option("--max-time <time>", "how long a turn may run: 90s, 5m, 1h30m")
    .option("--max-cost <usd>", "what a turn may spend, US dollars")
    .addOption(new Option("--retry <mode>", "how patient it is with failures that pass").choices(RETRY_MODES))
    .addOption(new Option("--approve <policy>", "what happens to calls that need a person").choices(APPROVALS))
    .option("--tools <names>", "only these tools or sets of them, separated by commas")
    .option("--no-tools", "no tools at all")
    .option("--fail-on-tool-error", "end the turn at the first tool that fails")
    .option("--config <key=value>", "set one setting; may be repeated", (pair, all?: string[]) => [
      ...(all ?? []),
      pair,
    ])
    .addOption(langOption())
    .option("--plain", "no escape sequences, each change a new line")
    .option("--verbose", "more on stderr");
}

/** `--tools` and `--no-tools` are one setting to the parser, to which the later one would be the last word. */
function refuseBoth(command: Command): Command {
  const given = (): unknown => command.getOptionValue("tools");
  const refuse = (other: boolean): void => {
    if (other) throw usageRefusal(PROMPT_WORDS.toolsAndNone);
  };
  return command
    .on("option:tools", () => refuse(given() === false))
    .on("option:no-tools", () => refuse(typeof given() === "string"));
}

/** Options of every command that changes something. */
export const changing = (command: Command): Command =>
  readable(command).option("--dry-run", "only say what would change").option("-y, --yes", "do not ask");
