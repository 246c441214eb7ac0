import type { WaitingCall } from "../protocol/outcome.ts";
import type { OpenCall, View } from "./state.ts";

type Call = Readonly<OpenCall>;

/**
 * Whether somebody may answer what the model asks: `here` it is waited for in this process, `later` whoever takes the turn
 * up brings it, `nobody`: the call runs without an answer, and says so.
 */
function whoAnswers({ attended, approvals }: View["setup"]): "here" | "later" | "nobody" {
  if (attended === true || approvals === "ask") return "here";
  return approvals === "park" ? "later" : "nobody";
}

/** It needs an answer before it can run. */
const isOpen = ({ inspection, answer, started }: Call): boolean =>
  inspection.question !== undefined && answer === undefined && !started;

/** Questions that nobody has been asked yet and somebody can be. */
export const unaskedQuestions = (open: readonly Call[], { setup }: View): readonly string[] =>
  whoAnswers(setup) === "nobody"
    ? []
    : open.filter((call) => isOpen(call) && call.approval === "unasked").map(({ part }) => part.callId);

/** It stands still until somebody has said something. */
export const awaitsWord = (call: Call, { setup }: View): boolean =>
  call.approval === "asked" && !(isOpen(call) && whoAnswers(setup) === "nobody") && isHeld(call, setup);

const isHeld = ({ inspection }: Call, { approvals }: View["setup"]): boolean =>
  inspection.question !== undefined || approvals !== "all";

/** Each of them is answered in this process. */
export const isAnsweredHere = ({ setup }: View, waiting: readonly WaitingCall[]): boolean =>
  waiting.every(({ question }) => (question === undefined ? setup.approvals === "ask" : whoAnswers(setup) === "here"));

/** What a turn waits for that stands still. */
export const parkedFor = (waiting: readonly WaitingCall[]): "parked_for_approval" | "parked_for_answer" =>
  waiting.length > 0 && waiting.every(({ question }) => question !== undefined)
    ? "parked_for_answer"
    : "parked_for_approval";
