import { plural } from "../../protocol/plural.ts";
import { imageMention, type Message, textOf } from "../../protocol/message.ts";
import { toOpenAi } from "../../protocol/openai.ts";
import type { SessionSummary, Store } from "../../protocol/store.ts";
import { printable } from "../../session/plain-text.ts";
import { wordsIn } from "../../words/language.ts";
import { noneLikeThat, RECORD_WORDS } from "../../words/records.ts";
import type { Asked } from "../context.ts";
import { say, sayJson } from "../io.ts";
import { existingSession } from "../refusal.ts";
import { type FilterFlags, filtered, readCount } from "./filter.ts";

/** Commands that read what was kept. Reading takes no lease and changes nothing. */

export function listSessions(store: Store, flags: FilterFlags, { io, json, language }: Asked): void {
  const { children: parent } = flags;
  const all = parent === undefined ? store.list() : store.children(existingSession(store, parent));
  const sessions = filtered(all, flags, Date.now());
  if (json) return sayJson(io, sessions);
  if (all.length === 0) return say(io.stderr, wordsIn(RECORD_WORDS.noSession, language));
  if (sessions.length === 0) return say(io.stderr, wordsIn(noneLikeThat(all.length), language));
  for (const session of sessions) say(io.stdout, sessionLine(session));
}

/** A session as one line. */
export function sessionLine({ sessionId, updatedMs, turns, title, ...session }: SessionSummary): string {
  const when = new Date(updatedMs).toISOString().slice(0, 16).replace("T", " ");
  const marks = marksOf(session);
  const count = `${plural(turns, "turn")}${marks.length === 0 ? "" : ` (${marks.join(", ")})`}`;
  return `${sessionId}  ${when}  ${count}  ${printable(title)}`;
}

const marksOf = ({
  unfinished,
  pinned,
  forkOf,
}: Pick<SessionSummary, "unfinished" | "pinned" | "forkOf">): string[] => [
  ...(unfinished ? ["unfinished"] : []),
  ...(pinned ? ["pinned"] : []),
  ...(forkOf === null ? [] : [`fork of ${forkOf.sessionId} at ${forkOf.at}`]),
];

export interface ShowFlags {
  /** Only the newest messages, so many. */
  readonly last?: string;
}

export function showSession(store: Store, asked: string, { io, json, last }: Asked & ShowFlags): void {
  const sessionId = existingSession(store, asked);
  const all = (store.history(sessionId) ?? []).filter((message) => message !== undefined);
  const left = last === undefined ? 0 : Math.max(0, all.length - readCount("--last", last));
  const messages = all.slice(left);
  if (json) return sayJson(io, { sessionId, messages: toOpenAi(messages) });
  for (const [at, message] of messages.entries()) say(io.stdout, messageBlock(message, left + at + 1));
}

/** `number`: its place, counted from 1, as `--at` takes it. */
function messageBlock(message: Message, number: number): string {
  const head = message.role === "tool" ? `tool ${message.callId} (${message.status})` : message.role;
  const others = message.parts.flatMap((part) => {
    if (part.type === "tool-call") return [`  calls ${part.name} ${part.input}`];
    return part.type === "image" ? [imageMention(part)] : [];
  });
  return printable([`── ${number} ${head}`, textOf(message), ...others].filter((line) => line !== "").join("\n"));
}
