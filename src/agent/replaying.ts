import { loadDialect } from "../model/dialects.ts";
import { createTransport } from "../model/transport.ts";
import type { RecordedTurn, Replay, Wire } from "../protocol/replay.ts";
import type { Store } from "../protocol/store.ts";
import { replayRecord, type Writing } from "../session/replay/replay.ts";

/** What writes requests for a model as it was asked then. Nothing of it ever connects. */
export async function openWire({ api, callMs, ...wire }: Wire): Promise<Writing> {
  const stream = callMs === undefined ? {} : { stream: { callMs } };
  const shrink: NonNullable<Parameters<typeof createTransport>[0]["shrink"]> = async (picture, limit) =>
    (await import("../tools/pictures/shrink.ts")).shrinkPicture(picture, limit);
  const dialect = await loadDialect(api);
  const transport = createTransport({ ...wire, ...stream, dialect, apiKey: undefined, shrink });
  return (session) => transport.open(session);
}

/** Runs a turn that was recorded again, without a network; see `replayRecord`. */
export const replayOf = (turn: RecordedTurn): Promise<Replay> => replayRecord(turn, openWire);

/** The same of a turn in a store; undefined: there is none of this name. */
export async function replayTurn(store: Store, turnId: string): Promise<Replay | undefined> {
  const turn = store.recorded(turnId);
  return turn && replayOf(turn);
}
