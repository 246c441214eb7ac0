import type { Failure } from "../../protocol/failure.ts";
import type { View } from "../state.ts";
import { continueBroken } from "./broken-stream.ts";
import { compactAndRetry } from "./compact-and-retry.ts";
import { rotateKey } from "./keys.ts";
import { askForLess } from "./output-room.ts";
import { refreshKey } from "./refresh.ts";
import { tellPictures } from "./refused-pictures.ts";
import { sendStrictly } from "./refused-history.ts";
import { leaveOpaque } from "./refused-opaque.ts";
import { stopStreaming } from "./refused-streaming.ts";
import { stripTools } from "./refused-tool-choice.ts";
import type { Recovery, Rung } from "./rung.ts";
import { switchAtLast, switchAtOnce } from "./switch.ts";
import { waitAndRetry } from "./wait-and-retry.ts";

/** Order is the policy. */
const LADDER: readonly Rung[] = [
  refreshKey,
  rotateKey,
  stopStreaming,
  stripTools,
  tellPictures,
  leaveOpaque,
  sendStrictly,
  askForLess,
  compactAndRetry,
  switchAtOnce,
  continueBroken,
  waitAndRetry,
  switchAtLast,
];

/** The first rung that has an answer; undefined means give up. */
export function recover(failure: Failure, state: View): Recovery | undefined {
  for (const rung of LADDER) {
    const recovery = rung(failure, state);
    if (recovery !== undefined) return recovery;
  }
  return undefined;
}
