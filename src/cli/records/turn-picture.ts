import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Store, StoredTurn } from "../../protocol/store.ts";
import { childrenOf } from "../../session/picture/children-of.ts";
import { pictureLines } from "../../session/picture/draw.ts";
import type { TurnPicture } from "../../session/picture/picture.ts";
import { pictureOf } from "../../session/picture/picture-of.ts";
import { pictureSvg } from "../../session/picture/svg.ts";
import { printable } from "../../session/plain-text.ts";
import { readTurn } from "../../session/unfinished.ts";
import type { Language } from "../../words/language.ts";
import { leftSentence, NOT_ENDED, waitingSentence } from "../../words/waiting.ts";
import { fileIsThere, fileNotWritten, pictureWritten } from "../../words/records.ts";
import type { Asked } from "../context.ts";
import { drawingRoom, say, sayAll, sayJson } from "../io.ts";
import { whyOf } from "../prompt/attachments.ts";
import { usageRefusal } from "../refusal.ts";
import { existingTurn } from "./turns.ts";

export const pictureIn = (store: Store, turn: StoredTurn, nowMs?: number): TurnPicture =>
  pictureOf(turn, { children: childrenOf(turn, store), ...(nowMs !== undefined && { nowMs }) });

/** What it waits for, or that its process has gone. */
export function stateOf(store: Store, turn: StoredTurn, language: Language): string {
  const { state, waiting } = readTurn(turn);
  if (waiting === undefined) return NOT_ENDED[language];
  const owner = store.openTurns().find(({ turnId }) => turnId === turn.turnId)?.owner;
  const sentence = owner?.alive === true || state.parked ? waitingSentence : leftSentence;
  return printable(sentence(waiting, Date.now(), language));
}

/** `turn show --picture`: as wide as the terminal. */
export function drawTurn(store: Store, asked: string, { io, json, language }: Asked): void {
  const turn = existingTurn(store, asked);
  const picture = pictureIn(store, turn);
  if (json) return sayJson(io, picture);
  sayAll(io.stdout, pictureLines(picture, { ...drawingRoom(io.stdout, io.env), language }));
  if (picture.exit === null) say(io.stdout, stateOf(store, turn, language));
}

interface SvgAsked {
  /** Undefined: the last one. */
  readonly turn: string | undefined;
  /** Undefined: stdout. */
  readonly file: string | undefined;
}

/** `turn show --svg [FILE]`: what is there is never written over. */
export function writeSvg(store: Store, asked: SvgAsked, { io, json, language }: Asked): void {
  const { turn = "last", file } = heard(store, asked);
  const stored = existingTurn(store, turn);
  const svg = pictureSvg(pictureIn(store, stored), language);
  const { turnId } = stored;
  if (file === undefined) return json ? sayJson(io, { turnId, svg }) : void io.stdout.write(svg);
  writeNew(resolve(io.cwd, file), svg, file);
  if (json) return sayJson(io, { turnId, file: resolve(io.cwd, file) });
  say(io.stderr, pictureWritten(file)[language]);
}

/** The word behind the option is the turn where it names one: `--svg last`. */
function heard(store: Store, { turn, file }: SvgAsked): SvgAsked {
  const isTurn = turn === undefined && file !== undefined && (file === "last" || store.turn(file) !== undefined);
  return isTurn ? { turn: file, file: undefined } : { turn, file };
}

function writeNew(path: string, text: string, named: string): void {
  try {
    writeFileSync(path, text, { flag: "wx" });
  } catch (error) {
    const isThere = error instanceof Error && "code" in error && error.code === "EEXIST";
    throw usageRefusal(isThere ? fileIsThere(named) : fileNotWritten(named, whyOf(error)));
  }
}
