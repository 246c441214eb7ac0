import type { ExitReason } from "../../protocol/exit.ts";
import type { View } from "../state.ts";

/** How often one reply may be asked to go on, whether the output limit or the network cut it (rows C8, C10). */
export const MAX_CONTINUATIONS = 3;

/** The output limit that is grown where none was configured, tokens (row C8). */
const BASE_OUTPUT = 4_096;
const LARGEST_OUTPUT = 32_768;
const LARGEST_FACTOR = 3;

/** The end that a reply cut by the output limit brings, if it brings one. `roomLeft`: another iteration may begin. */
export function exitOfCutReply(state: View, roomLeft: boolean): ExitReason | undefined {
  const { cut, reply } = state;
  if (cut === undefined) return undefined;
  if (reply === "empty") return cut.text === "" ? undefined : exitOfRest(state);
  if (cut.text === "" && cut.onlyThought > 1) return "thinking_exhausted";
  if (cut.times > MAX_CONTINUATIONS || (cut.text !== "" && !roomLeft)) return "output_truncated";
  return undefined;
}

/** Nothing more came. */
const exitOfRest = ({ cut }: View): ExitReason =>
  cut?.by === "network" ? "partial_stream_recovery" : "output_truncated";

/** Each cut by the limit asks for a larger one: 2×, 3×, 3× the base, within 32,768 or what was configured, and the room. */
export function outputLimit(state: View): number | undefined {
  const wanted = wantedOutput(state);
  return state.room === undefined ? wanted : Math.min(state.room, wanted ?? Infinity);
}

function wantedOutput({ cut, setup }: View): number | undefined {
  if (cut === undefined || cut.byLength === 0) return setup.maxOutput;
  const base = setup.maxOutput ?? BASE_OUTPUT;
  return Math.min(base * Math.min(cut.byLength + 1, LARGEST_FACTOR), Math.max(LARGEST_OUTPUT, base));
}
