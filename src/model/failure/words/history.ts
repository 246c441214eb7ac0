/**
 * Words by which a server refuses what a conversation brings back, in lower case. Of each group one stands in the text.
 * Sources: bug reports of clients of these APIs, named at each.
 */

type Groups = readonly (readonly string[])[];

/** Claude behind Vertex and gateways (github.com/openclaw/openclaw/issues/88020). */
export const THINKING_EXPECTED: Groups = [["expected `thinking`"], ["but found"]];

/** Gemini (the same report). */
export const THOUGHT_SIGNATURE: Groups = [["thought signature", "thought_signature"]];

/** The Responses API: what it has not stored (github.com/earendil-works/pi/issues/3369). */
export const ITEM_NOT_FOUND: Groups = [["item with id"], ["not found"]];

/** The same: reasoning without what it led to, or the other way round (github.com/openclaw/openclaw/issues/19582). */
export const ITEM_ALONE: Groups = [["was provided without its required"], ["item"]];

/** The form of the conversation: its roles, its empty texts, its calls and results. Any of these. */
export const REFUSED_FORMS: readonly Groups[] = [
  // Chat templates of llama.cpp, LM Studio and vLLM, with any status, also 500 and in a stream that began with 200
  // (github.com/mistralai/mistral-vibe/issues/1006, github.com/sipeed/picoclaw/issues/207).
  [["jinja exception", "jinja template", "raise_exception", "templateerror"]],
  [["roles must alternate"]],
  // Anthropic (github.com/anthropics/claude-code/issues/23390).
  [["text content blocks must"]],
  [["must have non-empty content"]],
  [["`tool_use` ids"], ["without `tool_result`"]],
  [["unexpected `tool_use_id`"]],
  // Converse (github.com/BerriAI/litellm/issues/6053).
  [["conversation blocks and tool result blocks"]],
  [["conversation must start with a user message"]],
  // The same, and gateways to it: calls of the past in a request that has no tools now
  // (github.com/anomalyco/opencode/issues/34089).
  [["toolconfig field must be defined"]],
  [["tool calling without `tools=`"]],
  // OpenAI, and those that say the same.
  [["must be followed by tool messages"]],
  [["messages with role"], ["must be a response to a prec"]],
  [["no tool call found for function call output"]],
  [["no tool output found for function call"]],
  // Mistral, also where others serve its models (github.com/anomalyco/opencode/issues/1680).
  [["unexpected role"], ["after role"]],
  [["expected last role"]],
  [["not the same number of function calls and responses"]],
  [["tool call id was"], ["with a length of 9"]],
  // Gemini (github.com/google-gemini/gemini-cli/issues/16216).
  [["number of function response parts"]],
  [["function call turn comes immediately after"]],
  [["function response turn comes immediately after"]],
  [["multiturn requests"]],
];
