import { plural } from "../../protocol/plural.ts";
import type { FoundSession, SaidMessage } from "../../protocol/session-search.ts";
import type { Store } from "../../protocol/store.ts";
import { oneLine } from "../../session/plain-text.ts";
import { wordsIn } from "../../words/language.ts";
import { goOn, morePlaces, nothingSaid, RECORD_WORDS } from "../../words/records.ts";
import { shellWord } from "../../words/steps.ts";
import type { Asked } from "../context.ts";
import { say, sayJson } from "../io.ts";
import { runnable } from "../next-steps.ts";
import { existingSession, usageRefusal } from "../refusal.ts";
import { readCount } from "./filter.ts";

export interface SearchFlags {
  readonly limit?: string;
  readonly session?: string;
}

const MAX_SESSIONS = "10";
const HITS = 3;
/** Where one session is asked for, more of it is shown. */
const HITS_OF_ONE = 20;
/** Messages on each side of a place. */
const AROUND = 1;
const LINE_CHARACTERS = 100;

/** A message as one line. */
interface Line {
  readonly seq: number;
  readonly role: SaidMessage["role"];
  readonly text: string;
  /** It was looked for. */
  readonly found: boolean;
}

/** `evander session search`: sessions, each with the places where it was said and what stands beside them. */
export function searchSessions(
  store: Store,
  query: string,
  { io, json, language, limit, session }: Asked & SearchFlags,
): void {
  if (query.trim() === "") throw usageRefusal(RECORD_WORDS.blankQuery);
  const within = session === undefined ? undefined : existingSession(store, session);
  const sessions = readCount("--limit", limit ?? MAX_SESSIONS);
  const hits = within === undefined ? HITS : HITS_OF_ONE;
  const found = store.searchSessions({ query, sessions, hits, within });
  const shown = found.map((each) => ({ ...each, lines: linesOf(store, each) }));
  if (json) return sayJson(io, shown);
  const [best] = shown;
  if (best === undefined) return say(io.stderr, wordsIn(nothingSaid(oneLine(query)), language));
  shown.forEach((each, at) => {
    if (at > 0) say(io.stdout, "");
    say(io.stdout, headOf(each));
    for (const line of gapped(each.lines)) say(io.stdout, line);
    if (each.found > hits) say(io.stdout, `    ${wordsIn(morePlaces(each.found - hits), language)}`);
  });
  say(io.stderr, wordsIn(goOn(runnable(`evander --resume ${shellWord(best.sessionId)}`, io.env)), language));
}

function headOf({ sessionId, updatedMs, messages, title }: FoundSession): string {
  const when = new Date(updatedMs).toISOString().slice(0, 16).replace("T", " ");
  return `${sessionId}  ${when}  ${plural(messages, "message")}  ${oneLine(title)}`;
}

/** What was found, in the order of the session, with what stands beside it. */
function linesOf(store: Store, { sessionId, hits }: FoundSession): Line[] {
  const lines = new Map<string, Line>();
  const key = ({ seq, role }: Pick<Line, "seq" | "role">): string => `${seq}/${role}`;
  for (const { seq } of hits)
    for (const message of store.said(sessionId, seq - AROUND, seq + AROUND)?.messages ?? [])
      if (!lines.has(key(message))) lines.set(key(message), besideOf(message));
  for (const { seq, role, snippet } of hits.filter((hit) => hit.sessionId === sessionId))
    lines.set(key({ seq, role }), { seq, role, text: oneLine(snippet, 2 * LINE_CHARACTERS), found: true });
  return [...lines.values()].sort((one, other) => one.seq - other.seq);
}

const besideOf = ({ seq, role, text, tools }: SaidMessage): Line => {
  const said = text
    .slice(0, 4 * LINE_CHARACTERS)
    .replace(/\s+/gu, " ")
    .trim();
  const told = said === "" && role === "assistant" ? `[${tools.join(", ")}]` : said;
  return { seq, role, text: oneLine(told, LINE_CHARACTERS), found: false };
};

function gapped(lines: readonly Line[]): string[] {
  const width = String(lines.at(-1)?.seq ?? 0).length;
  return lines.flatMap(({ seq, role, text, found }, at) => {
    const before = lines[at - 1]?.seq ?? seq;
    const line = `${found ? "  > " : "    "}${String(seq).padStart(width)} ${role.padEnd(9)}  ${text}`;
    return seq > before + 1 ? ["    …", line] : [line];
  });
}
