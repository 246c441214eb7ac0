import { isObject } from "../protocol/json.ts";
import type { ToolCallPart } from "../protocol/message.ts";
import { TODO } from "../protocol/todo.ts";
import { oneLine } from "./plain-text.ts";

/** Characters of what the call works on (nanobot §12). */
const HINT_CHARS = 40;

type Arguments = Readonly<Record<string, unknown>>;

/** A call as people would write it: `read a.txt`, `$ npm test`, `grep "x"`, `server::tool("x")`. */
export function toolHint({ name, input }: Pick<ToolCallPart, "name" | "input">, maxChars: number = HINT_CHARS): string {
  const given = argumentsOf(input);
  const known = KNOWN.get(name)?.(given);
  if (known === undefined) return general(name, given, maxChars);
  const [verb, words, quotes] = known;
  const shown = oneLine(words, maxChars);
  return quotes === true ? `${verb} "${shown}"` : `${verb} ${shown}`.trim();
}

/** The hints of a batch in one line, neighbours that are the same told once; calls without a name are skipped. */
export function toolHints(calls: readonly Pick<ToolCallPart, "name" | "input">[], maxChars?: number): string {
  const hints = calls.filter(({ name }) => name !== "").map((call) => toolHint(call, maxChars));
  const runs: { hint: string; count: number }[] = [];
  for (const hint of hints) {
    const last = runs.at(-1);
    if (last?.hint === hint) last.count++;
    else runs.push({ hint, count: 1 });
  }
  return runs.map(({ hint, count }) => (count === 1 ? hint : `${hint} × ${count}`)).join(", ");
}

const text = (value: unknown): string => (typeof value === "string" ? value : "");

type Known = readonly [verb: string, words: string, quotes?: true];

/** Of our own tools; undefined from one of them: the call is not as it should be, and told like any other. */
const KNOWN: ReadonlyMap<string, (given: Arguments) => Known | undefined> = new Map([
  ["read_file", ({ path }) => hint("read", path)],
  ["write_file", ({ path }) => hint("write", path)],
  [
    "patch",
    ({ path, patch }) => hint("patch", text(path) === "" ? /^\*\*\*.*File:\s*(.*)$/mu.exec(text(patch))?.[1] : path),
  ],
  ["terminal", ({ command }) => hint("$", command)],
  ["execute_code", ({ language, code }) => hint(text(language), code)],
  ["web_search", ({ query }) => hint("search", query, true)],
  ["search_files", searchHint],
  [TODO, () => [TODO, ""]],
  ["memory", noteHint],
] satisfies [string, (given: Arguments) => Known | undefined][]);

function searchHint({ mode, pattern, path }: Arguments): Known | undefined {
  if (mode === "content") return hint("grep", pattern, true);
  return pattern === undefined ? ["ls", text(path) || "."] : hint("find", pattern, true);
}

function noteHint({ action, content, old_text: old }: Arguments): Known | undefined {
  if (action === "read") return ["notes", ""];
  return action === "remove" ? hint("forget", old, true) : hint("note", content, true);
}

const hint = (verb: string, words: unknown, quotes?: true): Known | undefined =>
  text(words) === "" ? undefined : quotes === undefined ? [verb, text(words)] : [verb, text(words), quotes];

/** Tools of others: those of a server by its name (`mcp_server__tool`). The first text among the arguments says most. */
function general(name: string, given: Arguments, maxChars: number): string {
  const [, server, tool] = /^mcp_(.+?)__(.+)$/su.exec(name) ?? [];
  const shown = server === undefined ? name : `${server}::${tool}`;
  const first = Object.values(given).find((value) => typeof value === "string" && value !== "");
  const told = oneLine(shown, maxChars);
  return first === undefined ? told : `${told}("${oneLine(text(first), maxChars)}")`;
}

function argumentsOf(input: string): Arguments {
  try {
    const value: unknown = JSON.parse(input);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}
