import type { RetryMode } from "../protocol/fact.ts";
import type { Effort } from "../protocol/provider.ts";
import { type Language, LANGUAGES, languageOf } from "../words/language.ts";

/** The options of `evander` itself, as the command line gave them. */
export interface Flags {
  /** `true`: `-p` without a text, which then comes from stdin. */
  readonly prompt?: string | true;
  readonly output: "text" | "json" | "jsonl";
  readonly resume?: string;
  readonly fork?: string;
  /** How many messages of it the fork is to share. */
  readonly at?: string;
  readonly model?: string;
  readonly provider?: string;
  readonly fallback?: string;
  readonly effort?: Effort;
  readonly cwd?: string;
  readonly maxIterations?: string;
  readonly maxTime?: string;
  readonly maxCost?: string;
  readonly retry?: RetryMode;
  readonly approve?: "never" | "rules" | "all" | "park";
  readonly failOnToolError?: boolean;
  readonly config?: readonly string[];
  /** Names of tools, or `false` for none. */
  readonly tools?: string | false;
  readonly lang?: Language;
  readonly version?: boolean;
  readonly verbose?: boolean;
  readonly plain?: boolean;
}

/** Options of `-p` alone. */
export interface PromptFlags extends Flags {
  /** Files, addresses of pictures, and `-` for stdin. */
  readonly file?: readonly string[];
  readonly new?: boolean;
  /** `false`: `--no-save`. */
  readonly save?: boolean;
  readonly idempotencyKey?: string;
  readonly messages?: boolean;
  readonly quiet?: boolean;
}

/** Those that a conversation does not take, as they were written. */
export function promptOnlyFlags({ output, file, save, idempotencyKey, messages, quiet }: PromptFlags): string[] {
  const given = {
    [`--output ${output}`]: output !== "text",
    "--file": file !== undefined,
    "--no-save": save === false,
    "--idempotency-key": idempotencyKey !== undefined,
    "--messages": messages === true,
    "--quiet": quiet === true,
  };
  return Object.entries(given).flatMap(([flag, is]) => (is ? [flag] : []));
}

/** Of `session export`. */
export const FORMATS = ["jsonl", "md", "openai"] as const;

export const OUTPUTS = ["text", "json", "jsonl"] as const;
export const APPROVALS = ["never", "rules", "all", "park"] as const;

/** The output form asked for, also from a command line that cannot be parsed otherwise. */
export function outputOf(argv: readonly string[]): Flags["output"] {
  const value = valueOf(argv, "--output");
  return OUTPUTS.find((output) => output === value) ?? (optionsIn(argv).includes("--json") ? "json" : "text");
}

/** The profile that a command line names, wherever in it; undefined when none does. */
export function profileIn(argv: readonly string[]): string | undefined {
  const joined = optionsIn(argv).find((word) => /^-P./u.test(word));
  return joined?.slice(2) ?? valueOf(argv, "--profile") ?? valueOf(argv, "-P");
}

/** What stands behind `--` is no option. */
function optionsIn(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf("--");
  return end < 0 ? argv : argv.slice(0, end);
}

function valueOf(all: readonly string[], option: string): string | undefined {
  const argv = optionsIn(all);
  const at = argv.findIndex((arg) => arg === option || arg.startsWith(`${option}=`));
  return at < 0 ? undefined : argv[at]?.includes("=") ? argv[at]?.slice(option.length + 1) : argv[at + 1];
}

/** The language of sentences for people: `--lang`, else that of the locale. */
export const languageFor = ({ lang }: Pick<Flags, "lang">, env: NodeJS.ProcessEnv): Language =>
  lang ??
  languageOf([env["LC_ALL"], env["LC_MESSAGES"], env["LANG"]].find((locale) => locale !== undefined && locale !== ""));

/** The same for a command line that cannot be parsed otherwise. */
export function languageIn(argv: readonly string[], env: NodeJS.ProcessEnv): Language {
  const asked = valueOf(argv, "--lang");
  return LANGUAGES.find((language) => language === asked) ?? languageFor({}, env);
}
