import { judgeGit } from "./git.ts";
import {
  firstProblem,
  firstTreeProblem,
  parseWords,
  unknownOption,
  type Judge,
  type Setting,
  type Syntax,
} from "./options.ts";
import { judgeAwk, judgeFind, judgeJq, judgePrintf, judgeSed, judgeTest } from "./scripts.ts";

type Operands = "none" | "text" | "paths" | "one-path";

function program(name: string, operands: Operands, syntax: Syntax = {}): [string, Judge] {
  return [
    name,
    (words, setting) => {
      const parsed = parseWords(words, syntax);
      if (typeof parsed === "string") return unknownOption(name, parsed);
      const most = { none: 0, text: Infinity, paths: Infinity, "one-path": 1 }[operands];
      if (parsed.operands.length > most) return `${name} with ${parsed.operands.length} operands may change something.`;
      if (operands === "none" || operands === "text") return undefined;
      // Another system's version of the program may take a value for an operand, so values must be as free.
      return firstProblem(
        [...parsed.operands, ...parsed.values].filter((path) => path !== "-"),
        setting,
      );
    },
  ];
}

/** Every word is only text. */
const words = (name: string): [string, Judge] => [name, () => undefined];

/** The first operand is a pattern, unless an option gave it; a recursive search must be free to read the whole tree. */
function searcher(name: string, syntax: Syntax, alwaysRecursive: boolean): [string, Judge] {
  return [
    name,
    (given, setting) => {
      const parsed = parseWords(given, syntax);
      if (typeof parsed === "string") return unknownOption(name, parsed);
      const patternGiven = parsed.options.includes("-e") || parsed.options.includes("--regexp");
      const paths = parsed.operands.slice(patternGiven ? 0 : 1).filter((path) => path !== "-");
      const recursive = alwaysRecursive || parsed.options.some((option) => option === "-r" || option === "--recursive");
      if (!recursive) return firstProblem(paths, setting);
      return firstTreeProblem(paths.length === 0 ? ["."] : paths, setting);
    },
  ];
}

const GREP: Syntax = {
  flags: "abcEFGhHiIlLnoPqrsTUvwxyzZ",
  valued: "ABCmeD",
  digits: true,
  long:
    "ignore-case line-number recursive count files-with-matches files-without-match invert-match word-regexp " +
    "line-regexp fixed-strings extended-regexp basic-regexp perl-regexp only-matching quiet silent no-messages " +
    "no-filename with-filename text null color? colour? include= exclude= exclude-dir= max-count= after-context= " +
    "before-context= context= regexp= binary-files= byte-offset initial-tab",
};

const RIPGREP: Syntax = {
  flags: "iSsnNlcvwxFoHIUPqa0",
  valued: "ABCmegtTMd",
  long:
    "ignore-case smart-case case-sensitive line-number no-line-number files-with-matches files-without-match count " +
    "count-matches invert-match word-regexp line-regexp fixed-strings only-matching with-filename no-filename " +
    "multiline heading no-heading color= regexp= glob= iglob= type= type-not= max-count= max-depth= context= " +
    "after-context= before-context= sort= quiet text column trim no-config",
};

const CHECKSUM: Syntax = { flags: "btz", long: "binary text tag zero" };

/** Only what cannot write, run programs, reach the network or show the environment, whatever its operands. */
const PROGRAMS: ReadonlyMap<string, Judge> = new Map<string, Judge>([
  ...["true", "false", ":", "echo", "exit", "sleep"].map(words),
  program("pwd", "none", { flags: "LP" }),
  program("whoami", "none"),
  program("id", "text", { flags: "gGnruz" }),
  program("groups", "text"),
  program("uname", "none", { flags: "asnrvmpio" }),
  program("arch", "none"),
  program("nproc", "none", { long: "all" }),
  program("uptime", "none", { flags: "ps" }),
  program("hostname", "none", { flags: "fsi" }),
  program("free", "none", { flags: "bkmghtw" }),
  program("df", "paths", { flags: "ahHiklPT", long: "human-readable" }),
  ["date", (given) => judgeDate(given)],
  program("basename", "text", { flags: "az", valued: "s" }),
  program("dirname", "text", { flags: "z" }),
  program("seq", "text", { flags: "w", valued: "fs", digits: true }),
  program("which", "text", { flags: "as" }),
  program("type", "text", { flags: "aftpP" }),
  ["command", (given) => (given[0] === "-v" || given[0] === "-V" ? undefined : "command runs another program.")],
  program("ls", "paths", {
    flags: "1aAbBcCdfFgGhHiklLmnNopqQrRsStuUvxXZ",
    valued: "IwT",
    long: "all almost-all color? directory human-readable recursive reverse size sort= time= time-style= full-time group-directories-first inode classify? ignore=",
  }),
  program("tree", "paths", { flags: "adfhisptugDFCnrUv", valued: "LPI", long: "du dirsfirst noreport" }),
  program("cat", "paths", {
    flags: "AbeEnstTuv",
    long: "number number-nonblank show-all show-ends show-tabs squeeze-blank",
  }),
  program("tac", "paths", { flags: "br", valued: "s" }),
  program("rev", "paths"),
  program("nl", "paths", { flags: "p", valued: "bdfhilnsvw" }),
  program("head", "paths", { flags: "qvz", valued: "nc", digits: true, long: "lines= bytes= quiet silent verbose" }),
  program("tail", "paths", { flags: "qvz", valued: "nc", digits: true, long: "lines= bytes= quiet silent verbose" }),
  program("wc", "paths", { flags: "clmLw", long: "lines words chars bytes max-line-length" }),
  program("stat", "paths", { flags: "Lft", valued: "c", long: "format= printf= terse dereference file-system" }),
  program("file", "paths", { flags: "bLhik0", long: "brief mime mime-type mime-encoding" }),
  program("du", "paths", {
    flags: "abchHklLmsSx0",
    valued: "dBt",
    long: "human-readable summarize all total bytes max-depth= apparent-size exclude= block-size=",
  }),
  program("realpath", "paths", { flags: "emLPsqz" }),
  program("readlink", "paths", { flags: "efmnqsvz" }),
  // Not -r: it follows the links in a folder.
  program("diff", "paths", {
    flags: "abBcdeEinpqstTuwy",
    valued: "UCWI",
    long:
      "brief unified? context? side-by-side ignore-case ignore-all-space ignore-space-change ignore-blank-lines color? " +
      "text strip-trailing-cr report-identical-files",
  }),
  program("cmp", "paths", { flags: "bls", valued: "n" }),
  program("comm", "paths", { flags: "123z", long: "check-order nocheck-order total" }),
  program("sort", "paths", {
    flags: "bdfghiMnRrVuzcCs",
    valued: "kt",
    long: "numeric-sort human-numeric-sort version-sort reverse unique ignore-case key= field-separator= stable check",
  }),
  // Its second operand is a file it writes.
  program("uniq", "one-path", { flags: "cdDiuz", valued: "fsw", long: "count repeated unique ignore-case" }),
  program("cut", "paths", {
    flags: "nsz",
    valued: "bcdf",
    long: "fields= delimiter= characters= bytes= complement only-delimited output-delimiter=",
  }),
  program("paste", "paths", { flags: "sz", valued: "d" }),
  program("tr", "text", { flags: "cCdst" }),
  program("fold", "paths", { flags: "bs", valued: "w" }),
  program("column", "paths", { flags: "tnx", valued: "soc" }),
  program("od", "paths", { flags: "abcdfoxsv", valued: "AjNt" }),
  program("hexdump", "paths", { flags: "bcCdovx", valued: "ns" }),
  program("strings", "paths", { flags: "a", valued: "n" }),
  program("base64", "paths", { flags: "di", valued: "w" }),
  ...["md5sum", "sha1sum", "sha256sum", "sha512sum", "b2sum"].map((name) => program(name, "paths", CHECKSUM)),
  program("cksum", "paths"),
  ...["grep", "egrep", "fgrep"].map((name) => searcher(name, GREP, false)),
  searcher("rg", RIPGREP, true),
  ["find", judgeFind],
  ["sed", judgeSed],
  ["awk", judgeAwk],
  ["jq", judgeJq],
  ["printf", judgePrintf],
  ["test", judgeTest],
  ["[", judgeTest],
  ["git", judgeGit],
  ...["node", "python3", "python", "npm"].map(versionOnly),
]);

function versionOnly(name: string): [string, Judge] {
  const fine = (given: readonly string[]): boolean => given.length === 1 && given[0] === "--version";
  return [name, (given) => (fine(given) ? undefined : `${name} runs code.`)];
}

function judgeDate(given: readonly string[]): string | undefined {
  const parsed = parseWords(given, {
    flags: "uIR",
    valued: "d",
    long: "date= utc universal iso-8601? rfc-3339= rfc-email",
  });
  if (typeof parsed === "string") return unknownOption("date", parsed);
  return parsed.operands.every((operand) => operand.startsWith("+")) ? undefined : "date may set the clock.";
}

/** Where system programs are; a program named by another path is whatever that file holds. */
const SYSTEM_PROGRAM = /^\/(?:usr\/)?bin\/([^/]+)$/;

export const judgeProgram: (name: string, given: readonly string[], setting: Setting) => string | undefined = (
  name,
  given,
  setting,
) => {
  const plain = SYSTEM_PROGRAM.exec(name)?.[1] ?? name;
  const judge = PROGRAMS.get(plain);
  if (judge !== undefined) return judge(given, setting);
  const shown = plain.replace(/[^\x20-\x7E]/gu, (c) => `\\u{${(c.codePointAt(0) ?? 0).toString(16)}}`);
  return `${shown.slice(0, 100)} is not known to only read.`;
};
