import type { Failure } from "../protocol/failure.ts";
import { type KeyStatus, MANUAL } from "../protocol/keys.ts";
import { isBlocked, isStill, type KeyEntry, type Keys, OK } from "./entry.ts";

/** How long a key rests where its server does not say (hermes.md §11.2), ms. */
const REFUSED_MS = 300_000;
const USED_UP_MS = 3_600_000;

/** A key that was typed in is forgotten so long after its death, ms (hermes.md §11.2). */
const MOURNING_MS = 86_400_000;

/** What a failure says of the key that was sent. The server's own word of when it returns wins. */
export function statusAfter(failure: Failure, nowMs: number): KeyStatus {
  const { reason, message, keyState, retryAfterMs, status } = failure;
  if (keyState === "revoked") return { state: "dead", sinceMs: nowMs, reason, message };
  const usual = status === 401 ? REFUSED_MS : USED_UP_MS;
  const untilMs = nowMs + (retryAfterMs !== undefined && retryAfterMs > 0 ? retryAfterMs : usual);
  return { state: "exhausted", sinceMs: nowMs, untilMs, reason, message };
}

/**
 * Blames the key with this fingerprint, and no other: whichever is sent by now, it was this one. What is known of it
 * already stands, for whoever saw the same failure first has said so.
 */
export const blamed = (keys: Keys, fingerprint: string, { failure, nowMs }: Blame): Keys =>
  keys.map((entry) => {
    if (entry.fingerprint !== fingerprint || entry.status.state === "dead") return entry;
    const status = statusAfter(failure, nowMs);
    return isBlocked(entry, nowMs) && status.state !== "dead" ? entry : { ...entry, status };
  });

export interface Blame {
  readonly failure: Failure;
  readonly nowMs: number;
}

/** It has just answered. */
export const cleared = (keys: Keys, fingerprint: string): Keys =>
  keys.map((entry) =>
    entry.fingerprint === fingerprint && entry.status.state === "exhausted" ? { ...entry, status: OK } : entry,
  );

/** Without what has passed. */
export const settled = (keys: Keys, nowMs: number): Keys =>
  keys
    .filter(
      ({ status, source }) => status.state !== "dead" || source !== MANUAL || nowMs - status.sinceMs < MOURNING_MS,
    )
    .map((entry): KeyEntry => {
      const { status } = entry;
      return status.state === "exhausted" && !isStill(status, nowMs) ? { ...entry, status: OK } : entry;
    });
