import { judgeAwk } from "./awk.ts";
import { shownName } from "./findings.ts";
import { judgeGit } from "./git.ts";
import { MACHINE } from "./machine.ts";
import {
  firstProblem,
  firstTreeProblem,
  parseWords,
  unknownOption,
  type Judge,
  type Setting,
  type Syntax,
  type TreeReading,
} from "./options.ts";
import { judgeFind, judgeJq, judgePrintf, judgeSed, judgeTest, judgeYq } from "./scripts.ts";
import { program, words } from "./table.ts";

/** The first operand is a pattern, unless an option gave it; a recursive search must be free to read the whole tree. */
function searcher(name: string, syntax: Syntax, always?: TreeReading): [string, Judge] {
  return [
    name,
    (given, setting) => {
      const parsed = parseWords(given, syntax);
      if (typeof parsed === "string") return unknownOption(name, parsed);
      const patternGiven = ["-e", "--regexp", "--files"].some((option) => parsed.options.includes(option));
      const paths = parsed.operands.slice(patternGiven ? 0 : 1).filter((path) => path !== "-");
      // Names that are asked for are searched also where they are hidden.
      const chooses = ["-g", "--glob", "--iglob"].some((option) => parsed.options.includes(option));
      const recursive =
        always !== undefined || parsed.options.some((option) => option === "-r" || option === "--recursive");
      if (!recursive) return firstProblem(paths, setting);
      return firstTreeProblem(paths.length === 0 ? ["."] : paths, setting, chooses ? {} : always);
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
    "after-context= before-context= sort= quiet text column trim no-config files",
};

const CHECKSUM: Syntax = { flags: "btz", long: "binary text tag zero" };

const DIFF: Syntax = {
  flags: "abBcdeEinNpqrstTuwy",
  valued: "UCWI",
  long:
    "brief unified? context? side-by-side ignore-case ignore-all-space ignore-space-change ignore-blank-lines color? " +
    "text strip-trailing-cr report-identical-files recursive new-file",
};

/** Also without -r it reads the files of a folder, and follows the links there. */
const judgeDiff: Judge = (given, setting) => {
  const parsed = parseWords(given, DIFF);
  if (typeof parsed === "string") return unknownOption("diff", parsed);
  const paths = [...parsed.operands, ...parsed.values].filter((path) => path !== "-");
  return firstTreeProblem(paths, setting, { links: true });
};

/** GNU reads options from a file behind @. */
const judgeStrings: Judge = (given, setting) => {
  const listed = given.find((word) => word.startsWith("@"));
  if (listed !== undefined) return unknownOption("strings", listed);
  return program("strings", "paths", { flags: "a", valued: "n" })[1](given, setting);
};

const judgePager: Judge = (given, setting) => {
  const parsed = parseWords(given, { flags: "NSRFXnisr", long: "LINE-NUMBERS chop-long-lines quit-if-one-screen" });
  if (typeof parsed === "string") return unknownOption("A pager", parsed);
  const commands = parsed.operands.find((operand) => operand.startsWith("+"));
  return commands === undefined ? firstProblem(parsed.operands, setting) : unknownOption("A pager", commands);
};

const judgeXml: Judge = (given, setting) => {
  const parsed = parseWords(given, { long: "noout format nonet" });
  if (typeof parsed === "string") return unknownOption("xmllint", parsed);
  const address = parsed.operands.find((operand) => operand.includes("://"));
  return address === undefined ? firstProblem(parsed.operands, setting) : "xmllint reads from the network.";
};

/** Only what cannot write, run programs, reach the network or show the environment, whatever its operands. */
const PROGRAMS: ReadonlyMap<string, Judge> = new Map<string, Judge>([
  ...["true", "false", ":", "echo", "exit", "sleep"].map(words),
  program("pwd", "none", { flags: "LP" }),
  program("df", "paths", { flags: "ahHiklPT", long: "human-readable" }),
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
  // Without a terminal they show a file as it is; + begins commands of their own.
  ...["less", "more"].map((name): [string, Judge] => [name, judgePager]),
  program("join", "paths", { flags: "i", valued: "12jtavoe" }),
  program("fmt", "paths", { flags: "cstu", valued: "wgp", digits: true }),
  program("expand", "paths", { flags: "i", valued: "t" }),
  program("unexpand", "paths", { flags: "a", valued: "t" }),
  program("xxd", "one-path", { flags: "bipu", valued: "lsgc" }),
  program("shuf", "paths", { flags: "erz", valued: "ni" }),
  program("factor", "text"),
  program("expr", "text"),
  program("yes", "text"),
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
  ["diff", judgeDiff],
  program("cmp", "paths", { flags: "bls", valued: "n" }),
  program("comm", "paths", { flags: "123z", long: "check-order nocheck-order total" }),
  program("sort", "paths", {
    flags: "bdfghiMnRrVuzcCs",
    valued: "kt",
    long: "numeric-sort human-numeric-sort version-sort reverse unique ignore-case key= field-separator= stable check",
  }),
  // Their second operand is a file they write.
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
  ["strings", judgeStrings],
  program("base64", "paths", { flags: "di", valued: "w" }),
  ...["md5sum", "sha1sum", "sha256sum", "sha512sum", "b2sum"].map((name) => program(name, "paths", CHECKSUM)),
  program("cksum", "paths"),
  ...["grep", "egrep", "fgrep"].map((name) => searcher(name, GREP)),
  searcher("rg", RIPGREP, { visible: true }),
  ["find", judgeFind],
  ["sed", judgeSed],
  ["awk", judgeAwk],
  ["jq", judgeJq],
  ["yq", judgeYq],
  ["xmllint", judgeXml],
  ["printf", judgePrintf],
  ["test", judgeTest],
  ["[", judgeTest],
  ["git", judgeGit],
  ...MACHINE,
]);

/** Programs that do nothing with their words but write them. */
const ANY_TEXT = new Set(["true", "false", ":", "echo", "exit", "sleep", "seq", "printf", "expr"]);

export const takesAnyText = (name: string): boolean => ANY_TEXT.has(name);

export function judgeProgram(name: string, given: readonly string[], setting: Setting): string | undefined {
  const judge = PROGRAMS.get(name);
  return judge === undefined ? `${shownName(name)} is not known to only read.` : judge(given, setting);
}
