import type { Failure } from "../../protocol/failure.ts";
import type { View } from "../state.ts";
import { continueBroken } from "./broken-stream.ts";
import { compactAndRetry } from "./compact-and-retry.ts";
import { rotateKey } from "./keys.ts";
import { askForLess } from "./output-room.ts";
import { refreshKey } from "./refresh.ts";
import { sendStrictly } from "./refused-history.ts";
import { leaveOpaque } from "./refused-opaque.ts";
import { shrinkPictures, tellPictures, tellToolPictures } from "./refused-pictures.ts";
import { leaveToolOut } from "./refused-tool.ts";
import { stopStreaming } from "./refused-streaming.ts";
import { stripTools } from "./refused-tool-choice.ts";
import { dropBetas, leaveOut, simplifySchemas } from "./refused-words.ts";
import type { Recovery, Rung } from "./rung.ts";
import { switchAtLast, switchAtOnce } from "./switch.ts";
import { waitAndRetry } from "./wait-and-retry.ts";

/** Order is the policy (hermes.md §9.2): what costs least comes first, and a wait nearly last. */
const LADDER: readonly Rung[] = [
  // Another key of the same provider.
  refreshKey,
  rotateKey,
  // The same request, but for what was refused in it: once for each.
  stopStreaming,
  stripTools,
  shrinkPictures,
  tellToolPictures,
  tellPictures,
  dropBetas,
  leaveOpaque,
  simplifySchemas,
  leaveOut,
  leaveToolOut,
  sendStrictly,
  // A smaller one. Where only too much output was asked for, nothing is left out (step 20a).
  askForLess,
  compactAndRetry,
  // Another model, where this one will not do so soon.
  switchAtOnce,
  // The same again.
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
