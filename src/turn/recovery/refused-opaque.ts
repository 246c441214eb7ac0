import type { Failure, FailureReason } from "../../protocol/failure.ts";
import type { View } from "../state.ts";
import type { Rung } from "./rung.ts";

/** What is opaque was refused, though it came from the same provider: its key changed, or its server forgot. */
const REFUSED: ReadonlySet<FailureReason> = new Set(["thinking_signature", "invalid_encrypted_content"]);

/** Waiting does not make them valid: sent again as they were, they are refused again. */
export const isOpaqueRefused = ({ reason }: Failure): boolean => REFUSED.has(reason);

/** The provider is asked again without what is opaque, once: the session remembers (row C5, hermes.md §9.2). */
export const leaveOpaque: Rung = (failure, state) =>
  isOpaqueRefused(failure) && state.opaque && hasAny(state)
    ? { do: "adjust-request", adjustment: { opaque: false } }
    : undefined;

const hasAny = ({ history }: View): boolean =>
  history.some(
    (message) =>
      message?.role === "assistant" &&
      message.parts.some((part) => "provenance" in part && part.provenance !== undefined),
  );
