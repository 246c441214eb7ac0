import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { calls, replies, says, thinks } from "../dialects/script.ts";
import { responsesWire } from "../dialects/responses-wire.ts";
import { fakeDialect } from "../dialects/wire.ts";
import { Place, resultOf } from "./program.ts";

test("[C2] [X2] a provider that is said to speak the Responses API is asked so: a turn with thought and call", async () => {
  await using server = await fakeDialect(
    responsesWire,
    [
      replies([thinks("Where?"), { type: "text", text: "I look." }, calls("read_file", { path: "note.txt" })]),
      says("It says hello."),
    ],
    { models: ["gpt-5.4"], apiKey: "sk-proj-secret" },
  );
  const place = new Place();
  try {
    const env = { OPENAI_API_KEY: "sk-proj-secret", OPENAI_BASE_URL: server.baseUrl };
    writeFileSync(join(place.work, "note.txt"), "hello");
    const api = ["--config", "models.openai/gpt-5.4.api=codex_responses"];
    const args = ["-p", "What does note.txt say?", "--output", "json", "--effort", "max", ...api];
    const ended = await place.run(undefined, [...args, "--provider", "openai", "--model", "gpt-5.4"], { env });
    expect(resultOf(ended)).toMatchObject({ answer: "It says hello.", exit: { reason: "text_response" } });
    expect(`${ended.stdout}${ended.stderr}`).not.toContain("secret");
    const [, last] = server.requests;
    expect(last?.body).toMatchObject({
      model: "gpt-5.4",
      store: false,
      reasoning: { effort: "xhigh" },
      input: [
        { role: "user" },
        { type: "reasoning", summary: [{ text: "Where?" }] },
        { role: "assistant", content: "I look." },
        { type: "function_call", name: "read_file" },
        { type: "function_call_output", output: expect.stringContaining("hello") as string },
      ],
    });
  } finally {
    place.remove();
  }
});
