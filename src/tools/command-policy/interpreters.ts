import { textsOf } from "./arguments.ts";
import type { Arg } from "./findings.ts";

const SHELL = /^(?:sh|bash|zsh|dash|ksh\d*|mksh|ash|rbash|fish|csh|tcsh)$/;
const OTHER =
  /^(?:python[\d.]*|pypy\d*|ipython\d*|node|nodejs|deno|bun|perl[\d.]*|ruby[\d.]*|php[\d.]*|lua(?:jit)?[\d.]*|osascript|pwsh|powershell|tclsh|wish|expect|Rscript|julia|ghci|runghc|groovy|scala|irb|guile|ts-node|tsx|jshell|gawk|mawk|nawk|awk)$/;

export const isShell = (name: string): boolean => SHELL.test(name);
export const isInterpreter = (name: string): boolean => isShell(name) || OTHER.test(name);

/** Code that the shell would read, where it is written out. */
export function shellCode(args: readonly Arg[]): string | undefined {
  let hasCode = false;
  for (let at = 0; at < args.length; at += 1) {
    const { text = "" } = args[at] ?? {};
    if (text === "--" || text === "-") continue;
    if (/^[-+]/.test(text)) {
      if (/^-[a-zA-Z]*c/.test(text)) hasCode = true;
      if (/^[-+][a-zA-Z]*[oO]$/.test(text) || /^--(?:rcfile|init-file)$/.test(text)) at += 1;
      continue;
    }
    return hasCode ? text : undefined;
  }
  return undefined;
}

/** It reads its code from what is piped into it. */
export const readsInput = (args: readonly Arg[]): boolean => {
  const texts = textsOf(args);
  if (texts.some((text) => /^-[a-z]*s/.test(text) || text === "-" || text === "/dev/stdin")) return true;
  return texts.every((text) => text.startsWith("-") && !/^-[a-zA-Z]*[ce]/.test(text));
};

/** Builtins that take code, or change what later names mean. */
export function builtinCode(
  name: string,
  args: readonly Arg[],
): { readonly why: string; readonly code: string[] } | undefined {
  const texts = textsOf(args);
  switch (name) {
    case "eval":
      return { why: "eval runs text as a command.", code: [texts.join(" ")] };
    case "trap":
      return { why: "trap runs a command later.", code: texts.slice(0, 1) };
    case "alias":
      return {
        why: "alias gives a name another meaning.",
        code: texts.map((text) => text.slice(text.indexOf("=") + 1)),
      };
    case "source":
    case ".":
      return { why: `${name} runs a file in this shell.`, code: [] };
    case "enable":
    case "hash":
    case "set":
    case "shopt":
    case "export":
    case "declare":
    case "typeset":
    case "readonly":
    case "local":
    case "unset":
    case "bind":
    case "complete":
    case "mapfile":
    case "readarray":
    case "read":
    case "let":
    case "getopts":
      return { why: `${name} changes the shell that runs the command.`, code: [] };
    default:
      return undefined;
  }
}
