import type { Stats } from "node:fs";
import { lstat } from "node:fs/promises";
import type { Tool } from "../../protocol/tool.ts";
import { explain, whatItIs } from "./open-file.ts";
import {
  askAbout,
  claimPath,
  firstOutside,
  PathError,
  permittedPath,
  shownPath,
  whyAskToRead,
  type Place,
} from "../paths.ts";
import { globMatcher } from "./glob.ts";
import { listFiles, type Order } from "./list-files.ts";
import { searchContent } from "./search-content.ts";
import type { SearchRequest, SearchBounds } from "./search-request.ts";

/** Hermes §16. */
const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 1_000;
const MAX_BESIDE = 10;
/** Decision 0054. */
const BOUNDS: SearchBounds = { deadlineMs: 20_000, maxEntries: 100_000 };

export interface SearchSetting {
  readonly bounds?: SearchBounds;
  /** The PATH on which ripgrep may be. */
  readonly programs?: string;
}

/** Finds files by name or lines by content; a folder's listing is the search without a pattern. */
export function searchFilesTool(place: Place, { bounds = BOUNDS, programs = "" }: SearchSetting = {}): Tool {
  return {
    name: "search_files",
    toolset: "files",
    description:
      'List files or search in them. mode "files" (default) lists files whose name matches the glob pattern, all ' +
      'without one, with sizes and total counts; mode "content" finds lines that match the regular expression pattern ' +
      "and shows them as PATH:LINE: TEXT. Skipped are .git, node_modules and what .gitignore leaves out, in content " +
      "search also binary files, those over 5 MB and those that usually hold secrets. Links are not followed.",
    parameters: PARAMETERS,
    effect: "pure",
    concurrency: "paths",
    claim: (input) => claimPath(rootOf(input), place, "reads"),
    outside: (input) => firstOutside([rootOf(input)], place),
    ask: (input) => askAbout(rootOf(input), place, whyAskToRead),
    run: async (input, context) => {
      const root = permittedPath(rootOf(input), place, { mode: "reads", approved: context.approved });
      const shownRoot = shownPath(root, place);
      const stats = await statsOf(root, shownRoot);
      const content = input["mode"] === "content";
      const pattern = textOf(input["pattern"]);
      const names = content ? textOf(input["glob"]) : pattern;
      const ignoreCase = input["ignore_case"] === true;
      const search: SearchRequest = {
        root,
        rootIsFile: stats.isFile(),
        shownRoot,
        pattern,
        glob: names,
        ignored: input["ignored"] === true,
        limit: Number(input["limit"] ?? DEFAULT_LIMIT),
        matchesName: matcherOf(names, !content && ignoreCase),
        place,
        signal: AbortSignal.any([context.signal, AbortSignal.timeout(bounds.deadlineMs)]),
        bounds,
      };
      if (!content)
        return listFiles(search, { order: (input["sort"] ?? "name") as Order, reverse: input["reverse"] === true });
      if (search.pattern === "") throw new Error('A content search needs a pattern; to list files use mode "files".');
      const beside = Number(input["context"] ?? 0);
      return searchContent(search, { ignoreCase, beside, programs, stopped: context.signal });
    },
  };
}

const PARAMETERS: Tool["parameters"] = {
  type: "object",
  properties: {
    pattern: {
      type: "string",
      description: "files: a glob such as *.ts or src/**/*.md. content: a regular expression (JavaScript).",
    },
    path: { type: "string", description: "Folder or file to search. Default: the working folder." },
    mode: { type: "string", enum: ["files", "content"], description: "Default: files." },
    glob: { type: "string", description: "content only: search only files whose name matches this glob." },
    sort: {
      type: "string",
      enum: ["name", "size", "modified"],
      description: "files only: by name, largest first, or newest first. Default: name.",
    },
    reverse: { type: "boolean", description: "files only: smallest or oldest first. Default: false." },
    ignore_case: {
      type: "boolean",
      description: "Upper and lower case of the pattern count as the same. Default: false.",
    },
    context: {
      type: "integer",
      minimum: 0,
      maximum: MAX_BESIDE,
      description: "content only: lines shown before and after each match. Default 0.",
    },
    ignored: { type: "boolean", description: "Also what .gitignore and its like leave out. Default: false." },
    limit: { type: "integer", minimum: 1, maximum: MAX_LIMIT, description: `Results shown. Default ${DEFAULT_LIMIT}.` },
  },
  additionalProperties: false,
};

function matcherOf(glob: string, ignoreCase: boolean): (path: string) => boolean {
  if (glob === "") return () => true;
  if (!ignoreCase) return globMatcher(glob);
  const matches = globMatcher(glob.toLowerCase());
  return (path) => matches(path.toLowerCase());
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** Hermes §26.15: a path that is missing or blank means the working folder. */
function rootOf(input: Readonly<Record<string, unknown>>): string {
  const path = input["path"];
  return typeof path === "string" && path.trim() !== "" ? path : ".";
}

async function statsOf(root: string, shown: string): Promise<Stats> {
  let stats: Stats;
  try {
    stats = await lstat(root);
  } catch (error) {
    throw new PathError(explain(error, shown), { cause: error });
  }
  if (stats.isFile() || stats.isDirectory()) return stats;
  throw new PathError(whatItIs(stats, shown));
}
