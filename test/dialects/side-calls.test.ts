import { expect, test } from "vitest";
import type { RunSpec } from "../../src/index.ts";
import { bot, refusal, repairsOf } from "./refusing.ts";
import { says } from "./script.ts";
import { sideOf, SUBJECTS } from "./subjects.ts";
import { fakeDialect } from "./wire.ts";

/** A summary of a conversation in which a tool was used; none can be used now. */
const SUMMARY: RunSpec = {
  prompt: "Summarise",
  purpose: "summary",
  messages: [
    { role: "user", parts: [{ type: "text", text: "what is there?" }] },
    { role: "assistant", parts: [{ type: "tool-call", callId: "1", name: "ls", input: '{"path":"."}' }] },
    { role: "tool", callId: "1", status: "ok", parts: [{ type: "text", text: "a.txt" }] },
    { role: "assistant", parts: [{ type: "text", text: "One file." }] },
  ],
};

test.for(SUBJECTS.map(({ wire }) => wire.mode))(
  "[COMP-15] [I3] a call without tools over a history with tools is taken by the strict server of %s",
  async (mode) => {
    await using server = await fakeDialect(sideOf(mode).wire, [says("A summary.")]);
    await using on = bot(mode, server);
    expect(await on.runSpec(SUMMARY)).toMatchObject({ ok: true, answer: "A summary.", attempts: 1 });
  },
);

test.for([
  "The toolConfig field must be defined when using toolUse and toolResult content blocks.",
  "litellm.UnsupportedParamsError: Bedrock doesn't support tool calling without `tools=` param specified.",
])(
  "[COMP-15] [C17] where a server refuses that, the calls are told in words, once, and nothing is left out: %s",
  async (message) => {
    await using server = await fakeDialect(sideOf("chat_completions").wire, [
      refusal(400, { error: { message, type: "invalid_request_error" } }),
      says("A summary.", { newHead: true }),
    ]);
    await using on = bot("chat_completions", server);
    expect(await on.runSpec(SUMMARY)).toMatchObject({ ok: true, answer: "A summary.", attempts: 2, retries: 0 });
    expect(repairsOf(on)).not.toContain("history-compacted");
    const [before, after] = server.requests.map(({ text }) => text);
    expect(before).toContain('"tool_calls"');
    expect(after).not.toMatch(/"tool_calls"|"role":"tool"/);
    expect(after).toContain(String.raw`[Called ls with {\"path\":\".\"}]`);
    expect(after).toContain("a.txt");
  },
);
