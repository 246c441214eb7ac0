import { keptOf, nextCursor } from "../../../src/context/dream/diary-lines.ts";
import { isObject, type Json } from "../case-file.ts";
import { listOf, numberOf, objectOf } from "../input.ts";

/** `{entries, cursor_file}`: the lines of the archive, each as its JSON, and what the counter file says. */
export function historyCursorCase(input: Json): unknown {
  const { entries, cursor_file: counter } = objectOf(input, "input");
  const lines = listOf(entries ?? [], "entries").map((entry) => `${lineOf(entry)}\n`);
  const said = counter === null || counter === undefined ? undefined : lineOf(counter);
  return { next_cursor: nextCursor(lines.join(""), said) };
}

/** A text is the line itself, as one that was torn. What it calls a session key is ours of a session; null is none. */
function lineOf(entry: Json): string {
  if (typeof entry === "string") return entry;
  if (!isObject(entry)) return JSON.stringify(entry);
  const { session_key: session, ...rest } = entry;
  return JSON.stringify(session === undefined || session === null ? rest : { ...rest, session });
}

/** `{entries, max, dream_cursor}`: so many entries, from 1 on, or each as it is or by its cursor. */
export function historyCompactCase(input: Json): unknown {
  const { entries, max, dream_cursor: seen } = objectOf(input, "input");
  const count = typeof entries === "number" ? entries : listOf(entries, "entries").length;
  const cursorOf = (entry: Json, at: number): Json =>
    isObject(entry) ? (entry["cursor"] ?? null) : typeof entry === "number" ? entry : at + 1;
  const given: readonly Json[] = Array.isArray(entries)
    ? (entries as readonly Json[])
    : Array.from({ length: count }, () => null);
  const objects = given.map((entry, at) => ({ cursor: cursorOf(entry, at) }));
  const kept = keptOf(objects, numberOf(max, "max"), typeof seen === "number" ? seen : 0);
  return { kept_cursors: kept.map(({ cursor }) => cursor) };
}
