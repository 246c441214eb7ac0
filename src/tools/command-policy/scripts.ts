import { firstProblem, parseWords, unknownOption, type Judge, type Setting } from "./options.ts";

// Programs whose operands are small programs themselves: only plain forms are known to read only.

const FIND_ALONE = new Set(
  (
    "-print -print0 -ls -empty -true -false -not ! -a -and -o -or ( ) , -depth -xdev -mount -prune -quit -readable " +
    "-writable -executable -daystart -noleaf"
  ).split(" "),
);
const FIND_VALUED = new Set(
  (
    "-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -type -xtype -size -maxdepth " +
    "-newer -mindepth -mtime -mmin -atime -amin -ctime -cmin -perm -user -group -uid -gid -links -inum -printf"
  ).split(" "),
);

/** find names files, it does not read them; what it can do to them is in the options left out. */
export const judgeFind: Judge = (words, setting) => {
  const start = words.findIndex((word) => /^[-(!,]/.test(word) && word !== "-P" && word !== "-H");
  const head = start === -1 ? words : words.slice(0, start);
  const why = firstProblem(
    head.filter((word) => !word.startsWith("-")),
    setting,
  );
  if (why !== undefined) return why;
  for (let at = head.length; at < words.length; at += 1) {
    const word = words[at] ?? "";
    if (FIND_VALUED.has(word)) at += 1;
    else if (!FIND_ALONE.has(word)) return unknownOption("find", word);
  }
  return undefined;
};

const SED_ADDRESS = String.raw`(?:\d+|\$)(?:,(?:\+?\d+|\$))?`;
const SED_PRINT = new RegExp(
  String.raw`^\s*(?:(?:${SED_ADDRESS}|/[^/\\\n]*/)?\s*[pdq=])(?:\s*;\s*(?:${SED_ADDRESS})?[pdq=])*\s*;?\s*$`,
);
const SED_REPLACE = /^s([/|,#])(?:(?!\1)[^\\\n])*\1(?:(?!\1)[^\\\n])*\1[gpiI\d]*$/;

/** sed can write files and run programs; printing, deleting and plain replacing of lines in its output cannot. */
export const judgeSed: Judge = (words, setting) => {
  const parsed = parseWords(words, { flags: "nErsuz", long: "quiet silent regexp-extended" });
  if (typeof parsed === "string") return unknownOption("sed", parsed);
  const [script, ...paths] = parsed.operands;
  if (script === undefined) return "sed has no script.";
  if (!SED_PRINT.test(script) && !SED_REPLACE.test(script)) return "The script of sed is not known to only read.";
  return firstProblem(paths, setting);
};

const JQ_FILTER = /^[.\w[\]|\s"':,(){}?+*=!<>-]*$/;
const JQ_REACHES_OUT =
  /\b(?:env|import|include|modulemeta|input_filename|debug|stderr|halt_error|get_search_list|load\w*|system|strenv|envsubst|eval|input_line_number|\$__loc__)\b/;

/** jq can show the environment and load modules; plain filters cannot. */
export const judgeJq: Judge = (words, setting) => judgeFilter("jq", words, setting);

/** The same; what is called -s elsewhere writes files here. Words in front may be commands of its own, or files. */
export const judgeYq: Judge = (words, setting) => {
  const first = words.find((word) => !word.startsWith("-")) ?? "";
  if (!/^[.[({"]/.test(first)) return `yq ${first} is not known to only read.`;
  return firstProblem([first], setting) ?? judgeFilter("yq", words, setting);
};

const FILTER_SYNTAX = {
  jq: { flags: "rceSsnMCaj", long: "raw-output compact-output sort-keys slurp null-input" },
  yq: { flags: "reCM" },
} as const;

function judgeFilter(name: "jq" | "yq", words: readonly string[], setting: Setting): string | undefined {
  const parsed = parseWords(words, FILTER_SYNTAX[name]);
  if (typeof parsed === "string") return unknownOption(name, parsed);
  const [filter = ".", ...paths] = parsed.operands;
  if (!JQ_FILTER.test(filter) || JQ_REACHES_OUT.test(filter)) return `The filter of ${name} is not known to only read.`;
  return firstProblem(paths, setting);
}

/** -v and %n assign, and assigning to an array element evaluates its subscript. */
export const judgePrintf: Judge = (words) => {
  const [format = ""] = words[0] === "--" ? words.slice(1) : words;
  if (words[0]?.startsWith("-") === true && words[0] !== "--") return unknownOption("printf", words[0]);
  return /%[^%a-zA-Z]*[hlLjzt]*n/.test(format) ? "The format of printf sets a variable." : undefined;
};

/** -v and -R evaluate a subscript; what looks like a path is judged like one. */
export const judgeTest: Judge = (words, setting: Setting) => {
  const risky = words.find((word) => word === "-v" || word === "-R");
  if (risky !== undefined) return unknownOption("test", risky);
  return firstProblem(
    words.filter((word) => word.includes("/")),
    setting,
  );
};
