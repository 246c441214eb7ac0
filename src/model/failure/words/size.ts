/**
 * Words about what is too large, in lower case.
 * Sources: hermes.md §10.7 (payload, image size, context overflow); ERR-09 and ERR-10 for further wordings of overflows.
 */

/** More bytes than the server takes. */
export const PAYLOAD: readonly string[] = [
  "request entity too large",
  "payload too large",
  "error code: 413",
  "total message size",
];

export const IMAGE_SIZE: readonly string[] = [
  "image exceeds",
  "image too large",
  "image_too_large",
  "image size exceeds",
  "image dimensions exceed",
  "dimensions exceed max allowed size",
  "max allowed size: 8000",
];

/** More tokens than the model takes, in words that mean nothing else. */
export const SURE_OVERFLOW: readonly string[] = [
  "context length",
  "context_length",
  "context size",
  "context window",
  "context_window",
  "context overflow",
  "context_overflow",
  "maximum context",
  "too many tokens",
  "reduce the length",
  "prompt is too long",
  "prompt exceeds max length",
  "max_model_len",
  "maximum model length",
  "input is too long",
  "truncating input",
  "slot context",
  "n_ctx_slot",
  "range of input length",
  "超过最大长度",
  "输入长度超过",
  "上下文",
];

/** The same, where nothing before spoke of a parameter. */
export const OVERFLOW: readonly string[] = [
  ...SURE_OVERFLOW,
  "token limit",
  "exceeds the limit",
  "max_tokens",
  "maximum number of tokens",
  "prompt length",
  "input token",
];
