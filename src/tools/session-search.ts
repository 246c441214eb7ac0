import { plural } from "../protocol/plural.ts";
import type { FoundSession, SaidMessage, SessionSearch } from "../protocol/session-search.ts";
import type { Tool, ToolContext } from "../protocol/tool.ts";

export const SESSION_SEARCH = "session_search";

/** hermes.md §16: sessions of an answer, messages on each side of what was found, and at the two ends of the session. */
const SESSIONS = 3;
const AROUND = 5;
const AT_THE_ENDS = 3;
/** Looked through at each end for what somebody said. */
const END_REACH = 24;
const HITS = 5;
const RECENT = 10;
/** On each side, where a place of one session is read. */
const READ_AROUND = 10;

/** Characters of one message: of what was found, of what stands around it, of what a tool gave. */
const FOUND_CHARACTERS = 1_000;
const SAID_CHARACTERS = 300;
const READ_CHARACTERS = 1_000;
const TOOL_CHARACTERS = 100;

const DESCRIPTION =
  "What was said in earlier conversations with this user. With `query`: the three that fit best, with what stands around " +
  'it. All words must occur; "words in quotes" stand together, OR and NOT work, wor* finds the beginning of a word. With ' +
  "`session_id` and `around_message` (both as an answer names them): more of that one. Without arguments: the newest ones.";

/** What a search is for, and what it found of one session, as text. */
export interface FoundText {
  readonly query: string;
  readonly text: string;
}

/** Says in few words what a found session says of a query; undefined: it is shown as it is. */
export type Summarise = (found: FoundText, context: ToolContext) => Promise<string | undefined>;

/** Reads earlier sessions (row G1); what it tells was said by anybody, so it is not trusted. */
export const sessionSearchTool = (sessions: SessionSearch, summarise?: Summarise): Tool => ({
  name: SESSION_SEARCH,
  toolset: "session",
  description: DESCRIPTION,
  parameters: {
    type: "object",
    properties: {
      query: { type: "string" },
      session_id: { type: "string" },
      around_message: { type: "integer", minimum: 0, description: "The number of a message. Default: the last." },
    },
  },
  effect: "pure",
  concurrency: "shared",
  async run({ query, session_id: sessionId, around_message: around }, context) {
    if (typeof sessionId === "string" && sessionId.trim() !== "") return read(sessions, sessionId.trim(), around);
    if (typeof query === "string" && query.trim() !== "") return search(query.trim(), { sessions, summarise, context });
    return newest(sessions, context.sessionId);
  },
});

interface Asking {
  readonly sessions: SessionSearch;
  readonly summarise: Summarise | undefined;
  readonly context: ToolContext;
}

async function search(query: string, { sessions, summarise, context }: Asking): Promise<string> {
  const found = sessions.searchSessions({ query, sessions: SESSIONS, hits: HITS, beside: context.sessionId });
  if (found.length === 0) return nothingFound(query);
  const told = found.map(async (session) => {
    const text = contextOf(sessions, session);
    const summary = await summarise?.({ query, text }, context);
    return [headOf(session), summary === undefined ? text : `In short: ${summary}`, readOn(session)].join("\n");
  });
  return [
    `It was said in ${plural(found.length, "earlier conversation")}, the best first:`,
    ...(await Promise.all(told)),
  ].join("\n\n");
}

const nothingFound = (query: string): string =>
  `No earlier conversation holds all of: ${query}\nTry fewer or other words, the beginning of one with a * behind it, OR ` +
  "between words, or no arguments for the newest conversations.";

function newest(sessions: SessionSearch, own: string): string {
  const recent = sessions.recent(RECENT + 1).filter(({ sessionId }) => sessionId !== own);
  if (recent.length === 0) return "There is no earlier conversation.";
  return ["The newest earlier conversations:", ...recent.slice(0, RECENT).map(headOf)].join("\n");
}

function read(sessions: SessionSearch, sessionId: string, given: unknown): string {
  const size = sessions.said(sessionId, 0, -1)?.size;
  if (size === undefined)
    throw new Error(`There is no conversation ${sessionId}: without arguments the newest are listed with their ids.`);
  const last = size - 1;
  const around = typeof given === "number" && Number.isFinite(given) ? Math.floor(given) : last;
  const middle = Math.min(Math.max(around, 0), last);
  const from = Math.max(0, middle - READ_AROUND);
  const to = Math.min(last, middle + READ_AROUND);
  const said = sessions.said(sessionId, from, to)?.messages ?? [];
  return [
    `Conversation ${sessionId}, messages ${from} to ${to} of 0 to ${last}:`,
    ...said.flatMap((message) => lineOf(message, READ_CHARACTERS)),
    ...(from > 0 ? [`Before: around_message ${Math.max(0, from - READ_AROUND)}`] : []),
    ...(to < last ? [`After: around_message ${Math.min(last, to + READ_AROUND)}`] : []),
  ].join("\n");
}

/** Its beginning, what stands around the best place, and its end. */
function contextOf(sessions: SessionSearch, { sessionId, messages, hits: [best] }: FoundSession): string {
  if (best === undefined) return "";
  const said = (from: number, to: number): readonly SaidMessage[] => sessions.said(sessionId, from, to)?.messages ?? [];
  const { from, to } = { from: best.seq - AROUND, to: best.seq + AROUND };
  const first = said(0, Math.min(END_REACH, from) - 1).filter(isSpoken);
  const last = said(Math.max(messages - END_REACH, to + 1), messages - 1).filter(isSpoken);
  const lines = (some: readonly SaidMessage[]): string[] => some.flatMap((message) => lineOf(message, SAID_CHARACTERS));
  const around = said(from, to).flatMap((message) => {
    const isBest = message.seq === best.seq && message.role === best.role;
    return isBest ? lineOf(message, FOUND_CHARACTERS, best.snippet).map((line) => `> ${line}`) : lines([message]);
  });
  return [lines(first.slice(0, AT_THE_ENDS)), around, lines(last.slice(-AT_THE_ENDS))]
    .filter((some) => some.length > 0)
    .map((some) => some.join("\n"))
    .join("\n…\n");
}

const isSpoken = ({ role, text }: SaidMessage): boolean => role !== "tool" && text.trim() !== "";

function headOf({
  sessionId,
  title,
  updatedMs,
  messages,
}: Pick<FoundSession, "sessionId" | "title" | "updatedMs" | "messages">): string {
  const when = new Date(updatedMs).toISOString().slice(0, 16).replace("T", " ");
  return `${sessionId} · ${title === "" ? "(no title)" : oneLine(title)} · ${when} UTC · ${plural(messages, "message")}`;
}

/** Where else it stands, and how more is read. */
function readOn({ sessionId, hits, found }: FoundSession): string {
  const places = hits.map((hit) => (hit.sessionId === sessionId ? `${hit.seq}` : `${hit.seq} of ${hit.sessionId}`));
  const more = found > hits.length ? ` and ${found - hits.length} more` : "";
  return `Found in message ${places.join(", ")}${more}. To read on: session_id, around_message.`;
}

/** One line for a message; none where nobody said anything. What a tool gave is only mentioned. */
function lineOf({ seq, role, text, tools }: SaidMessage, characters: number, around?: string): string[] {
  const line = oneLine(text);
  const names = tools.join(", ");
  if (role === "tool") {
    const most = around === undefined ? TOOL_CHARACTERS : characters;
    return [`${seq} ${names || "tool"} gave: ${cut(line, most, around)}`];
  }
  const calls = role === "assistant" && names !== "" ? ` [calls ${names}]` : "";
  return line === "" && calls === "" ? [] : [`${seq} ${role}: ${cut(line, characters, around)}${calls}`];
}

const oneLine = (text: string): string => text.replace(/[\s\p{Cc}]+/gu, " ").trim();

/** So many characters of a line, with the piece of it that is asked for in the middle. */
function cut(line: string, characters: number, around = ""): string {
  if (line.length <= characters) return line;
  const piece = around.replaceAll("…", "");
  const at = Math.max(0, line.indexOf(piece) + Math.floor((piece.length - characters) / 2));
  const from = Math.min(at, line.length - characters);
  const kept = line.slice(from, from + characters).replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/gu, "");
  return `${from > 0 ? "…" : ""}${kept}${from + characters < line.length ? "…" : ""}`;
}
