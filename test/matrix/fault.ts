import type { ExitReason } from "../../src/protocol/exit.ts";
import type { FailureReason } from "../../src/protocol/failure.ts";
import type { Side } from "../dialects/client.ts";
import type { Act, Mode } from "../dialects/script.ts";

/** How the reply is asked for: as a stream, or in one piece from a server that refuses streams (row C18). */
export type Way = "stream" | "whole";

export const WAYS: readonly Way[] = ["stream", "whole"];

/** Whom a fault befalls. */
export interface Victim {
  readonly side: Side;
  readonly mode: Mode;
  readonly way: Way;
  /** What the server is shown, and may say again. */
  readonly key: string;
}

/**
 * What must come of a fault. Steps: `wait` for as long as the ladder finds right, `wait 7000` for so many ms, `compact`,
 * `go on` without a wait, `cut short`, `empty`, `run tools`, `refuse a call`, `without streaming` and the like.
 */
export interface Expected {
  /** Of each failed attempt; null: none has failed. */
  readonly reason: FailureReason | null;
  /** What is done about it, in order, where it comes again and again. */
  readonly does: readonly string[];
  readonly exit: ExitReason;
  readonly code: number;
  /**
   * The same with another model behind this one; where it ends with `switch`, that answers. Absent: it is switched to at
   * once.
   */
  readonly backed?: readonly string[];
  /**
   * The same where it befalls one key of two; where it ends with `rotate the key`, the other has the answer. Absent: keys
   * make no difference.
   */
  readonly keyed?: readonly string[];
  /** Where it comes once, the turn has its answer. */
  readonly passes: boolean;
  /** The answer that it leaves in spite of all; a good one where it is no fault to us. */
  readonly answer?: string | RegExp | null;
  /** Words of what people are told that name the cause. */
  readonly says?: RegExp;
}

/** Why something cannot be; undefined: it can. */
export type Against = (victim: Pick<Victim, "mode" | "way">) => string | undefined;

export interface Fault {
  readonly name: string;
  readonly expected: Expected | ((victim: Victim) => Expected);
  /** What the server does with a request. */
  readonly act: (victim: Victim) => Act;
  /** It befalls the first request of a turn alone: what it says would bring the next one. */
  readonly once?: true;
  /** What it teaches is known to the session: it cannot come once where it has come before. */
  readonly remembered?: true;
  /** For so long, ms, the server is not asked again by anybody (row D12). */
  readonly lastsMs?: number;
  /** Nobody is there. */
  readonly away?: true;
  /** The requests go to another address than the server's, whose port is given. */
  readonly elsewhere?: (port: number) => Promise<Elsewhere>;
  readonly impossible?: Against;
}

export const expectedFor = ({ expected }: Fault, victim: Victim): Expected =>
  typeof expected === "function" ? expected(victim) : expected;

export interface Elsewhere extends AsyncDisposable {
  readonly baseUrl: string;
}

export interface Family {
  readonly name: string;
  /** What its tests show. */
  readonly rows: readonly string[];
  readonly faults: readonly Fault[];
}

const ONE_PIECE = "a reply in one piece has no events";
const BINARY = "its stream is one of binary frames, which have no lines";
export const LINES = "its stream is one of lines, which have no checksums";

export const onlyStreams: Against = ({ way }) => (way === "stream" ? undefined : ONE_PIECE);

export const onlyLines: Against = ({ mode, way }) =>
  way === "whole" ? ONE_PIECE : mode === "bedrock_converse" ? BINARY : undefined;

export const onlyIn =
  (modes: readonly Mode[], why: string): Against =>
  ({ mode }) =>
    modes.includes(mode) ? undefined : why;

/** Both must be possible. */
export const both =
  (a: Against, b: Against): Against =>
  (victim) =>
    a(victim) ?? b(victim);

/** Asked again as often as one call may be, then given up. */
export const retried = (reason: FailureReason, wait = "wait", says?: RegExp): Expected => ({
  reason,
  does: [wait, wait],
  exit: "all_retries_exhausted_no_response",
  code: 75,
  passes: true,
  backed: backedBy[reason] ?? [wait, wait, "switch"],
  ...(says && { says }),
});

/** One server's overload is known to last: it is waited for twice more. A third such wait nobody is kept for (row D5). */
export const lasting = (expected: Expected, { mode }: Victim): Expected =>
  mode === "anthropic_messages" ? { ...expected, does: [...expected.does, "wait", "wait"] } : expected;

export const overloaded = (victim: Victim): Expected => lasting(retried("overloaded"), victim);

/** Waiting helps least where a limit is used up, and little where a server is crowded or silent (row D11). */
const backedBy: Readonly<Partial<Record<FailureReason, readonly string[]>>> = {
  rate_limit: ["switch"],
  overloaded: ["wait", "switch"],
  timeout: ["wait", "switch"],
};

/** No reply of a model at all: another model is asked before this one is waited for (row C7). */
export const noReply = (says?: RegExp): Expected => ({ ...retried("server_error", "wait", says), backed: ["switch"] });

/** Not asked again. */
export const rejected = (reason: FailureReason, code: number, says?: RegExp): Expected => ({
  reason,
  does: [],
  exit: "request_rejected",
  code,
  passes: false,
  ...(says && { says }),
});

/** The request itself is wrong. */
export const HOPELESS: Expected = rejected("format_error", 76);

/** Less is sent, as often as a turn may send less. */
export const compacted = (reason: FailureReason): Expected => ({
  reason,
  does: ["compact", "compact", "compact"],
  exit: "context_overflow",
  code: 24,
  passes: true,
  // A new session has nothing that could be left out, and the next model is not asked to carry it either (row D14).
  backed: ["cannot compact"],
});

/** The model was kept from it, and nobody asks again. */
export const blocked = (says?: RegExp): Expected => ({
  reason: "content_policy_blocked",
  does: [],
  exit: "content_policy",
  code: 80,
  passes: false,
  ...(says && { says }),
});

/** A stream that breaks behind "Half": the rest is asked for, of another model too; what was shown stays the answer. */
export const brokenOff = (reason: FailureReason, does: readonly string[], patience = 2): Expected => ({
  reason,
  does,
  backed: [...does.slice(0, patience), "switch"],
  exit: "partial_stream_recovery",
  code: 10,
  passes: true,
  answer: /^(?:Half\s*)+$/,
});

/** No fault to us. */
export const harmless = (answer: string | RegExp = "Hello", does: readonly string[] = []): Expected => ({
  reason: null,
  does,
  exit: "text_response",
  code: 0,
  passes: true,
  answer,
});
