import { imageMention, type Message, textOf } from "../protocol/message.ts";
import { toOpenAi } from "../protocol/openai.ts";
import type { Store, StoredTurn } from "../protocol/store.ts";
import { explainTurn } from "../session/explain.ts";
import { printable } from "../session/plain-text.ts";
import { type Io, say } from "./io.ts";
import type { Asked } from "./ps.ts";
import { existingSession, RefusalError } from "./refusal.ts";

/** Commands that read what was kept. Reading takes no lease and changes nothing. */

export function listSessions(store: Store, io: Io, json: boolean): void {
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

export function showSession(store: Store, io: Io, asked: string, json: boolean): void {
  const sessionId = existingSession(store, asked);
  const messages = (store.history(sessionId) ?? []).filter((message) => message !== undefined);
  if (json) return say(io.stdout, JSON.stringify({ sessionId, messages: toOpenAi(messages) }));
  for (const message of messages) say(io.stdout, messageBlock(message));
}

const MAX_HITS = 20;

export function searchSessions(store: Store, io: Io, query: string, json: boolean): void {
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

export function showTurn(store: Store, io: Io, asked: string): void {
  const { turnId, sessionId, facts } = existingTurn(store, asked);
  say(io.stdout, JSON.stringify({ turnId, sessionId, facts }, undefined, io.stdout.isTTY ? 2 : undefined));
}

/** The bodies as they left, with secrets masked. */
export function showRequests(store: Store, io: Io, asked: string): void {
  const { turnId } = existingTurn(store, asked);
  for (const { body } of store.requests(turnId)) say(io.stdout, body);
}

/** A turn that was closed for this one is told first: it is what somebody who asks after a crash wants to know. */
export function explainStoredTurn(store: Store, asked: string, { io, json, language }: Asked): void {
  const turn = existingTurn(store, asked);
  const start = turn.facts[0]?.fact;
  const before =
    start?.type === "turn-start" && start.supersedes !== undefined ? store.turn(start.supersedes) : undefined;
  const alive = store.openTurns().some(({ turnId, owner }) => turnId === turn.turnId && owner?.alive === true);
  const told = (it: StoredTurn): string[] => explainTurn(it, { nowMs: Date.now(), alive, language });
  const lines = [...(before === undefined ? [] : told(before)), ...told(turn)];
  if (json) return say(io.stdout, JSON.stringify(lines));
  for (const line of lines) say(io.stdout, line);
}

function existingTurn(store: Store, asked: string): StoredTurn {
  const turn = store.turn(asked);
  if (turn !== undefined) return turn;
  const message = asked === "last" ? "There is no turn yet." : `There is no turn ${asked}.`;
  throw new RefusalError({ reason: "session_not_found", message });
}
