import { firstProblem, parseWords, unknownOption, type Judge } from "./options.ts";

/** awk can write files and run programs; what only looks at fields and prints cannot. */
export const judgeAwk: Judge = (words, setting) => {
  const parsed = parseWords(words, { valued: "F" });
  if (typeof parsed === "string") return unknownOption("awk", parsed);
  const [script, ...paths] = parsed.operands;
  if (script === undefined || !onlyReads(script)) return "The script of awk is not known to only read.";
  return firstProblem(paths, setting);
};

const FUNCTIONS = new Set("length substr split index tolower toupper sprintf int gsub sub match".split(" "));
const KEYWORDS = new Set("BEGIN END print printf if else for in while next exit".split(" "));
const GIVEN = new Set("NR NF FNR FS OFS ORS RS FILENAME".split(" "));
const OWN_VARIABLE = /^[a-z]\w{0,20}$/;
/** They read, write or run something, or are read otherwise than they look. */
const FORBIDDEN = new Set(
  "getline system close fflush function func delete return do break continue nextfile switch case default include load eval namespace length".split(
    " ",
  ),
);

const TOKEN =
  /(?<space>[ \t]+)|(?<number>\d+(?:\.\d+)?)|(?<name>[A-Za-z_]\w*)|(?<text>"(?:[^"\\\n]|\\[^\n])*")|(?<sign>\+\+|--|\+=|-=|\*=|==|!=|<=|>=|&&|\|\||!~|[-+*%=<>!~?:,;(){}[\]$\n])|(?<slash>\/)/y;

/** Behind these a slash begins a pattern; behind an operand it divides; behind all else nobody says. */
const BEFORE_PATTERN = new Set(["", "{", "}", ";", "\n", "(", ",", "~", "!~", "&&", "||", "!"]);

interface Reader {
  at: number;
  /** The token before. */
  last: string;
  /** A `>` would name a file. */
  prints: boolean;
}

/** Characters; a longer script is more than a look. */
const MAX_SCRIPT = 1_000;

/** Token by token: what is not known is not taken for harmless. */
function onlyReads(script: string): boolean {
  if (script.length > MAX_SCRIPT) return false;
  const reader: Reader = { at: 0, last: "", prints: false };
  while (reader.at < script.length) if (!readToken(script, reader)) return false;
  return true;
}

function readToken(script: string, reader: Reader): boolean {
  TOKEN.lastIndex = reader.at;
  const groups = TOKEN.exec(script)?.groups;
  if (groups === undefined) return false;
  reader.at = TOKEN.lastIndex;
  const { space, name, sign, slash } = groups;
  if (space !== undefined) return true;
  if (slash !== undefined) return readSlash(script, reader);
  if (name !== undefined) return readName(name, script, reader);
  if (sign !== undefined) return readSign(sign, reader);
  reader.last = "operand";
  return true;
}

function readSlash(script: string, reader: Reader): boolean {
  if (reader.last === "operand" || reader.last === "]") {
    reader.last = "/";
    return true;
  }
  if (!BEFORE_PATTERN.has(reader.last)) return false;
  const pattern = /(?:[^/\\\n[]|\\[^\n])+\//y;
  pattern.lastIndex = reader.at;
  if (!pattern.test(script)) return false;
  reader.at = pattern.lastIndex;
  reader.last = "pattern";
  return true;
}

function readName(name: string, script: string, reader: Reader): boolean {
  const isCalled = script[reader.at] === "(";
  const isFollowed = /^[ \t]*\(/.test(script.slice(reader.at));
  if (KEYWORDS.has(name)) {
    if (name.startsWith("print")) reader.prints = true;
    reader.last = "keyword";
    return true;
  }
  if (FUNCTIONS.has(name) && (isCalled || name === "length")) {
    reader.last = isCalled ? "function" : "length";
    return true;
  }
  const isVariable = GIVEN.has(name) || (OWN_VARIABLE.test(name) && !FORBIDDEN.has(name));
  reader.last = "operand";
  return isVariable && !isFollowed;
}

function readSign(sign: string, reader: Reader): boolean {
  if (sign === ">" && reader.prints) return false;
  // A line break may stand inside of a statement.
  if (sign === ";" || sign === "{" || sign === "}") reader.prints = false;
  // Two minus or plus signs may stand before or behind what they count.
  reader.last = sign === "++" || sign === "--" ? "count" : sign;
  return true;
}
