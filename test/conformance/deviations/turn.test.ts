import { expect, test } from "vitest";
import type { Json, JsonObject } from "../case-file.ts";
import { EVANDER } from "../run.ts";
import { runCases, type Verdict } from "../run-cases.ts";

async function verdictOf(area: string, input: Json, recorded: Json): Promise<Verdict | undefined> {
  const file = { cases: [{ id: "x", area, input, expect: recorded }], symbols: new Map<string, Json>() };
  return (await runCases(file, EVANDER, undefined))[0]?.verdict;
}

const turn = (script: readonly Json[], more: JsonObject = {}): Json => ({
  agent_defaults: { model: "m", provider: "p", max_iterations: 10, tools: ["web_search", "todo", "terminal"] },
  script,
  ...more,
});
const says = (content: string, more: JsonObject = {}): Json => ({ response: { content, ...more } });
const asks = (name: string, args: string, content = ""): Json => ({
  response: { content, finish_reason: "tool_calls", tool_calls: [{ id: "c1", name, arguments: args }] },
});
const RETURNED = { completed: false, early_return: true };
const DONE = { completed: true, turn_exit_reason: "text_response(finish_reason=stop)" };
const unknown = asks("zzqx", "{}");
const unreadable = asks("terminal", '{"q": nope}');
const error = { status: 500, message: "Internal error" };

test.each<[string, Json, JsonObject, string]>([
  [
    "[C11] three rounds of invalid names",
    turn([unknown, unknown, unknown]),
    {
      ...RETURNED,
      partial: true,
      model_calls: 3,
      roles: ["user", "assistant+tc", "tool", "assistant+tc", "tool"],
      final_response: null,
      error: { nonempty: true },
    },
    "receipt",
  ],
  [
    "[C11] arguments nobody can read",
    turn([unreadable, unreadable, unreadable, says("ok")]),
    { ...DONE, model_calls: 4, roles: ["user", "assistant+tc", "tool", "assistant"], final_response: "ok" },
    "receipt",
  ],
  [
    "[C8] three cut replies",
    turn(["a", "b", "c"].map((text) => says(text, { finish_reason: "length" }))),
    {
      ...RETURNED,
      partial: true,
      model_calls: 3,
      roles: ["user", "assistant", "user", "assistant", "user", "assistant"],
      final_response: "abc",
    },
    "one message",
  ],
  [
    "[C8] only thoughts",
    turn([says("<think>hm", { finish_reason: "length" })]),
    { ...RETURNED, partial: true, model_calls: 1, final_response: { nonempty: true } },
    "finalise",
  ],
  [
    "[J1] a server that stays ill",
    turn([{ error }, { error }, { error }]),
    {
      ...RETURNED,
      failed: true,
      model_calls: 3,
      roles: ["user"],
      final_response: { contains: ["Internal error"] },
      error: { nonempty: true },
    },
    "finalise",
  ],
  [
    "[B4] the iteration limit",
    turn([asks("terminal", "{}"), asks("terminal", '{"n":2}'), says("So far.")], { agent: { max_iterations: 2 } }),
    {
      completed: false,
      turn_exit_reason: "max_iterations_reached(2/2)",
      model_calls: 3,
      roles: ["user", "assistant+tc", "tool", "assistant+tc", "tool", "user", "assistant"],
      final_response: "So far.",
    },
    "grace call",
  ],
  [
    "[B13] [C9] nothing behind a housekeeping batch",
    turn([asks("todo", "{}", "All is noted."), says("")]),
    {
      completed: true,
      turn_exit_reason: "fallback_prior_turn_content",
      response_previewed: true,
      model_calls: 2,
      roles: ["user", "assistant+tc", "tool"],
      final_response: "All is noted.",
    },
    "finalise",
  ],
])("a recorded turn that ends otherwise is a deviation: %s", async (_name, input, recorded, reason) => {
  const verdict = await verdictOf("turn", input, recorded);
  expect(verdict).toMatchObject({ status: "deviation" });
  expect(verdict?.reason).toContain(reason);
});

const passes = { ...DONE, model_calls: 1, roles: ["user", "assistant"], final_response: "Hi." };

test.each<[string, Json]>([
  ["fallbacks nobody needs", turn([says("Hi.")], { fallbacks: [{ provider: "p", model: "other" }] })],
  ["thoughts beside a text", turn([says("Hi.", { reasoning: "hm" })])],
  ["thoughts in blocks", turn([says("Hi.", { thinking_blocks: [{ type: "thinking", thinking: "hm" }] })])],
  [
    "a refusal that passes",
    turn([{ error: { status: 429, message: "Slow down", headers: { "retry-after": 3 } } }, says("Hi.")]),
  ],
  [
    "a body of the server's own",
    turn([{ error: { status: 503, body: { error: { message: "overloaded" } } } }, says("Hi.")]),
  ],
  ["a broken line", turn([{ error: { type: "ReadTimeout", message: "timed out" } }, says("Hi.")])],
  ["no response at all", turn([{ response: null }, says("Hi.")])],
  ["long output from outside", turn([says("Hi.")], { tool_results: { web_search: "x".repeat(32) } })],
])("a recorded turn passes: %s", async (_name, input) => {
  const { model_calls: _calls, ...recorded } = passes;
  expect(await verdictOf("turn", input, recorded)).toMatchObject({ status: "pass" });
});

test("a turn that no rule speaks of passes as it was recorded, or fails", async () => {
  expect(await verdictOf("turn", turn([says("Hi.")]), passes)).toMatchObject({ status: "pass" });
  expect(await verdictOf("turn", turn([says("Hi.")]), { ...passes, model_calls: 2 })).toMatchObject({ status: "fail" });
  const cut = turn([says("H", { finish_reason: "length" }), says("i.")]);
  const roles = ["user", "assistant", "user", "assistant"];
  const recorded = { ...passes, model_calls: 2, roles };
  expect(await verdictOf("turn", cut, recorded)).toMatchObject({ status: "deviation" });
  expect(await verdictOf("turn", cut, { ...recorded, models: ["other", "other"] })).toMatchObject({ status: "fail" });
});

test.each<[string, JsonObject, string]>([
  ["fallbacks", { fallbacks: [{ provider: "p", model: "other" }], script: [says("")] }, "fallback chain"],
  ["a compressor that shrinks", { compress: ["half"] }, "summary"],
  ["other attempts", { agent: { api_max_retries: 5 }, script: [{ error }, says("Hi.")] }, "no setting"],
  ["a key nobody knows", { moon: "full" }, "moon"],
])("what a later part must bring is not supported, and says why: %s", async (_name, more, reason) => {
  const verdict = await verdictOf("turn", turn([says("Hi.")], more), passes);
  expect(verdict?.status).toBe("unsupported");
  expect(verdict?.reason).toContain(reason);
});

const run = (responses: readonly Json[], more: JsonObject = {}): Json => ({ responses, ...more });

test.each<[string, Json, JsonObject, string]>([
  [
    "[B10] two messages at once",
    run([{ content: "first" }, { content: "second" }], { injections: [["one", "two"]] }),
    {
      stop_reason: "completed",
      new_messages: [
        { role: "assistant", content: "first" },
        { role: "user", content: "one\n\ntwo" },
        { role: "assistant", content: "second" },
      ],
    },
    "one of its own",
  ],
  [
    "[C11] a name in another case",
    run([{ content: "", tool_calls: [{ id: "a", name: "READ_FILE", arguments: {} }] }, { content: "ok" }], {
      tools: { read_file: { returns: "data" } },
    }),
    { final_content: "ok", stop_reason: "completed", tools_used: [], tool_run_counts: { read_file: 0 } },
    "surely meant",
  ],
  [
    "[D13] a refusal with words",
    run([{ content: "no", finish_reason: "refusal" }]),
    { final_content: "no", stop_reason: "completed", llm_calls: 1 },
    "refusal",
  ],
])("a recorded run that goes otherwise is a deviation: %s", async (_name, input, recorded, reason) => {
  const verdict = await verdictOf("agent_loop", input, recorded);
  expect(verdict).toMatchObject({ status: "deviation" });
  expect(verdict?.reason).toContain(reason);
});

test("goals and the boundary of the working folder are later parts", async () => {
  const answered = run([{ content: "a" }]);
  const outside = { read_file: { error: "Error: /etc/x is outside allowed directory /ws" } };
  for (const more of [{ goal_active: 1 }, { tools: outside }])
    expect(await verdictOf("agent_loop", { ...(answered as JsonObject), ...more }, {})).toMatchObject({
      status: "unsupported",
    });
});

test.each<[string, string, Json, Json, Json]>([
  [
    "[A12] a context is fenced",
    "runtime_context",
    { content: "hi", blocks: ["A"] },
    { model_content: "hi\n\nA", public_content: "hi", has_marker: true },
    { public_content: "hi", has_marker: true },
  ],
  [
    "[A12] a marker of another program",
    "runtime_context",
    { stored: "hi\n\nA", marker: { version: 1, suffix: "A" } },
    { public_content: "hi" },
    { public_content: "hi\n\nA" },
  ],
  [
    "[A9] a question that was stored late",
    "save_boundary",
    { message_metadata: {}, initial_message_count: 4, history_count: 2, input_persisted_early: false },
    { skip: 3 },
    { skip: 4 },
  ],
  [
    "[A4] letters beyond ASCII",
    "ascii_fallback",
    { messages: [{ role: "user", content: "né" }] },
    { changed: true, messages: [{ role: "user", content: "n" }] },
    { changed: false, messages: [{ role: "user", content: "né" }] },
  ],
])("what is stored and sent deviates by rule: %s", async (_name, ...[area, input, recorded, ours]) => {
  expect(await verdictOf(area, input, recorded)).toMatchObject({ status: "deviation" });
  expect(await verdictOf(area, input, ours)).toMatchObject({ status: "pass" });
});
