import { expect, test } from "vitest";
import { bot, factsOf, NEW, refusal, repairsOf, sealsSent } from "./refusing.ts";
import { calls, type Mode, replies, says, thinks } from "./script.ts";
import { sideOf } from "./subjects.ts";
import { fakeDialect } from "./wire.ts";

const anthropicError = (message: string): object => ({
  type: "error",
  error: { type: "invalid_request_error", message },
});

/** The words are those of the report; the second comes from Bedrock, the third through two gateways. */
const SEAL_REFUSALS: readonly (readonly [mode: Mode, body: unknown])[] = [
  ["anthropic_messages", anthropicError("messages.39.content.0: Invalid `signature` in `thinking` block")],
  [
    "anthropic_messages",
    "Validation error: The model returned the following errors: messages.3.content.1: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified.",
  ],
  [
    "bedrock_converse",
    {
      message:
        "The model returned the following errors: messages.3.content.1: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified.",
    },
  ],
  [
    "anthropic_messages",
    '{"error":{"code":400,"message":"{\\"type\\":\\"error\\",\\"error\\":{\\"message\\":\\"messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `text`\\"}}","status":"INVALID_ARGUMENT"}}',
  ],
  ["gemini", { error: { message: "Unable to submit request because Thought signature is not valid" } }],
];

const sealedReply = replies([thinks("Let me think."), { type: "text", text: "hi" }, calls("ls", {})]);

test.each(SEAL_REFUSALS)(
  "[HIST-12] [C5] seals that their own provider refuses are left out, once and for the session: %s, %j",
  async (mode, body) => {
    await using server = await fakeDialect(sideOf(mode).wire, [
      sealedReply,
      refusal(400, body),
      says("done", NEW),
      says("more"),
    ]);
    await using on = bot(mode, server);
    expect(await on.run("go", { sessionId: "s" })).toMatchObject({ answer: "done", retries: 0 });
    expect(repairsOf(on)).toEqual([{ opaque: { from: 3 } }]);
    expect(factsOf(on).find((fact) => fact.type === "model-failure")?.failure).toMatchObject({
      reason: "thinking_signature",
      shouldCompress: false,
      shouldRotateCredential: false,
    });
    expect(await on.run("and?", { sessionId: "s" })).toMatchObject({ answer: "more" });
    expect(sealsSent(server)).toEqual([false, true, false, false]);
    expect(JSON.stringify(on.store.history("s"))).toContain('"opaque"');
  },
);

test("[HIST-12] [C5] seals are left out once; a provider that goes on refusing is not asked for ever, and a way out is named", async () => {
  const words = anthropicError("messages.1.content.0: Invalid `signature` in `thinking` block");
  await using server = await fakeDialect(sideOf("anthropic_messages").wire, [
    sealedReply,
    refusal(400, words),
    { ...refusal(400, words), step: { ...refusal(400, words).step, newHead: true } },
  ]);
  await using on = bot("anthropic_messages", server);
  const result = await on.run("go", { sessionId: "s" });
  expect(result).toMatchObject({ ok: false, failed: true, attempts: 3, retries: 0 });
  expect(result.exit.next.map((step) => step.do)).toContain("new-session");
  expect(server.requests).toHaveLength(3);
});

const EMPTY_TEXT = anthropicError("messages: text content blocks must be non-empty");

test("[HIST-07] [C17] a history whose form is refused is sent in the strictest form, once", async () => {
  await using server = await fakeDialect(sideOf("anthropic_messages").wire, [
    sealedReply,
    refusal(400, EMPTY_TEXT),
    says("done", NEW),
    says("more"),
  ]);
  await using on = bot("anthropic_messages", server);
  expect(await on.run("go", { sessionId: "s" })).toMatchObject({ answer: "done", retries: 0 });
  expect(repairsOf(on)).toEqual([{ strict: true }]);
  expect(await on.run("and?", { sessionId: "s" })).toMatchObject({ answer: "more" });
  expect(sealsSent(server)).toEqual([false, true, false, false]);
});

test("[HIST-07] [C17] where that does not help either, the turn ends with words that name a way out, and keeps the message once", async () => {
  await using server = await fakeDialect(sideOf("anthropic_messages").wire, [
    refusal(400, EMPTY_TEXT),
    refusal(400, EMPTY_TEXT),
  ]);
  await using on = bot("anthropic_messages", server);
  await on.importMessages("s", [
    { role: "user", content: "a" },
    { role: "assistant", content: "" },
  ]);
  const result = await on.run("b", { sessionId: "s" });
  expect(result).toMatchObject({ ok: false, attempts: 2, retries: 0, exit: { reason: "request_rejected" } });
  expect(result.exit.explain).toMatch(/refuses this conversation/);
  expect(result.exit.next.map((step) => step.do)).toEqual(["new-session", "compact", "switch-model"]);
  expect(server.requests.map(({ body }) => body["messages"])).toEqual(
    server.requests.map(() => [{ role: "user", content: [expect.objectContaining({ text: "a\n\nb" })] }]),
  );
  expect(JSON.stringify(on.store.history("s")).split('"text":"b"')).toHaveLength(2);
});

/** What becomes of two turns when the reasoning of the first is refused by its own server, in the middle of it. */
async function refusedItems(status: number, error: object): Promise<unknown> {
  await using server = await fakeDialect(sideOf("codex_responses").wire, [
    sealedReply,
    refusal(status, { error: { type: "invalid_request_error", param: "input", code: null, ...error } }),
    says("done", NEW),
    says("more"),
  ]);
  await using on = bot("codex_responses", server);
  const { answer, model, retries } = await on.run("go", { sessionId: "s" });
  const failed = factsOf(on).find((fact) => fact.type === "model-failure");
  const repairs = repairsOf(on);
  const { answer: next } = await on.run("and?", { sessionId: "s" });
  return { answer, model, retries, reason: failed?.failure.reason, repairs, next, seals: sealsSent(server) };
}

const WITHOUT_ITEMS = {
  answer: "done",
  model: sideOf("codex_responses").model,
  retries: 0,
  reason: "invalid_encrypted_content",
  repairs: [{ opaque: false }],
  next: "more",
  seals: [false, true, false, false],
};

test.each([
  "Item 'rs_1' of type 'reasoning' was provided without its required following item.",
  "Item 'fc_1' of type 'function_call' was provided without its required 'reasoning' item: 'rs_1'.",
])("[HIST-18] [C5] reasoning that is refused is left out, once and for the session: %s", async (message) => {
  expect(await refusedItems(400, { message })).toEqual(WITHOUT_ITEMS);
});

test("[C2] [C5] encrypted content that cannot be read any more is left out, once and for the session", async () => {
  const message = "The encrypted content for item rs_1 could not be verified.";
  expect(await refusedItems(400, { message })).toEqual(WITHOUT_ITEMS);
  expect(await refusedItems(400, { code: "invalid_encrypted_content", message: "No." })).toEqual(WITHOUT_ITEMS);
});

test("[HIST-19] [C5] an item that is not found is no missing model: the turn goes on without what is opaque", async () => {
  const message = "Item with id 'rs_9' not found. Items are not persisted when `store` is set to false.";
  expect(await refusedItems(404, { message })).toEqual(WITHOUT_ITEMS);
});
