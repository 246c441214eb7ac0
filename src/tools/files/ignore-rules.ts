import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { globMatcher } from "./glob.ts";

/** Bytes; a longer file of patterns is not read. */
const MAX_FILE = 1024 * 1024;

/** Later ones count more; the first two only in a git repository. */
const FILES = [join(".git", "info", "exclude"), ".gitignore", ".ignore", ".rgignore"] as const;
const OF_GIT = 2;

/** What the files of one folder leave out, as ripgrep reads them. */
interface Rules {
  /** With "/" at its end; empty for the folder that was asked for. */
  readonly prefix: string;
  readonly patterns: readonly Pattern[];
}

interface Pattern {
  readonly leavesOut: boolean;
  readonly foldersOnly: boolean;
  /** Of a path relative to the folder of its file, and its last name. */
  readonly matches: (path: string, name: string) => boolean;
}

/** Says of names on the way down what is left out; each folder knows its own rules and those above it. */
export interface IgnoreRules {
  /** `path` is relative to where the search began. */
  leavesOut(path: string, name: string, isFolder: boolean): boolean;
  /** The rules in a folder of that relative path, which `real` names. */
  below(path: string, real: string): IgnoreRules;
}

export const NO_RULES: IgnoreRules = { leavesOut: () => false, below: () => NO_RULES };

/** The rules where a search begins: those of the folders above it count too, up to the repository's own. */
export function ignoreRulesAt(root: string): IgnoreRules {
  const above: Rules[] = [];
  const top = repositoryOf(root);
  for (let folder = root, below = ""; ; folder = dirname(folder)) {
    const patterns = patternsIn(folder, top !== undefined && folder.length >= top.length);
    if (patterns.length > 0) above.unshift({ prefix: `${below}`, patterns });
    if (folder === dirname(folder)) break;
    below = `${folder.slice(dirname(folder).length).replace(/^\//, "")}/${below}`;
  }
  // Of a folder above, paths begin with the names on the way down.
  return rulesOf(
    above.map(({ prefix, patterns }) => ({ prefix: "", patterns: patterns.map((each) => moved(each, prefix)) })),
    top !== undefined,
  );
}

const moved = (pattern: Pattern, prefix: string): Pattern => ({
  ...pattern,
  matches: (path, name) => pattern.matches(prefix + path, name),
});

function rulesOf(rules: readonly Rules[], inRepository: boolean): IgnoreRules {
  return {
    leavesOut: (path, name, isFolder) => {
      for (let at = rules.length - 1; at >= 0; at -= 1) {
        const { prefix = "", patterns = [] } = rules[at] ?? {};
        const own = path.slice(prefix.length);
        const said = patterns.findLast((pattern) => (isFolder || !pattern.foldersOnly) && pattern.matches(own, name));
        if (said !== undefined) return said.leavesOut;
      }
      return false;
    },
    below: (path, real) => {
      const isRepository = inRepository || existsSync(join(real, ".git"));
      const patterns = patternsIn(real, isRepository);
      if (patterns.length === 0 && isRepository === inRepository) return rulesOf(rules, inRepository);
      return rulesOf(patterns.length === 0 ? rules : [...rules, { prefix: `${path}/`, patterns }], isRepository);
    },
  };
}

/** The nearest folder above that holds a repository. */
function repositoryOf(root: string): string | undefined {
  for (let folder = root; ; folder = dirname(folder)) {
    if (existsSync(join(folder, ".git"))) return folder;
    if (folder === dirname(folder)) return undefined;
  }
}

const patternsIn = (folder: string, isInRepository: boolean): Pattern[] =>
  FILES.slice(isInRepository ? 0 : OF_GIT).flatMap((name) => linesOf(join(folder, name)).flatMap(patternOf));

function linesOf(path: string): string[] {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats?.isFile() !== true || stats.size > MAX_FILE) return [];
    return readFileSync(path, "utf8")
      .replace(/^\uFEFF/, "")
      .split(/\r?\n/);
  } catch {
    return [];
  }
}

function patternOf(line: string): Pattern[] {
  const text = line.replace(/(?<!\\)\s+$/, "");
  if (text === "" || text.startsWith("#")) return [];
  const leavesOut = !text.startsWith("!");
  const bare = leavesOut ? text : text.slice(1);
  const foldersOnly = bare.endsWith("/");
  const glob = bare.replace(/^\\(?=[!#])/, "").replace(/\/$/, "");
  return glob === "" ? [] : [{ leavesOut, foldersOnly, matches: matcherOf(glob) }];
}

/** Most patterns are a name or an ending, and each is asked of every name there is. */
function matcherOf(glob: string): Pattern["matches"] {
  const isAnchored = glob.includes("/");
  if (!isAnchored && !/[*?[\]{}\\]/.test(glob)) return (_, name) => name === glob;
  const ending = /^\*(\.[\w.-]+)$/.exec(glob)?.[1];
  if (ending !== undefined) return (_, name) => name.endsWith(ending);
  const rest = glob.replace(/^\//, "").replace(/\/\*\*$/, "/*");
  const matches = tryMatcher(rest);
  if (!isAnchored) return (_, name) => matches(name);
  return rest.includes("/") ? matches : (path) => !path.includes("/") && matches(path);
}

/** A pattern with too many alternatives leaves nothing out. */
function tryMatcher(glob: string): (path: string) => boolean {
  try {
    return globMatcher(glob);
  } catch {
    return () => false;
  }
}
