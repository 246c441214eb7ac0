import {
  firstProblem,
  firstTreeProblem,
  parseWords,
  unknownOption,
  type Judge,
  type Setting,
  type Syntax,
} from "./options.ts";

const HISTORY: Syntax = {
  flags: "puwbMmRz",
  valued: "nUSG",
  digits: true,
  long:
    "oneline graph all decorate? author= committer= grep= since= until= after= before= max-count= skip= reverse merges " +
    "no-merges first-parent format= pretty? follow abbrev-commit abbrev? date= tags branches remotes stat? shortstat " +
    "numstat name-only name-status summary patch no-patch color? no-color unified= word-diff? ignore-all-space " +
    "ignore-space-change minimal raw cached staged exit-code quiet no-ext-diff no-textconv diff-filter= topo-order " +
    "date-order left-right cherry-pick check compact-summary find-renames? no-renames relative?",
};

interface Subcommand {
  readonly syntax: Syntax;
  /** `none`: with an operand it would change something; `verb`: without one. */
  readonly operands: "none" | "revisions" | "verb";
  /** First operands that change nothing either. */
  readonly verbs?: readonly string[];
}

/** Security §3.1: the subcommands that only read. */
const SUBCOMMANDS: ReadonlyMap<string, Subcommand> = new Map<string, Subcommand>([
  [
    "status",
    {
      operands: "revisions",
      syntax: { flags: "sbvz", long: "short branch porcelain? long show-stash ignored? untracked-files? verbose" },
    },
  ],
  ["diff", { operands: "revisions", syntax: HISTORY }],
  ["log", { operands: "revisions", syntax: HISTORY }],
  ["show", { operands: "revisions", syntax: HISTORY }],
  ["shortlog", { operands: "revisions", syntax: { flags: "sne", long: "summary numbered email" } }],
  ["branch", { operands: "none", syntax: { flags: "avr", long: "all remotes list show-current verbose no-color" } }],
  ["tag", { operands: "none", syntax: { flags: "l", long: "list" } }],
  [
    "rev-parse",
    {
      operands: "revisions",
      syntax: { long: "show-toplevel abbrev-ref? short? verify is-inside-work-tree git-dir show-prefix" },
    },
  ],
  [
    "ls-files",
    {
      operands: "revisions",
      syntax: { flags: "cdmosz", long: "others modified cached deleted stage exclude-standard" },
    },
  ],
  ["ls-tree", { operands: "revisions", syntax: { flags: "drtlz", long: "name-only full-tree" } }],
  ["blame", { operands: "revisions", syntax: { flags: "wlse", valued: "L" } }],
  [
    "rev-list",
    { operands: "revisions", syntax: { ...HISTORY, long: `${HISTORY.long} count objects no-object-names` } },
  ],
  ["merge-base", { operands: "revisions", syntax: { long: "is-ancestor all octopus fork-point" } }],
  ["cat-file", { operands: "revisions", syntax: { flags: "pts" } }],
  ["show-ref", { operands: "revisions", syntax: { flags: "s", long: "heads tags head hash? abbrev? verify" } }],
  ["name-rev", { operands: "revisions", syntax: { long: "name-only tags all" } }],
  ["count-objects", { operands: "none", syntax: { flags: "vH" } }],
  ["check-ignore", { operands: "revisions", syntax: { flags: "vqn" } }],
  [
    "grep",
    {
      operands: "revisions",
      syntax: {
        flags: "nilLcwvEFPGhHopqIaW",
        valued: "ABCe",
        long: "line-number ignore-case files-with-matches count word-regexp cached heading break show-function column",
      },
    },
  ],
  // Of these the first word says what they do.
  ["remote", { operands: "none", syntax: { flags: "v", long: "verbose" }, verbs: ["get-url"] }],
  ["stash", { operands: "verb", syntax: HISTORY, verbs: ["list", "show"] }],
  ["worktree", { operands: "verb", syntax: { long: "porcelain" }, verbs: ["list"] }],
  ["reflog", { operands: "none", syntax: HISTORY, verbs: ["show", "exists"] }],
  ["describe", { operands: "revisions", syntax: { long: "tags always all long abbrev?" } }],
]);

export const judgeGit: Judge = (words, setting) => {
  const given = words[0] === "--no-pager" ? words.slice(1) : words;
  const [name = "", ...rest] = given;
  if (name === "--version" && rest.length === 0) return undefined;
  return (
    setting.place.whyNotGit(setting.folder) ??
    (name === "config" ? configProblem(rest) : judgeLook(name, rest, setting))
  );
};

function judgeLook(name: string, rest: readonly string[], setting: Setting): string | undefined {
  const subcommand = SUBCOMMANDS.get(name);
  if (subcommand === undefined) return `git ${name} is not known to only read.`;
  const parsed = parseWords(rest, subcommand.syntax);
  if (typeof parsed === "string") return unknownOption(`git ${name}`, parsed);
  const changes = whyChanges(name, subcommand, parsed.operands[0]);
  if (changes !== undefined) return changes;
  // %G asks the signing program about each commit.
  if (rest.some((word) => /%G/.test(word))) return "git would run the program that checks signatures.";
  const operands = [...parsed.operands, ...parsed.values];
  // Outside of a repository it compares all that is in two folders.
  return operandProblem(operands, setting) ?? (name === "diff" ? firstTreeProblem(operands, setting) : undefined);
}

function whyChanges(name: string, { operands, verbs = [] }: Subcommand, verb: string | undefined): string | undefined {
  if (operands === "revisions" || (verb !== undefined && verbs.includes(verb))) return undefined;
  if (operands === "verb") return `git ${name} is not known to only read.`;
  return verb === undefined ? undefined : `git ${name} with a name changes something.`;
}

/** Settings that hold no secret and name no address. */
const PLAIN_SETTING =
  /^(?:user\.(?:name|email)|core\.[\w-]+|init\.defaultBranch|pull\.\w+|push\.\w+|branch\.[\w./-]+|color\.\w+)$/i;

function configProblem(words: readonly string[]): string | undefined {
  const [how, name = "", ...more] = words;
  const isLook = (how === "--get" || how === "get") && PLAIN_SETTING.test(name) && more.length === 0;
  return isLook ? undefined : "git config may change settings, or show secret ones.";
}

/** An operand may be a revision, a path, or REVISION:PATH; each is judged as the path it may be. */
const operandProblem = (operands: readonly string[], setting: Setting): string | undefined =>
  firstProblem(
    operands.flatMap((operand) => {
      const colon = operand.indexOf(":");
      return colon === -1 ? [operand] : [operand, operand.slice(colon + 1) || "."];
    }),
    setting,
  );
