/**
 * Words about what a request asks for, in lower case.
 * Sources: hermes.md §10.3 steps 2–5, §10.4, §10.7 (multimodal tool, model not found, request validation).
 */

export const TOOL_CONTENT: readonly string[] = [
  "text is not set",
  "tool message content must be a string",
  "tool content must be a string",
  "tool message must be a string",
  "expected string, got list",
  "expected string, got array",
  "tool_call.content must be string",
];

export const MODEL_NOT_FOUND: readonly string[] = [
  "is not a valid model",
  "invalid model",
  "model not found",
  "model_not_found",
  "does not exist",
  "no such model",
  "unknown model",
  "unsupported model",
  "模型不存在",
];

/** A parameter is refused. */
export const VALIDATION: readonly string[] = [
  "unknown parameter",
  "unsupported parameter",
  "unrecognized request argument",
  "unknown_parameter",
  "unsupported_parameter",
];

/** In a 5xx this word tells what is wrong; in a 400 real overflows carry it as well. */
export const INVALID_REQUEST: readonly string[] = ["invalid_request_error"];

/** Anthropic refuses thinking that was changed since it wrote it. */
export const THINKING: readonly string[] = ["thinking"];
export const CHANGED_THINKING: readonly string[] = ["signature", "cannot be modified", "must remain as they were"];

/** Anthropic: the subscription lets long contexts through for more money. */
export const EXTRA_USAGE: readonly string[] = ["extra usage"];
export const LONG_CONTEXT: readonly string[] = ["long context"];
export const LONG_CONTEXT_BETA: readonly string[] = ["long context beta"];
export const NOT_YET_AVAILABLE: readonly string[] = ["not yet available"];

/** llama.cpp makes a grammar of the schemas of tools. */
export const GRAMMAR: readonly string[] = ["error parsing grammar", "json-schema-to-grammar"];
export const NO_PARSER: readonly string[] = ["unable to generate parser"];
export const TEMPLATE: readonly string[] = ["template"];

/** The Responses API refuses reasoning that it cannot decrypt. */
export const ENCRYPTED: readonly string[] = ["invalid_encrypted_content"];
export const ENCRYPTED_ITEM: readonly string[] = ["encrypted content for item"];
export const NOT_VERIFIED: readonly string[] = ["could not be verified"];

/** Anthropic names what it has not: `model: claude-x`. */
export const MODEL_NAMED: readonly string[] = ["model:"];
