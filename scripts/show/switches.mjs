import { threeWays } from "../../test/dialects/three-ways.ts";

export const about = "one turn that starts at Anthropic's wire, goes on at Gemini's and ends at the responses API";

/** @typedef {import("../../src/index.ts").Message} Message */

/**
 * @returns {Promise<import("../show.mjs").Figure[]>}
 */
export async function measure() {
  const { answer, messages, sent } = await threeWays();
  for (const { role, parts } of messages) for (const part of parts) console.log(`${role.padEnd(10)} ${line(part)}`);
  const input = /** @type {readonly { type?: string }[]} */ (sent.responses["input"]);
  console.log(`\nThe last request, as the responses API had it:\n${JSON.stringify(input, null, 2)}\n`);
  const kept = (/** @type {string} */ type) =>
    messages.flatMap(({ parts }) => parts.filter((part) => part.type === type)).length;
  const receipts = messages.filter(({ role }) => role === "tool").length;
  const told = (/** @type {string} */ type) => input.filter((item) => item.type === type).length;
  return [
    { figure: "answer", value: String(answer), goal: "an answer", pass: answer !== null },
    counted("calls kept", kept("tool-call"), 5),
    counted("results kept", receipts, 5),
    counted("thoughts kept, each with its maker", kept("reasoning"), 4),
    counted("calls in the last request", told("function_call"), 5),
    counted("results in the last request", told("function_call_output"), 5),
    counted("sealed thoughts in it, its own alone", told("reasoning"), 1),
  ];
}

/**
 * @param {Message["parts"][number]} part
 */
function line(part) {
  switch (part.type) {
    case "reasoning":
      return `thought  ${part.text}  (${part.provenance?.provider}/${part.provenance?.model})`;
    case "tool-call":
      return `call     ${part.name} ${part.input}`;
    case "text":
      return `text     ${part.text}`;
    default:
      return part.type;
  }
}

/**
 * @param {string} figure
 * @param {number} value
 * @param {number} goal
 * @returns {import("../show.mjs").Figure}
 */
const counted = (figure, value, goal) => ({ figure, value: String(value), goal: String(goal), pass: value === goal });
