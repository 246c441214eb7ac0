/** The chat-completions wire, as servers write it. */

/** @typedef {import("../harness/mock.mjs").Script} Script */

const USAGE = {
  prompt_tokens: 1000,
  completion_tokens: 10,
  total_tokens: 1010,
  prompt_tokens_details: { cached_tokens: 900 },
};
const THOUGHT = "reasoning step about nothing in detail. ";
const ALPHABET = "abcdefghijklmnopqrstuvwxyz";

// Some clients merge replies that share an id.
let replies = 0;

/** @param {object} choice */
function chunkOf(choice) {
  return { choices: [{ index: 0, finish_reason: null, ...choice }] };
}

/**
 * @param {readonly object[]} chunks
 * @param {string} finish
 * @returns {string[]} events
 */
function events(chunks, finish) {
  const head = { id: `chatcmpl-${++replies}`, object: "chat.completion.chunk", created: 1, model: "mock" };
  const first = chunkOf({ delta: { role: "assistant", content: "" } });
  const last = [chunkOf({ delta: {}, finish_reason: finish }), { choices: [], usage: USAGE }];
  const lines = [first, ...chunks, ...last].map((chunk) => `data: ${JSON.stringify({ ...head, ...chunk })}\n\n`);
  return [...lines, "data: [DONE]\n\n"];
}

/**
 * Every call has arguments of its own: loop guards stop on calls that repeat.
 * @param {number} tools
 * @param {number} iteration
 * @returns {string[]}
 */
export function callEvents(tools, iteration) {
  const chunks = Array.from({ length: tools }, (_, index) => {
    const text = JSON.stringify({ text: `i${iteration}k${index}` });
    const half = text.length >> 1;
    const opening = { id: `call_${iteration}_${index}`, type: "function", function: { name: "echo", arguments: "" } };
    const pieces = [
      opening,
      { function: { arguments: text.slice(0, half) } },
      { function: { arguments: text.slice(half) } },
    ];
    return pieces.map((piece) => chunkOf({ delta: { tool_calls: [{ index, ...piece }] } }));
  });
  return events(chunks.flat(), "tool_calls");
}

/**
 * @param {Script} script
 * @returns {string[]}
 */
export function textEvents(script) {
  const thoughts = Array.from({ length: Math.ceil((script.think ?? 0) / THOUGHT.length) }, () => THOUGHT);
  const thinking = thoughts.length === 0 ? [] : ["<think>", ...thoughts, "</think>"];
  const text = Array.from({ length: script.chunks ?? 4 }, (_, index) => wordOf(script.delta ?? 0, index));
  return events(
    [...thinking, ...text].map((content) => chunkOf({ delta: { content } })),
    "stop",
  );
}

/**
 * @param {number} size
 * @param {number} index
 */
function wordOf(size, index) {
  if (size === 0) return `word${index} `;
  const at = index % (ALPHABET.length - size);
  return ALPHABET.slice(at, at + size);
}
