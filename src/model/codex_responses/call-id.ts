import { createHash } from "node:crypto";

export interface SplitId {
  readonly callId: string;
  /** The id of the item of the output that was the call; this dialect's own servers know it. */
  readonly itemId: string | undefined;
}

/** Other programs keep both ids of a call in one: `call_…|fc_…` (hermes.md §22). */
export function splitId(id: string): SplitId {
  const [callId = "", itemId = ""] = id.trim().split("|");
  return { callId: callId.trim(), itemId: itemId.trim() || undefined };
}

/** Of both ids. */
const COMPOSED = /^[^|]*\|\s*(?:fc_[^|]*)?$/;

/** What these servers take, characters. */
const LONGEST_ID = 64;

/** Needs no second look. */
const USUAL = /^[\w-]{1,64}$/;

/** The id of a call as it is sent, the same for the call and its output. Other dialects give ids of any length. */
export function wireCallId(id: string): string {
  if (USUAL.test(id)) return id;
  const callId = COMPOSED.test(id) ? splitId(id).callId : id;
  if (callId !== "" && callId.length <= LONGEST_ID && !/\s/.test(callId)) return callId;
  return `call_${createHash("sha256").update(id).digest("hex").slice(0, 32)}`;
}
