import type { Parameter } from "./adjustment.ts";

/** Why a model call failed: the 21 reasons of hermes.md §10.2 (rows D1, D2). Local faults are never one of these. */
export type FailureReason =
  | "auth"
  | "auth_permanent"
  | "billing"
  | "rate_limit"
  | "overloaded"
  | "server_error"
  | "timeout"
  | "context_overflow"
  | "payload_too_large"
  | "image_too_large"
  | "model_not_found"
  | "provider_policy_blocked"
  | "content_policy_blocked"
  | "format_error"
  | "invalid_encrypted_content"
  | "multimodal_tool_content_unsupported"
  | "thinking_signature"
  | "long_context_tier"
  | "oauth_long_context_beta_forbidden"
  | "llama_cpp_grammar_pattern"
  | "unknown";

/** `zai`: Z.AI's coding endpoint, code 1305; `anthropic`: an `overloaded_error` of Anthropic's, with any status. */
export type Overload = "zai" | "anthropic";

/** A model call that gave no usable message. Data, never an exception. */
export interface Failure {
  readonly reason: FailureReason;
  readonly retryable: boolean;
  readonly shouldCompress: boolean;
  readonly shouldRotateCredential: boolean;
  readonly shouldFallback: boolean;
  /** The server cannot stream; it may well answer in one piece (row C18). */
  readonly refusesStreaming?: true;
  /** The server cannot be told not to call tools; without tools it may well answer (row B4). */
  readonly refusesToolChoice?: true;
  /** The model takes no pictures; with words in their place it may well answer (row C5). */
  readonly refusesPictures?: true;
  /** Some picture of this request is refused: broken, too large, out of reach. Without those so far it may well answer. */
  readonly refusesThesePictures?: true;
  /** The form of the conversation was refused; in the strictest form it may well be answered (row C17). */
  readonly refusesHistory?: true;
  /** The server or the model does not take this parameter; without it, it may well answer. */
  readonly refusesParameter?: Parameter;
  /** The server does not take the tool of this name; without it, it may well answer. */
  readonly refusesTool?: string;
  /** The server cannot read words that stand in the schemas of the tools that were sent (`pattern`, `format`). */
  readonly refusesSchemaWords?: true;
  /** An overload that is known to last: one of them, recognised narrowly (row D5). */
  readonly overload?: Overload;
  /** The request asked for more output than fits; this many tokens do (hermes.md §10.8). */
  readonly outputRoom?: number;
  /** The window of the model, as its server says, tokens: smaller than what was known of it (hermes.md §10.8). */
  readonly contextLimit?: number;
  /** The longest side that a picture may have, as the server says, px (hermes.md §9.2 step 6). */
  readonly imageMaxDimension?: number;
  /** What came is no reply of a model: another server may well give one (row C7). */
  readonly noReply?: true;
  /** Tokens of the window that was too small; the request was not sent (row C15). */
  readonly loadedWindow?: number;
  /** The request never reached the server: nothing can have been billed. */
  readonly unsent?: true;
  /** HTTP status, when there was one. */
  readonly status?: number;
  /** How long the server asked to wait, in ms. */
  readonly retryAfterMs?: number;
  /** The server's own word for machines, such as `insufficient_quota`. */
  readonly code?: string;
  /** What in the classifier decided, such as `429-overloaded`. */
  readonly rule?: string;
  /**
   * What the server says of the key itself: `used-up`: the limit of its plan is reached, so that trying again at once
   * is no use; `revoked`: it will never be taken again (hermes.md §11.2, §11.4).
   */
  readonly keyState?: "used-up" | "revoked";
  /** One line for people: no HTML, no secrets. */
  readonly message: string;
}

/** What else a rung has to know, observed when the call failed (design §3). */
export interface Circumstances {
  /** Absent: the provider has one key, and nothing to renew it with. */
  readonly keys?: KeysLeft;
  /** Models of the fallback chain that could be asked now. */
  readonly chainLeft: number;
}

export interface KeysLeft {
  readonly size: number;
  /** Others than the one that was sent, which could be asked now. */
  readonly usable: number;
  /** The one that was sent can be renewed. */
  readonly refreshable: boolean;
  /** It was known already, here or in another process, that the one that was sent cannot be used now. */
  readonly spent?: true;
}

/** What was already shown when a stream broke. */
export interface PartialReply {
  readonly text: string;
  readonly reasoning: string;
  /** Names of tool calls that were still arriving; they were NOT run. */
  readonly droppedTools: readonly string[];
}
