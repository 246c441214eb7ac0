import { expect, test } from "vitest";
import { textOf } from "../../src/protocol/message.ts";
import { type Bench, bench, tool } from "../support/agent-in-folder.ts";
import type { ChatMessage } from "../support/protocol-police.ts";
import {
  broken,
  callTools,
  delta,
  PAUSE,
  refuse,
  reply,
  say,
  stream,
  type Step,
  wholeJson,
} from "../support/wire-script.ts";

const FAST = { retry: { baseMs: 1, maxMs: 1 } };
const look = (): Step => callTools([{ id: `l${counter++}`, name: "look", arguments: {} }]);
let counter = 0;

const sent = (on: Bench, index: number): readonly ChatMessage[] => on.provider.requests[index]?.body.messages ?? [];
const roles = (on: Bench): string[] =>
  on.provider.requests.map(({ body }) => body.messages.map(({ role }) => role.slice(0, 1)).join(""));
const limits = (on: Bench): (number | undefined)[] => on.provider.requests.map(({ body }) => body.max_tokens);

const cut = (text: string): Step => reply({ text, finish: "length" });
const cutCall = (text?: string): Step =>
  reply({
    text,
    calls: [{ id: `w${counter++}`, name: "write", arguments: '{"path":"a","content":"lor' }],
    finish: "length",
  });

test("[C8] a reply cut at the output limit is continued with larger limits, and stored as one message", async () => {
  await using on = await bench(cut("One, "), cut("two,"), cut(" three"), say(" and four."), say("Later."));
  let shown = "";
  const bot = on.agent();
  const result = await bot.run("count", { sessionId: "s", onText: (text) => (shown += text) });
  expect(result).toMatchObject({ answer: "One, two, three and four.", completed: true, partial: false });
  expect(result.exit).toMatchObject({ reason: "text_response", code: 0 });
  expect(result.iterations.used).toBe(4);
  expect(shown).toBe(result.answer);
  expect(result.messages.map(textOf)).toEqual(["count", "One, two, three and four."]);
  expect(limits(on)).toEqual([undefined, 8_192, 12_288, 12_288]);
  expect(roles(on)).toEqual(["su", "suau", "suau", "suau"]);
  expect(sent(on, 2)[2]?.content).toBe("One, two,");
  expect(sent(on, 2)[3]?.content).toMatch(/output limit.*[Cc]ontinue exactly where it stops/);
  await bot.run("and?", { sessionId: "s" });
  expect(
    sent(on, 4)
      .map(({ content }) => content)
      .slice(1),
  ).toEqual(["count", result.answer, "and?"]);
});

test("[C8] after three continuations the joined text is the answer, and the exit says that it was cut", async () => {
  await using on = await bench(cut("a"), cut("b"), cut("c"), cut("d"));
  const result = await on.agent().run("go", { sessionId: "s" });
  expect(result).toMatchObject({ answer: "abcd", ok: false, partial: true, failed: false });
  expect(result.exit).toMatchObject({ reason: "output_truncated", code: 76 });
  expect(result.messages.map((message) => message.role)).toEqual(["user", "assistant"]);
});

test("[C8] a configured limit is the base of the larger ones, which stay within 32,768", async () => {
  await using on = await bench(cut("a"), cut("b"), cut("c"), say("d"), cut("a"), say("b"));
  await on.agent({ maxOutput: 15_000 }).run("go");
  await on.agent({ maxOutput: 50_000 }).run("go");
  expect(limits(on)).toEqual([15_000, 30_000, 32_768, 32_768, 50_000, 50_000]);
  for (const maxOutput of [0, -1, 1.5, Infinity]) expect(() => on.agent({ maxOutput })).toThrow(RangeError);
});

test("[C8] [B2] a continuation is an iteration; when none is left the text that is there is the answer", async () => {
  await using on = await bench(cut("half"));
  const result = await on.agent({ maxIterations: 1 }).run("go");
  expect(result).toMatchObject({ answer: "half", exit: { reason: "output_truncated" } });
});

test("[B4] [C8] a summary that is cut is the answer as far as it came", async () => {
  await using on = await bench(look(), cut("So far"));
  const result = await on.agent({ maxIterations: 1, tools: [tool("look", () => "x")] }).run("go");
  expect(result).toMatchObject({ answer: "So far", exit: { reason: "max_iterations_reached", code: 20 } });
});

test("[C8] an empty continuation ends the turn with the text that had come", async () => {
  await using on = await bench(cut("half"), say(""));
  expect(await on.agent().run("go")).toMatchObject({ answer: "half", exit: { reason: "output_truncated" } });
});

test("[C8] [STRM-21] a reply that was all thought gets one larger limit, then the exit names it", async () => {
  const thoughts = reply({ reasoning: "on and on", finish: "length" });
  await using on = await bench(thoughts, thoughts, thoughts, say("Ah."));
  const result = await on.agent().run("go");
  expect(result).toMatchObject({ answer: null, ok: false, exit: { reason: "thinking_exhausted", code: 76 } });
  expect(result.shown).toBe(result.exit.explain);
  expect(await on.agent().run("go")).toMatchObject({ answer: "Ah.", exit: { reason: "text_response" } });
  expect(limits(on)).toEqual([undefined, 8_192, undefined, 8_192]);
});

test("[STRM-19] a call cut at the limit is asked for again with more room, never run, and not for ever", async () => {
  await using on = await bench(cutCall(), cutCall(), cutCall(), cutCall());
  let ran = 0;
  const bot = on.agent({ tools: [tool("write", () => `${ran++}`, { effect: "effect" })] });
  const result = await bot.run("write it");
  expect(result).toMatchObject({ answer: null, exit: { reason: "output_truncated", code: 76 } });
  expect(ran).toBe(0);
  expect(limits(on)).toEqual([undefined, 8_192, 12_288, 12_288]);
  expect(sent(on, 1).at(-1)).toMatchObject({ role: "user", content: expect.stringMatching(/write was NOT executed/) });
  expect(result.messages.map((message) => message.role)).toEqual(["user", "assistant"]);
});

test("[STRM-19] a call that fits the second time is run, and the text before it is not lost", async () => {
  const whole = callTools([{ id: "w", name: "write", arguments: { path: "a" } }]);
  await using on = await bench(cutCall("Writing."), whole, say("Done."));
  const result = await on.agent({ tools: [tool("write", () => "ok", { effect: "effect" })] }).run("write it");
  expect(result).toMatchObject({ answer: "Done.", exit: { reason: "text_response" } });
  expect(result.messages.map(textOf)).toEqual(["write it", "Writing.", "ok", "Done."]);
});

test("[C9] [STRM-13] empty replies: called again twice, once without tools, then the exit names it", async () => {
  await using on = await bench(say(""), say(" "), say(""), say(""));
  const result = await on.agent({ tools: [tool("look", () => "x")] }).run("go");
  expect(result).toMatchObject({ answer: null, ok: false, failed: true, iterations: { used: 4 } });
  expect(result.exit).toMatchObject({ reason: "empty_response_exhausted", code: 76 });
  expect(result.shown).toBe(result.exit.explain);
  expect(result.messages.map((message) => message.role)).toEqual(["user", "assistant"]);
  expect(roles(on)).toEqual(["su", "su", "su", "suau"]);
  expect(on.provider.requests.map(({ body }) => body.tool_choice)).toEqual([undefined, undefined, undefined, "none"]);
});

test("[C9] [FALL-05] after a tool the model is pointed at its results, once; thoughts alone may go on twice", async () => {
  const thoughts = reply({ reasoning: "hm" });
  await using on = await bench(look(), ...Array.from({ length: 7 }, () => thoughts));
  const result = await on.agent({ tools: [tool("look", () => "x")] }).run("go", { sessionId: "s" });
  expect(result.exit).toMatchObject({ reason: "empty_response_exhausted", code: 76 });
  expect(on.provider.requests).toHaveLength(8);
  const tool1 = "suat";
  expect(roles(on).slice(2)).toEqual([`${tool1}au`, tool1, tool1, tool1, tool1, `${tool1}au`]);
  expect(sent(on, 2).slice(-2)).toMatchObject([
    { content: "(empty)" },
    { content: expect.stringMatching(/tools above/) },
  ]);
  const rungs = on.facts().flatMap((fact) => (fact.type === "attempt-start" ? [fact.rung] : []));
  expect(rungs).toEqual([undefined, undefined, "nudge", "prefill", "prefill", "recall", "recall", "finalise"]);
  expect(result.messages.map(textOf).join()).not.toMatch(/\(empty\)|tools above/);
});

test("[C9] every tool round has a nudge of its own", async () => {
  await using on = await bench(look(), say(""), look(), say(""), say("Found it."));
  const result = await on.agent({ tools: [tool("look", () => "x")] }).run("go");
  expect(result).toMatchObject({ answer: "Found it.", exit: { reason: "text_response" } });
  expect(roles(on)).toEqual(["su", "suat", "suatau", "suatat", "suatatau"]);
});

test("[B13] [C9] what was said beside housekeeping alone answers for an empty reply", async () => {
  const keep = (text?: string): Step => reply({ text, calls: [{ id: `t${counter++}`, name: "todo", arguments: {} }] });
  await using on = await bench(keep("All three files are fixed."), keep(), say(""), say("Next."));
  const bot = on.agent({ tools: [tool("todo", () => "noted")] });
  const result = await bot.run("fix", { sessionId: "s" });
  expect(result).toMatchObject({ answer: "All three files are fixed.", previewed: true, ok: false });
  expect(result.exit).toMatchObject({ reason: "fallback_prior_turn_content", code: 10 });
  expect((await bot.run("next", { sessionId: "s" })).answer).toBe("Next.");
});

test("[B13] what was said beside other calls does not", async () => {
  const both = [
    { id: "a", name: "todo", arguments: {} },
    { id: "b", name: "look", arguments: {} },
  ];
  await using on = await bench(reply({ text: "Let me look.", calls: both }), say(""), say("Here."));
  const bot = on.agent({ tools: [tool("todo", () => "noted"), tool("look", () => "x")] });
  expect((await bot.run("go")).answer).toBe("Here.");
});

const half = { text: ["Half", " an answer", " lost"] };

test("[C10] a stream that broke behind text is continued, and nothing is shown twice", async () => {
  await using on = await bench(broken(half, 3, "cut"), say(" that is whole."));
  let shown = "";
  const result = await on.agent(FAST).run("go", { onText: (text) => (shown += text) });
  expect(result).toMatchObject({ answer: "Half an answer that is whole.", completed: true, iterations: { used: 1 } });
  expect(result.exit.reason).toBe("text_response");
  expect(shown).toBe(result.answer);
  expect(roles(on)).toEqual(["su", "suau"]);
  expect(sent(on, 1).at(-1)?.content).toMatch(/cut off by the network/);
  expect(on.facts().some((fact) => fact.type === "attempt-start" && fact.replaces !== undefined)).toBe(false);
});

test("[C10] a stream that breaks every time leaves the text that had arrived", async () => {
  const again = (end: "cut" | "reset"): Step => broken({ text: [" and", " more"] }, 2, end);
  await using on = await bench(broken(half, 3, "cut"), again("reset"), again("cut"), again("cut"));
  const result = await on.agent(FAST).run("go");
  expect(result).toMatchObject({ answer: "Half an answer and and and", partial: true, failed: false, previewed: true });
  expect(result.exit).toMatchObject({ reason: "partial_stream_recovery", code: 10 });
});

test("[C10] a model that begins again instead of going on says nothing twice, neither on screens nor in the answer", async () => {
  const again = broken(half, 3, "cut");
  await using on = await bench(
    again,
    again,
    say(["Half an ", "answer", " that is whole."]),
    again,
    again,
    again,
    again,
  );
  for (const answer of ["Half an answer that is whole.", "Half an answer"]) {
    let shown = "";
    const result = await on.agent(FAST).run("go", { onText: (text) => (shown += text) });
    expect([result.answer, shown]).toEqual([answer, answer]);
  }
});

test("[C10] text that stood when the server went away for good is the answer", async () => {
  const down = refuse(503, { error: { message: "down" } });
  await using on = await bench(broken(half, 3, "cut"), down, down, down);
  const result = await on.agent(FAST).run("go");
  expect(result).toMatchObject({ answer: "Half an answer", exit: { reason: "partial_stream_recovery", code: 10 } });
});

test("[C10] calls that were on their way are named as not executed, and never run", async () => {
  const calls = ["a", "b", "c", "d"].map((id) => ({ id, name: `send_${id}`, arguments: { to: "all of them" } }));
  await using on = await bench(broken({ text: "Sending.", calls }, 9, "cut"), say(" Not sent."));
  let ran = 0;
  const tools = ["a", "b", "c", "d"].map((id) => tool(`send_${id}`, () => `${ran++}`, { effect: "effect" }));
  const result = await on.agent({ ...FAST, tools }).run("go");
  expect(result.answer).toBe("Sending. Not sent.");
  expect(ran).toBe(0);
  expect(sent(on, 1).at(-1)?.content).toMatch(/send_a, send_b, send_c and 1 more was NOT executed/);
});

test("[C10] [STRM-11] a server that says it is overloaded behind text is given time, then asked for the rest", async () => {
  const overloaded = { error: { type: "overloaded_error", message: "Overloaded" } };
  await using on = await bench(
    stream([delta({ content: "Part" }), `data: ${JSON.stringify(overloaded)}\n\n`]),
    say(" two."),
  );
  const result = await on.agent(FAST).run("go");
  expect(result).toMatchObject({ answer: "Part two.", retries: 1, exit: { reason: "text_response" } });
});

test("[C10] a content filter that stops a stream is no broken line: nothing is continued", async () => {
  await using on = await bench(stream([delta({ content: "Half" }), delta({}, "content_filter")]));
  expect((await on.agent(FAST).run("go")).exit).toMatchObject({ reason: "content_policy", code: 80 });
  expect(on.provider.requests).toHaveLength(1);
});

test("[B4] [D13] what a content filter stopped in the grace call is no answer", async () => {
  const filtered = stream([delta({ content: "Half" }), delta({}, "content_filter")]);
  await using on = await bench(look(), filtered);
  const result = await on.agent({ ...FAST, maxIterations: 1, tools: [tool("look", () => "seen")] }).run("go");
  expect(result).toMatchObject({ answer: null, exit: { reason: "max_iterations_reached" } });
  expect(result.messages.map(textOf).at(-1)).toBe("[no answer: max_iterations_reached]");
});

test("[B14] [C8] a redirect between the halves of a reply keeps the first half, and the model reads the correction behind it", async () => {
  const paused = stream([delta({ content: " in English" }), PAUSE]);
  await using on = await bench(cut("An answer"), paused, say("Eine Antwort."));
  const bot = on.agent();
  const running = bot.run("go", { sessionId: "s" });
  await on.provider.paused();
  expect(await (await bot.sessions.lane("s")).redirect("In German, please.")).toBe(true);
  const result = await running;
  expect(result).toMatchObject({ answer: "Eine Antwort.", exit: { reason: "text_response" } });
  expect(result.messages.map(textOf)).toEqual(["go", "An answer", "In German, please.", "Eine Antwort."]);
  expect(roles(on)).toEqual(["su", "suau", "suau"]);
});

test("[B10] [C8] an injection waits until the reply is whole", async () => {
  await using on = await bench(
    stream([delta({ content: "Half" }), PAUSE, delta({}, "length")]),
    say(" and half."),
    say("Yes."),
  );
  const bot = on.agent();
  const running = bot.run("go", { sessionId: "s" });
  await on.provider.paused();
  await (await bot.sessions.lane("s")).inject("Sure?");
  on.provider.release();
  expect((await running).messages.map(textOf)).toEqual(["go", "Half and half.", "Sure?", "Yes."]);
});

test("[C11] three rounds of nothing but invalid calls end the turn", async () => {
  const invalid = (name: string, input: unknown): Step => callTools([{ id: `i${counter++}`, name, arguments: input }]);
  await using on = await bench(
    invalid("nonsense", {}),
    look(),
    invalid("nonsense", {}),
    invalid("look", "[1]"),
    invalid("nonsense", {}),
  );
  const result = await on.agent({ tools: [tool("look", () => "x")] }).run("go");
  expect(result).toMatchObject({ answer: null, ok: false, partial: true, completed: false });
  expect(result.exit).toMatchObject({ reason: "invalid_tool_calls", code: 76 });
  expect(result.toolEvents.map(({ status }) => status)).toEqual(["error", "ok", "error", "error", "error"]);
  expect(result.messages.at(-1)?.role).toBe("assistant");
});

const whole = (content: string): Step => ({
  ...wholeJson({ choices: [{ message: { role: "assistant", content }, finish_reason: "stop" }] }),
  newHead: true,
});

test("[D14] a limit that does not fit is made smaller, without compressing anything, and holds for this reply alone", async () => {
  const words = "max_tokens: 8000 > context_window: 200000 - input_tokens: 190000 = available_tokens: 5000";
  await using on = await bench(refuse(400, { error: { message: words } }), say("One."), say("Two."));
  const bot = on.agent({ ...FAST, maxOutput: 8_000 });
  expect(await bot.run("go", { sessionId: "s" })).toMatchObject({
    answer: "One.",
    retries: 0,
    iterations: { used: 1 },
  });
  expect((await bot.run("on", { sessionId: "s" })).answer).toBe("Two.");
  expect(limits(on)).toEqual([8_000, 4_936, 8_000]);
});

test("[D14] a server that finds every limit too large is not asked for ever", async () => {
  const room = (tokens: number): Step => refuse(400, { error: { message: `max_tokens: available_tokens: ${tokens}` } });
  await using falling = await bench(room(5_000), room(4_000), room(3_000), room(2_000));
  expect((await falling.agent(FAST).run("go")).exit).toMatchObject({ reason: "context_overflow", code: 24 });
  await using standing = await bench(room(5_000), room(5_000));
  expect((await standing.agent(FAST).run("go")).exit).toMatchObject({ reason: "context_overflow", code: 24 });
});

test("[C18] a server that refuses to stream is asked without, for the rest of the session", async () => {
  const no = refuse(400, { error: { message: "Streaming is not supported for this model" } });
  await using on = await bench(no, whole("One."), whole("Two."), no, whole("Three."));
  const bot = on.agent(FAST);
  let shown = "";
  const first = await bot.run("go", { sessionId: "s", onText: (text) => (shown += text) });
  expect(first).toMatchObject({ answer: "One.", iterations: { used: 1 }, retries: 0 });
  expect(shown).toBe("One.");
  expect((await bot.run("more", { sessionId: "s" })).answer).toBe("Two.");
  expect((await bot.run("other", { sessionId: "t" })).answer).toBe("Three.");
  const flags = on.provider.requests.map(({ body }) => body.stream);
  expect(flags).toEqual([true, false, false, true, false]);
  expect(on.provider.requests[1]?.text).not.toContain("stream_options");
});

test("[C18] a server that refuses both is not asked for ever", async () => {
  const no = (newHead?: true): Step => ({
    ...refuse(400, { error: { message: "stream is not supported" } }),
    ...(newHead && { newHead }),
  });
  await using on = await bench(no(), no(true));
  expect((await on.agent(FAST).run("go")).exit).toMatchObject({ reason: "request_rejected", code: 76 });
});

test("[C18] a reply in one piece has a silence limit of its own", async () => {
  const no = refuse(400, { error: { message: "Streaming is not supported" } });
  const silent: Step = { frames: [], end: "open", newHead: true };
  await using on = await bench(no, silent, silent, silent);
  const stream_ = { nonStreamIdleMs: 30, firstByteMs: 60_000, idleMs: 60_000 };
  const result = await on.agent({ ...FAST, stream: stream_ }).run("go");
  expect(result.exit).toMatchObject({ reason: "all_retries_exhausted_no_response", code: 75 });
});

test("[C19] every attempt that brings anything says so once, before its first piece, be it text or thought", async () => {
  const down = refuse(503, { error: { message: "down" } });
  const step = callTools([{ id: "c", name: "look", arguments: {} }]);
  await using on = await bench(
    down,
    reply({ reasoning: "hm" }),
    step,
    reply({ reasoning: "so", text: ["Well", " done."] }),
  );
  const bot = on.agent({ ...FAST, tools: [tool("look", () => "x")] });
  const seen: string[] = [];
  for await (const event of await bot.sessions.start("s", "go")) {
    if (event.type === "first-delta") seen.push(`first ${event.attempt}`);
    else if (event.type === "attempt-start") seen.push(`attempt ${event.attempt}`);
    else if (event.type === "text-delta" || event.type === "reasoning-delta") seen.push(event.type.slice(0, 4));
  }
  expect(seen.filter((item, at) => item !== seen[at - 1])).toEqual([
    "attempt 1",
    "attempt 2",
    "first 2",
    "reas",
    "attempt 3",
    "attempt 4",
    "first 4",
    "reas",
    "text",
  ]);
});
