import { expect, test } from "vitest";
import { threeWays } from "./three-ways.ts";

test("[C2] [C5] [D10] one turn begins at Anthropic's wire, goes on at Gemini's and ends at the responses API, its calls and thoughts intact", async () => {
  const { answer, messages, sent } = await threeWays();
  expect(answer).toBe("All three have worked on this.");
  const kept = messages.flatMap((message) => (message.role === "assistant" ? [message.parts] : []));
  expect(kept.map((parts) => parts.map((part) => (part.type === "tool-call" ? part.name : part.text)))).toEqual([
    ["First I look.", "Looking.", "look"],
    ["Then I read.", "read", "look"],
    ["Once more.", "look"],
    ["Now I know.", "look"],
    ["All three have worked on this."],
  ]);
  const makers = kept.flatMap((parts) => parts.flatMap((part) => (part.type === "reasoning" ? [part.provenance] : [])));
  expect(makers.map((maker) => maker?.provider)).toEqual(["anthropic", "gemini", "gemini", "openai"]);
  const last = JSON.stringify(sent.responses);
  for (const call of ["a", "a/b", "c", "d", "e"])
    expect(last).toContain(JSON.stringify(JSON.stringify({ path: call })));
  for (const result of ["seen 1", "text of a/b", "seen 2", "seen 3", "seen 4"]) expect(last).toContain(result);
  expect(sent.responses).toMatchObject({
    input: expect.arrayContaining([expect.objectContaining({ type: "reasoning" })]),
  });
});
