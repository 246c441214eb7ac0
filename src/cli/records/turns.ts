import type { Store, StoredTurn } from "../../protocol/store.ts";
import { explainTurn } from "../../session/explain.ts";
import { pictureLines } from "../../session/picture/draw.ts";
import { pictureOf } from "../../session/picture/rows.ts";
import { drawingRoom, type Io, say, sayJson } from "../io.ts";
import { RefusalError } from "../refusal.ts";
import { noSuchTurn, RECORD_WORDS } from "../../words/records.ts";
import type { Asked } from "../context.ts";

export function showTurn(store: Store, io: Io, asked: string): void {
  const { turnId, sessionId, facts } = existingTurn(store, asked);
  sayJson(io, { turnId, sessionId, facts }, io.stdout.isTTY ? 2 : undefined);
}

/** The bodies as they left, with secrets masked. */
export function showRequests(store: Store, io: Io, asked: string): void {
  const { turnId } = existingTurn(store, asked);
  for (const { body } of store.requests(turnId)) say(io.stdout, body);
}

/** Its picture, as wide as the terminal. */
export function drawTurn(store: Store, asked: string, { io, json, language }: Asked): void {
  const picture = pictureOf(existingTurn(store, asked));
  if (json) return sayJson(io, picture);
  for (const line of pictureLines(picture, { ...drawingRoom(io.stdout, io.env), language })) say(io.stdout, line);
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
  if (json) return sayJson(io, lines);
  for (const line of lines) say(io.stdout, line);
}

function existingTurn(store: Store, asked: string): StoredTurn {
  const turn = store.turn(asked);
  if (turn !== undefined) return turn;
  const message = asked === "last" ? RECORD_WORDS.noTurn : noSuchTurn(asked);
  throw new RefusalError({ reason: "session_not_found", message });
}
