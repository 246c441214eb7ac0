import type { Failure, FailureReason } from "../../protocol/failure.ts";
import type { View } from "../state.ts";
import type { Rung } from "./rung.ts";

/** What is opaque was refused, though it came from the same provider: its key changed, or its server forgot. */
const REFUSED: ReadonlySet<FailureReason> = new Set(["thinking_signature", "invalid_encrypted_content"]);

/** Waiting does not make them valid: sent again as they were, they are refused again. */
export const isOpaqueRefused = ({ reason }: Failure): boolean => REFUSED.has(reason);

/**
 * The provider is asked again without what is opaque, once: the session remembers (row C5, hermes.md §9.2, steps 10 and
 * 11). A signature that was refused says nothing of later ones, unless they are refused too.
 */
export const leaveOpaque: Rung = (failure, { history, adjusted: { opaque } }) => {
  if (!isOpaqueRefused(failure) || opaque === false || !hasAny(history, opaque?.from ?? 0)) return undefined;
  const isSignature = failure.reason === "thinking_signature" && opaque === undefined;
  return { do: "adjust-request", adjustment: { opaque: isSignature ? { from: history.length } : false } };
};

const hasAny = (history: View["history"], from: number): boolean =>
  history
    .slice(from)
    .some(
      (message) =>
        message?.role === "assistant" &&
        message.parts.some((part) => "provenance" in part && part.provenance !== undefined),
    );
