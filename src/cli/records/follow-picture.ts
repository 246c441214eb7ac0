import { setTimeout as sleep } from "node:timers/promises";
import type { Store } from "../../protocol/store.ts";
import { pictureLines, type PictureView, rowLines } from "../../session/picture/draw.ts";
import { type PictureRow, startOf, type TurnPicture } from "../../session/picture/picture.ts";
import { endSentence, titleOf } from "../../session/picture/row-words.ts";
import { spelledOut } from "../../session/plain-text.ts";
import type { Asked } from "../context.ts";
import { drawingRoom, type Io, say, sayJson } from "../io.ts";
import { pictureIn, stateOf } from "./turn-picture.ts";
import { existingTurn } from "./turns.ts";

/** How often the store is asked whether somebody has written, ms; the answer costs some microseconds. */
const LOOK_MS = 150;
/** What goes on grows on a terminal though nothing was written, ms; and who runs it is looked at again. */
const TICK_MS = 1_000;

const CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 143 } as const;

/** Shows a turn as it is now, and once more behind its end. */
interface Show {
  now(picture: TurnPicture, state: string): void;
  end(picture: TurnPicture): void;
}

/**
 * `turn show --picture --follow`: the picture of a turn that another process may run, until the turn ends, also through the death
 * of that process and another one that takes it up. Returns the exit code.
 */
export async function followPicture(store: Store, asked: string, { io, json, language }: Asked): Promise<number> {
  const { turnId } = existingTurn(store, asked);
  const view = { ...drawingRoom(io.stdout, io.env), language };
  const isLive = io.stdout.isTTY === true && io.env["TERM"] !== "dumb" && !json;
  const show = isLive ? redrawn(io, view) : appended(io, view, json);
  const leaving = new AbortController();
  let code = 0;
  const unlisten = io.onSignal((signal) => {
    code = CODES[signal];
    leaving.abort();
  });
  const gone = (): void => leaving.abort();
  io.stdout.once("error", gone).once("close", gone);
  try {
    while (!leaving.signal.aborted) {
      const turn = existingTurn(store, turnId);
      const picture = pictureIn(store, turn, Date.now());
      if (picture.exit !== null) {
        show.end(picture);
        return 0;
      }
      const version = store.version();
      show.now(picture, stateOf(store, turn, language));
      await untilWritten(store, version, leaving.signal);
    }
  } finally {
    unlisten();
    io.stdout.off("error", gone).off("close", gone);
  }
  return code;
}

async function untilWritten(store: Store, version: number, signal: AbortSignal): Promise<void> {
  for (let waited = 0; waited < TICK_MS && store.version() === version; waited += LOOK_MS)
    await sleep(LOOK_MS, undefined, { signal }).catch(() => undefined);
}

/** One picture that stays in its place; of one that is higher than the terminal, its title and its end. */
function redrawn(io: Io, view: PictureView): Show {
  let shown = 0;
  const draw = (lines: readonly string[]): void => {
    const most = Math.max(4, (io.stdout.rows ?? 24) - 1);
    const seen = lines.length <= most ? lines : [...lines.slice(0, 2), ...lines.slice(2 - most)];
    const back = shown === 0 ? "" : `\u001B[${shown}A\r\u001B[J`;
    io.stdout.write(`${back}${seen.map((line) => `${line}\n`).join("")}`);
    shown = seen.length;
  };
  return {
    now: (picture, state) => draw([...pictureLines(picture, view), state]),
    end: (picture) => {
      draw([]);
      for (const line of pictureLines(picture, view)) say(io.stdout, line);
    },
  };
}

/** Each row when it has come to its end, never touched again; what the turn waits for goes to stderr when that changes. */
function appended(io: Io, view: PictureView, json: boolean): Show {
  const { language } = view;
  const told = new Set<string>();
  let said = "";
  const rows = (picture: TurnPicture): void => {
    const fresh = named(picture.rows).filter(([name, row]) => isSettled(row, picture) && !told.has(name));
    for (const [name] of fresh) told.add(name);
    const news = fresh.map(([, row]) => row);
    if (json) for (const row of news) sayJson(io, row);
    else for (const line of rowLines(news, picture, view)) say(io.stdout, line);
  };
  return {
    now: (picture, state) => {
      rows(picture);
      // Times in it change by themselves.
      const words = state.replaceAll(/\d+(?:\.\d+)?/gu, "");
      if (words !== said) say(io.stderr, state);
      said = words;
    },
    end: (picture) => {
      rows(picture);
      if (json) return;
      const title = spelledOut(titleOf(picture, language));
      for (const line of [title.replaceAll("·", "|"), endSentence(picture, language) ?? ""]) say(io.stdout, line);
    },
  };
}

/** A call whose process went may still get its receipt. */
const isSettled = (row: PictureRow, { exit }: TurnPicture): boolean =>
  exit !== null || !("startMs" in row) || (row.endMs !== null && (row.type !== "tool" || row.status !== null));

/** Rows by names that stay the same when others come between them. */
function named(rows: readonly PictureRow[]): (readonly [string, PictureRow])[] {
  const seen = new Map<string, number>();
  return rows.map((row) => {
    const own = "callId" in row ? row.callId : "attempt" in row ? row.attempt : "turnId" in row ? row.turnId : "";
    const name = `${row.type} ${startOf(row)} ${own}`;
    const times = (seen.get(name) ?? 0) + 1;
    seen.set(name, times);
    return [`${name} ${times}`, row];
  });
}
