import { threeWays } from "../../test/dialects/three-ways.ts";

export const about = "one turn that starts at Anthropic's wire, goes on at Gemini's and ends at the responses API";

/**
 * @returns {Promise<import("../show.mjs").Figure[]>}
 */
export async function measure() {
  const { answer, messages, sent } = await threeWays();
  let [calls, results, thoughts] = [0, 0, 0];
  for (const { role, parts } of messages) {
    for (const part of parts) {
      const by = "provenance" in part ? `${part.provenance?.provider}/${part.provenance?.model}` : "";
      if (part.type === "reasoning") console.log(`${role.padEnd(10)} thought  ${part.text}  (${by})`);
      if (part.type === "text")
        console.log(`${role.padEnd(10)} ${role === "tool" ? "result" : "text  "}   ${part.text}`);
      if (part.type === "tool-call") console.log(`${role.padEnd(10)} call     ${part.name} ${part.input}`);
      calls += part.type === "tool-call" ? 1 : 0;
      thoughts += part.type === "reasoning" ? 1 : 0;
    }
    results += role === "tool" ? 1 : 0;
  }
  console.log(
    `\nThe last request, as the responses API had it:\n${JSON.stringify(sent.responses["input"], null, 2)}\n`,
  );
  const input = /** @type {readonly { type?: string }[]} */ (sent.responses["input"]);
  const count = (/** @type {string} */ type) => input.filter((item) => item.type === type).length;
  return [
    { figure: "answer", value: String(answer), goal: "an answer", pass: answer !== null },
    {
      figure: "calls kept",
      value: `${calls}, each answered: ${results}`,
      goal: "5, 5",
      pass: calls === 5 && results === 5,
    },
    { figure: "thoughts kept, each with its maker", value: `${thoughts}`, goal: "4", pass: thoughts === 4 },
    {
      figure: "calls and results in the last request",
      value: `${count("function_call")}, ${count("function_call_output")}`,
      goal: "5, 5",
      pass: count("function_call") === 5 && count("function_call_output") === 5,
    },
    {
      figure: "sealed thoughts in it: its own alone",
      value: `${count("reasoning")}`,
      goal: "1",
      pass: count("reasoning") === 1,
    },
  ];
}
