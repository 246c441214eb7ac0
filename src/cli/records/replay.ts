import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { RecordedTurn } from "../../protocol/replay.ts";
import type { Store } from "../../protocol/store.ts";
import { replayLines } from "../../session/replay/lines.ts";
import { readRecordFile } from "../../session/replay/record-file.ts";
import { noRecordFile } from "../../words/replay.ts";
import type { CommandContext } from "../context.ts";
import { say, sayJson } from "../io.ts";
import type { Form } from "../options.ts";
import { usageRefusal } from "../refusal.ts";
import { readZip } from "../bundle/zip.ts";
import { existingTurn } from "./turns.ts";

/** A replay that came to something else; what was asked for cannot be replayed. */
const [DIFFERS, UNPLAYABLE] = [70, 2] as const;

/** `turn replay`: of a turn in the store, or of one in a file. */
export async function replayStored(store: Store, asked: string, form: Form, context: CommandContext): Promise<void> {
  const turn = fileNamed(asked) ? turnInFile(asked) : store.recorded(existingTurn(store, asked).turnId);
  if (turn === undefined) return;
  const replay = await context.adapters.replay(turn);
  const { io, json, language } = context.asked(form);
  if (json) sayJson(io, replay);
  else for (const line of replayLines(replay, language)) say(io.stdout, line);
  if (replay.difference !== null) context.endWith(DIFFERS);
  else if (replay.unchecked.includes("no-kit")) context.endWith(UNPLAYABLE);
}

/** Ids of turns have neither slash nor point. */
export const fileNamed = (asked: string): boolean => /[./\\]/u.test(asked) && existsSync(resolve(asked));

/** The turn itself in a bundle. */
export const TURN_FILE = "turn.jsonl";

function turnInFile(asked: string): RecordedTurn {
  const bytes = readFileSync(resolve(asked));
  const inside = asked.endsWith(".zip") ? readZip(bytes).find(({ name }) => name === TURN_FILE)?.bytes : bytes;
  const file = readRecordFile((inside ?? Buffer.alloc(0)).toString());
  if (file.type === "invalid") throw usageRefusal(noRecordFile(asked, file.line));
  return file.turn;
}
