import { imageMention, type Message, textOf } from "../../protocol/message.ts";
import { toOpenAi } from "../../protocol/openai.ts";
import type { Store } from "../../protocol/store.ts";
import { printable } from "../../session/plain-text.ts";
import type { Asked } from "../context.ts";
import { say } from "../io.ts";
import { existingSession } from "../refusal.ts";

/** Commands that read what was kept. Reading takes no lease and changes nothing. */

export function listSessions(store: Store, { io, json }: Asked): void {
  const sessions = store.list();
  if (json) return say(io.stdout, JSON.stringify(sessions));
  if (sessions.length === 0) return say(io.stderr, "There is no session yet.");
  for (const { sessionId, updatedMs, turns, title, unfinished } of sessions) {
    const when = new Date(updatedMs).toISOString().slice(0, 16).replace("T", " ");
    say(
      io.stdout,
      `${sessionId}  ${when}  ${turns} ${turns === 1 ? "turn" : "turns"}${unfinished ? " (unfinished)" : ""}  ${title}`,
    );
  }
}

export function showSession(store: Store, asked: string, { io, json }: Asked): void {
  const sessionId = existingSession(store, asked);
  const messages = (store.history(sessionId) ?? []).filter((message) => message !== undefined);
  if (json) return say(io.stdout, JSON.stringify({ sessionId, messages: toOpenAi(messages) }));
  for (const message of messages) say(io.stdout, messageBlock(message));
}

const MAX_HITS = 20;

export function searchSessions(store: Store, query: string, { io, json }: Asked): void {
  const hits = store.search(query, MAX_HITS);
  if (json) return say(io.stdout, JSON.stringify(hits));
  if (hits.length === 0) return say(io.stderr, `Nothing was said that holds "${printable(query)}".`);
  for (const { sessionId, role, snippet } of hits)
    say(io.stdout, `${sessionId}  ${role}  ${printable(snippet).replaceAll("\n", " ")}`);
}

function messageBlock(message: Message): string {
  const head = message.role === "tool" ? `tool ${message.callId} (${message.status})` : message.role;
  const others = message.parts.flatMap((part) => {
    if (part.type === "tool-call") return [`  calls ${part.name} ${part.input}`];
    return part.type === "image" ? [imageMention(part)] : [];
  });
  return printable([`── ${head}`, textOf(message), ...others].filter((line) => line !== "").join("\n"));
}
