import type { Failure, FailureReason } from "../../protocol/failure.ts";
import { classify } from "./classify.ts";
import { contextLimit } from "./context-limit.ts";
import { type FailureFacts, NOTHING_SENT, type Sent, toMatch } from "./facts.ts";
import { imageMaxDimension } from "./image-limit.ts";
import { keyStateOf } from "./key-state.ts";
import { outputRoom } from "./output-room.ts";
import type { ErrorWords } from "./read-error.ts";
import { refusedOf } from "./refused.ts";
import type { Verdict } from "./verdict.ts";
import { waitInWords } from "./wait-in-words.ts";

/** All of a failure but its sentence. */
export type Judgement = Omit<Failure, "message">;

interface Known {
  /** Undefined: none. */
  readonly status: number | undefined;
  readonly sent?: Sent | undefined;
}

/** What became of what a server said. */
export function judgedWords(read: ErrorWords, { status, sent = NOTHING_SENT }: Known): Judgement {
  const text = toMatch(read.all);
  const codes = read.codes.map((code) => code.toLowerCase());
  // Without a form, all that was said is the sentence.
  const said = read.said === "" ? text : read.said;
  return judged({ status, codes, text, said, thrown: [], sent }, read);
}

/** The verdict, and what a rung may need of the words. */
export function judged(facts: FailureFacts, { codes: [code] }: Pick<ErrorWords, "codes">): Judgement {
  const { text, sent, status } = facts;
  const given = classify(facts);
  const limit = given.shouldCompress ? contextLimit(text) : undefined;
  const room = outputRoom(text);
  const side = given.reason === "image_too_large" ? imageMaxDimension(text) : undefined;
  return {
    ...given,
    ...(status !== undefined && { status }),
    ...(code !== undefined && { code }),
    ...refusedOf(`${facts.codes.join(" ")} ${text}`, given),
    ...(room !== undefined && { outputRoom: room }),
    ...(limit !== undefined && limit < (sent.window ?? Infinity) && { contextLimit: limit }),
    ...(side !== undefined && { imageMaxDimension: side }),
    ...keyStateOf(facts, given),
    ...waiting(mayPass(given) ? waitInWords(text) : undefined),
  };
}

/** Only then a time in the text is one to wait for. */
const mayPass = ({ retryable, shouldCompress, shouldRotateCredential }: Verdict): boolean =>
  shouldRotateCredential || (retryable && !shouldCompress);

export const waiting = (ms: number | undefined): Pick<Failure, "retryAfterMs"> =>
  ms === undefined ? {} : { retryAfterMs: ms };

/**
 * `wish`: the header `x-should-retry`, which the clients of OpenAI and Anthropic obey. What is to be repaired is repaired
 * all the same.
 */
export function asWished({ reason }: Pick<Failure, "reason">, wish: unknown): Partial<Pick<Failure, "retryable">> {
  if (wish === "false" && PASSING.has(reason)) return { retryable: false };
  return wish === "true" && (reason === "format_error" || PASSING.has(reason)) ? { retryable: true } : {};
}

const PASSING: ReadonlySet<FailureReason> = new Set(["rate_limit", "overloaded", "server_error", "timeout", "unknown"]);
