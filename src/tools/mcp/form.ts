import { basename } from "node:path";
import type { McpForm } from "../../protocol/mcp-consent.ts";
import { inKeyOrder } from "../../protocol/json.ts";
import type { InBoth } from "../../protocol/sentence.ts";
import { digestOf } from "./pins.ts";

/** SHA-256 of all that is agreed to of a server. */
export const formDigest = (form: McpForm): string => digestOf(JSON.stringify(inKeyOrder(form)));

/** In what a server is not what was agreed to: names of its settings. */
export function changedFields(agreed: McpForm, form: McpForm): readonly string[] {
  const [before, now] = [agreed, form] as readonly Readonly<Record<string, unknown>>[];
  const fields = [...new Set([...Object.keys(agreed), ...Object.keys(form)])];
  return fields.filter((field) => JSON.stringify(before?.[field]) !== JSON.stringify(now?.[field]));
}

/** Part of the names of tools: what stands between two of their parts is `__`. */
const NAME = /^(?!.*__)[A-Za-z0-9][\w-]{0,31}$/u;

export const isServerName = (name: string): boolean => NAME.test(name);

export const NO_SERVER_NAME: InBoth = {
  en: 'The name of a server has 1 to 32 letters, digits, "_" and "-", begins with a letter or digit and holds no "__".',
  zh: "服务器名由 1 到 32 个字母、数字、“_”和“-”组成，以字母或数字开头，且不含“__”。",
};

/** Why a form is never started, whoever agrees to it; undefined: it may be. */
export function whyRefused(form: McpForm): InBoth | undefined {
  if (form.type === "http") return undefined;
  return whyNotStarted([form.command, ...form.args]);
}

const SHELLS = new Set(["sh", "bash", "zsh", "dash", "ksh", "fish", "cmd", "powershell", "pwsh", "eval"]);
const SHELL_SWITCH = /^(?:-[a-z]*c|--command|\/[ck]|-(?:e|ec|encodedcommand|command))$/iu;

function whyNotStarted(words: readonly string[]): InBoth | undefined {
  const [command = "", ...args] = words;
  const program = basename(command)
    .replace(/\.(?:exe|cmd|bat|ps1)$/iu, "")
    .toLowerCase();
  if (program === "env") return whyNotStarted(args.slice(args.findIndex((arg) => !/^(?:-|\w+=)/u.test(arg))));
  if (SHELLS.has(program) && args.some((arg) => SHELL_SWITCH.test(arg))) return noShell(program);
  const runner = runnerOf(program, args);
  if (runner === undefined) return undefined;
  const packages = packagesOf(runner.args);
  if (packages === undefined) return noShell(program);
  const loose = packages.length === 0 ? [""] : packages.filter((name) => !isPinned(name, runner.python));
  return loose[0] === undefined ? undefined : notPinned(program, loose[0], runner.python);
}

const noShell = (program: string): InBoth => ({
  en: `A server is a program with its arguments, not a line for a shell: name the program in place of ${program}.`,
  zh: `服务器是一个程序及其参数，而不是交给 shell 的一行命令：请直接写程序，不要写 ${program}。`,
});

const notPinned = (program: string, name: string, python: boolean): InBoth => {
  const bare = /^@?[^@=]+/u.exec(name)?.[0] ?? "PACKAGE";
  const example = `${program} ${bare === "" ? "PACKAGE" : bare}${python ? "==" : "@"}1.2.3`;
  return {
    en: `${program} would fetch whatever is newest${name === "" ? "" : ` of ${name}`}: name the exact version, as in ${example}.`,
    zh: `${program} 会取来${name === "" ? "" : ` ${name} 的`}任何最新版本：请写明确切的版本，例如 ${example}。`,
  };
};

interface Runner {
  readonly args: readonly string[];
  readonly python: boolean;
}

/** Programs that fetch what they run. */
function runnerOf(program: string, args: readonly string[]): Runner | undefined {
  const [verb = "", ...rest] = args;
  switch (program) {
    case "npx":
    case "bunx":
    case "pnpx":
      return { args, python: false };
    case "npm":
      return verb === "exec" || verb === "x" ? { args: rest, python: false } : undefined;
    case "pnpm":
    case "yarn":
      return verb === "dlx" ? { args: rest, python: false } : undefined;
    case "bun":
      return verb === "x" ? { args: rest, python: false } : undefined;
    case "uvx":
      return { args, python: true };
    case "uv":
      return verb === "tool" && rest[0] === "run" ? { args: rest.slice(1), python: true } : undefined;
    case "pipx":
      return verb === "run" ? { args: rest, python: true } : undefined;
    default:
      return undefined;
  }
}

/** Options that name a package, and those that take another word. */
const NAMING = /^(?:-p|--package|--from|--with|--spec)$/u;
const WORDED = /^(?:--registry|--python|--index-url|--index|--cache|--prefix|-w|--workspace|--userconfig)$/u;

interface Word {
  /** How many words it takes. */
  readonly width: number;
  readonly name?: string;
  /** `package`: what is run comes out of it; `with`: it is fetched too; `first`: the first word that is no option; `shell`: a line. */
  readonly is: "package" | "with" | "first" | "shell" | "other";
}

function readWord(word: string, next = ""): Word {
  const [option, value] = splitOption(word);
  const width = value === undefined ? 2 : 1;
  if (NAMING.test(option)) return { width, name: value ?? next, is: option === "--with" ? "with" : "package" };
  if (/^(?:-c|--call)$/u.test(option)) return { width, is: "shell" };
  if (WORDED.test(option)) return { width, is: "other" };
  return word.startsWith("-") ? { width: 1, is: "other" } : { width: 1, name: word, is: "first" };
}

/** What would be fetched: what options name, and without one of them the first word. Undefined: a shell decides. */
function packagesOf(args: readonly string[]): readonly string[] | undefined {
  const names: string[] = [];
  let isNamed = false;
  for (let at = 0; at < args.length;) {
    const { width, name, is } = readWord(args[at] ?? "", args[at + 1]);
    if (is === "shell") return undefined;
    if (is === "first" && isNamed) return names;
    if (name !== undefined) names.push(name);
    if (is === "first") return names;
    isNamed ||= is === "package";
    at += width;
  }
  return isNamed ? names : [];
}

function splitOption(arg: string): [string, string | undefined] {
  const at = arg.indexOf("=");
  return at < 0 || !arg.startsWith("--") ? [arg, undefined] : [arg.slice(0, at), arg.slice(at + 1)];
}

const EXACT = /^\d+\.\d+\.\d+[\w.+-]*$/u;

/** One version, or one commit; what lies on this disk is what its owner has put there. */
function isPinned(name: string, python: boolean): boolean {
  if (/^(?:\.{0,2}\/|file:)/u.test(name)) return true;
  if (/^(?:git\+|https?:|git:|ssh:|github:)/u.test(name)) return /[#@][0-9a-f]{40}$/u.test(name);
  const version =
    (python ? /^[\w.-]+(?:\[[\w,-]+\])?(?:==|@)(.+)$/u : /^(?:@[^@/]+\/)?[^@/]+@(.+)$/u).exec(name)?.[1] ?? "";
  return python ? /^\d+(?:\.\d+)+[\w.+!-]*$/u.test(version) : EXACT.test(version);
}
