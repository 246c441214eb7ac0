import { isDangerousName } from "../../protocol/environment-names.ts";
import { hasOption, isKnown, readLoosely, textsOf, written } from "./arguments.ts";
import type { Arg } from "./findings.ts";
import { parseWords, type Syntax } from "./options.ts";

/** What a program that runs another one runs. */
export interface Wrapped {
  /** The words of the other program; undefined: none that is written out. */
  readonly inner?: readonly Arg[];
  /** Text that a shell reads. */
  readonly script?: string;
  /** Why a person is asked whatever the other program is. */
  readonly why?: string;
  /** Variables it gets. */
  readonly sets?: readonly string[];
  readonly privilege?: true;
}

interface Plain {
  readonly syntax: Syntax;
  /** Operands of its own before the other program. */
  readonly own?: number;
  /** Why its use alone is asked about. */
  readonly why?: string;
}

/** Wrappers that do nothing to what they run. */
const PLAIN: ReadonlyMap<string, Plain> = new Map<string, Plain>([
  ["time", { syntax: { flags: "p" } }],
  ["nice", { syntax: { valued: "n", digits: true, long: "adjustment=" } }],
  ["timeout", { own: 1, syntax: { flags: "v", valued: "ks", long: "kill-after= signal= foreground preserve-status" } }],
  ["stdbuf", { syntax: { valued: "ioe", long: "input= output= error=" } }],
  ["ionice", { syntax: { flags: "t", valued: "cn", long: "class= classdata= ignore" } }],
  ["chrt", { own: 1, syntax: { flags: "bfiorv" } }],
  ["taskset", { own: 1, syntax: { flags: "c", long: "cpu-list" } }],
  ["command", { syntax: { flags: "p" } }],
  ["builtin", { syntax: {}, why: "builtin runs a command of the shell." }],
  ["exec", { syntax: { flags: "cl", valued: "a" }, why: "exec takes the place of the shell." }],
  ["nohup", { syntax: {} }],
  ["setsid", { syntax: { flags: "cfw", long: "ctty fork wait" } }],
  ["unbuffer", { syntax: { flags: "p" }, why: "unbuffer runs another program." }],
  ["strace", { syntax: { flags: "fqvc", valued: "es" }, why: "strace runs another program and watches it." }],
  ["ltrace", { syntax: { flags: "fc", valued: "e" }, why: "ltrace runs another program and watches it." }],
  ["caffeinate", { syntax: { flags: "dims" }, why: "caffeinate runs another program." }],
  ["fakeroot", { syntax: {}, why: "fakeroot runs another program." }],
  ["chroot", { own: 1, syntax: {}, why: "chroot runs a program in another root." }],
  ["unshare", { syntax: { flags: "rmuinpUf" }, why: "unshare runs a program with other rights." }],
  ["systemd-run", { syntax: { flags: "qtGP", long: "user scope pty wait" }, why: "systemd-run starts a service." }],
  ["setarch", { own: 1, syntax: { flags: "R" }, why: "setarch runs another program." }],
  ["xvfb-run", { syntax: { flags: "a" }, why: "xvfb-run runs another program." }],
  ["proxychains", { syntax: { flags: "q" }, why: "proxychains runs a program that uses the network." }],
  ["watch", { syntax: { flags: "bcdeghtx", valued: "n" }, why: "watch does not end by itself." }],
]);

const PRIVILEGED = new Set(["sudo", "doas", "pkexec", "runuser", "su", "run0"]);
const SUDO_VALUED =
  "u g h p C c r t T D R user group host prompt chdir chroot close-from role type command-timeout command";

/** What a program among these words would run; undefined when it is not known to run another. */
export function unwrap(name: string, args: readonly Arg[]): Wrapped | undefined {
  const plain = PLAIN.get(name);
  if (plain !== undefined) return unwrapPlain(name, args, plain);
  if (PRIVILEGED.has(name)) return privileged(name, args);
  switch (name) {
    case "env":
      return environment(args);
    case "busybox":
    case "toybox":
    case "coreutils":
      return args.length === 0
        ? undefined
        : { inner: args, why: `${name} ${args[0]?.text ?? ""} is not known to only read.` };
    case "flock":
    case "script":
      return withScript(name, args);
    case "parallel":
      return { inner: args.filter(({ text }) => !text.startsWith("-")), why: "parallel builds commands." };
    default:
      return undefined;
  }
}

function unwrapPlain(name: string, args: readonly Arg[], { syntax, own = 0, why }: Plain): Wrapped | undefined {
  if (name === "command" && /^-[vV]$/.test(args[0]?.text ?? "")) return undefined;
  const start = startOfInner(args, syntax);
  if (start === undefined)
    return { inner: afterOptions(args), why: `${name} is used with an option that is not known.` };
  const inner = args.slice(start + own);
  if (inner.length === 0) return undefined;
  if (name !== "watch") return { inner, ...(why !== undefined && { why }) };
  return { inner, ...(isKnown(inner) && { script: textsOf(inner).join(" ") }), ...(why !== undefined && { why }) };
}

/** Where the options of the wrapper end; undefined when one of them is not known. */
function startOfInner(args: readonly Arg[], syntax: Syntax): number | undefined {
  let at = 0;
  while (at < args.length) {
    const { text = "", certain } = args[at] ?? {};
    if (!text.startsWith("-") || text === "-") return certain === "unknown" && text === "" ? undefined : at;
    if (text === "--") return at + 1;
    const parsed = parseWords([text, "x"], syntax);
    if (typeof parsed === "string" || certain !== "known") return undefined;
    at += parsed.values.length > 0 ? 2 : 1;
  }
  return at;
}

const afterOptions = (args: readonly Arg[]): readonly Arg[] => {
  const start = args.findIndex(({ text }) => !text.startsWith("-"));
  return start === -1 ? [] : args.slice(start);
};

/** Names a program may see without doing anything else than it would. */
const HARMLESS_VARIABLE = /^(?:LC_[A-Z]+|LANG|LANGUAGE|TZ|NO_COLOR|FORCE_COLOR|CLICOLOR|COLUMNS|LINES|CI)$/;
const ASSIGNMENT = /^([A-Za-z_]\w*)=([^]*)$/;

/** Whether a variable changes nothing but how something is written. */
export const isHarmlessVariable = (name: string, value: string): boolean =>
  HARMLESS_VARIABLE.test(name) && /^[\w.@+-]*(?:\/[A-Z][\w-]+)?$/.test(value);

function environment(args: readonly Arg[]): Wrapped | undefined {
  const end = endOfEnvironment(args);
  const own = args.slice(0, end);
  const names = own.flatMap(({ text }) => ASSIGNMENT.exec(text)?.[1] ?? []);
  if (SPLIT.test(args[end]?.text ?? "")) return splitString(args.slice(end), names);
  const unset = new Set(own.flatMap(({ text }, at) => (UNSET.test(text) ? [at] : [])));
  const removed = own.flatMap(({ text }, at) => (UNSET.test(own[at - 1]?.text ?? "") ? [text] : removedBy(text)));
  const rest = args.slice(args[end]?.text === "--" ? end + 1 : end);
  // What keeps git and others from running programs of a folder is in their variables.
  if (rest.length > 0 && removed.some((name) => name === "*" || isDangerousName(name)))
    return wrappedBy(rest, names, "env takes variables away that keep programs from running others.");
  const why = own
    .filter((_, at) => !unset.has(at) && !unset.has(at - 1))
    .map(environmentProblem)
    .find((problem) => problem !== undefined);
  return wrappedBy(rest, names, why);
}

/** The names of variables; `*`: all. */
const removedBy = (text: string): string[] => {
  if (/^(?:-i|-|--ignore-environment)$/.test(text)) return ["*"];
  return text.startsWith("--unset=") ? [text.slice("--unset=".length)] : [];
};

const UNSET = /^(?:-u|--unset)$/;
const SPLIT = /^(?:-S|--split-string)/;

/** Where the words of the other program begin, or a text that is split into them. */
function endOfEnvironment(args: readonly Arg[]): number {
  const end = args.findIndex(({ text }, at) => {
    if (UNSET.test(args[at - 1]?.text ?? "")) return false;
    return SPLIT.test(text) || text === "--" || !(text.startsWith("-") || ASSIGNMENT.test(text));
  });
  return end === -1 ? args.length : end;
}

/** Why an option or an assignment of env needs a question. */
function environmentProblem(arg: Arg | undefined): string | undefined {
  const [, name, value = ""] = ASSIGNMENT.exec(arg?.text ?? "") ?? [];
  if (name !== undefined)
    return isHarmlessVariable(name, value) && arg?.certain === "known" ? undefined : `env sets ${name}.`;
  return /^(?:-i|-|--ignore-environment|-0|--null|--unset=\w+)$/.test(arg?.text ?? "")
    ? undefined
    : "env is used with an option that is not known.";
}

function wrappedBy(inner: readonly Arg[], sets: readonly string[], why: string | undefined): Wrapped | undefined {
  if (inner.length === 0 && why === undefined) return undefined;
  return { inner, sets, ...(why !== undefined && { why }) };
}

function splitString(args: readonly Arg[], sets: readonly string[]): Wrapped {
  const [first, ...rest] = args;
  const attached = (first?.text ?? "").replace(/^(?:--split-string=?|-S)/, "");
  const script = [attached, ...textsOf(rest)].join(" ").trim();
  return { script, sets, why: "env splits a text into a command." };
}

function privileged(name: string, args: readonly Arg[]): Wrapped {
  const why = `${name} raises privileges.`;
  if (name === "su" || name === "runuser") {
    const own = readLoosely(args, SUDO_VALUED);
    const script = own.options.find((option) => option.name === "c" || option.name === "command")?.value;
    if (script !== undefined) return { privilege: true, why, script: script.text };
    return { privilege: true, why, inner: name === "su" ? [] : restOf(args) };
  }
  const rest = restOf(args);
  const start = rest.findIndex(({ text }) => !ASSIGNMENT.test(text));
  return { privilege: true, why, inner: start === -1 ? [] : rest.slice(start) };
}

const optionsOnly = (args: readonly Arg[]): readonly Arg[] => args.slice(0, args.length - restOf(args).length);

/** What stands behind the options of sudo. */
function restOf(args: readonly Arg[]): readonly Arg[] {
  const [arg, ...rest] = args;
  if (arg === undefined || !arg.text.startsWith("-")) return args;
  if (arg.text === "--") return rest;
  const takesNext = readLoosely([arg, written("value")], SUDO_VALUED).operands.length === 0;
  return restOf(takesNext ? rest.slice(1) : rest);
}

/** Reads a password from what is piped into it, or from a program. */
export const readsPassword = (name: string, args: readonly Arg[]): boolean => {
  if (!PRIVILEGED.has(name)) return false;
  const own = readLoosely(optionsOnly(args), SUDO_VALUED);
  return hasOption(own, "S", "stdin", "A", "askpass");
};

function withScript(name: string, args: readonly Arg[]): Wrapped {
  const own = readLoosely(args, "c command w wait E");
  const script = own.options.find((option) => option.name === "c" || option.name === "command")?.value;
  const why = `${name} runs another program.`;
  if (script !== undefined) return { why, script: script.text };
  return { why, inner: name === "flock" ? afterOptions(args).slice(1) : [] };
}
