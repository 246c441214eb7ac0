import { AssertionError } from "node:assert";
import { readFile } from "node:fs/promises";
import type { Replay } from "../protocol/replay.ts";
import { replayLines } from "../session/replay/lines.ts";
import { readRecordFile } from "../session/replay/record-file.ts";
import { replayOf } from "./replaying.ts";

/**
 * Runs a recorded turn again, without a network: the `turn.jsonl` of what `evander bundle` has written. Throws an
 * AssertionError with the first difference, and a TypeError for a file that holds no turn that can be run.
 */
export async function replay(file: string | URL): Promise<Replay> {
  const read = readRecordFile(await readFile(file, "utf8"));
  if (read.type === "invalid") throw new TypeError(`${String(file)} is no recorded turn: see line ${read.line}.`);
  const result = await replayOf(read.turn);
  const { difference, unchecked } = result;
  const said = replayLines(result, "en").join("\n");
  if (unchecked.includes("no-kit")) throw new TypeError(said);
  if (difference === null) return result;
  const { expected, got } = difference;
  throw new AssertionError({ message: said, expected, actual: got, operator: "replay", stackStartFn: replay });
}
