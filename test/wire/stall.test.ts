import { expect, test } from "vitest";
import { fakeProvider } from "../support/fake-provider.ts";
import { connect } from "../support/wire-client.ts";
import { VirtualTimers } from "../support/virtual-timers.ts";
import { broken, delta, PAUSE, reply, replyFrames, stream } from "../support/wire-script.ts";

const LIMITS = { firstByteMs: 5_000, idleMs: 5_000, callMs: 5_000 };

test("[C6] no first byte: the attempt ends as a retryable timeout", async () => {
  const timers = new VirtualTimers();
  await using provider = await fakeProvider([stream([PAUSE])]);
  using client = connect(provider.baseUrl, { timers, stream: { ...LIMITS, firstByteMs: 30 } });
  const calling = client.call();
  await provider.paused();
  timers.advance(30);
  const { reply: got } = await calling;
  expect(got).toMatchObject({ type: "failure", failure: { reason: "timeout", retryable: true } });
  expect(got).not.toHaveProperty("partial");
  expect(JSON.stringify(got)).toContain("sent nothing for 30 ms");
});

test("[C6] [STRM-15] one delta, then only comments: the idle limit ends it and what was shown is partial", async () => {
  // Were comments content, this would go on to its end and be a message.
  const comments = Array.from({ length: 100 }, () => [{ waitMs: 5 }, ": ping\n\n"]);
  const step = stream([delta({ content: "Hello" }), ...comments.flat(), delta({}, "stop")]);
  await using provider = await fakeProvider([step]);
  using client = connect(provider.baseUrl, { stream: { ...LIMITS, idleMs: 50 } });
  const { reply: got, text } = await client.call();
  expect(got).toMatchObject({ failure: { reason: "timeout" }, partial: { text: "Hello", droppedTools: [] } });
  expect(text).toBe("Hello");
  expect(JSON.stringify(got)).toContain("no content for 50 ms");
});

test("[C6] the whole call is limited", async () => {
  await using provider = await fakeProvider([stream([delta({ content: "Hello" }), PAUSE])]);
  const timers = new VirtualTimers();
  using client = connect(provider.baseUrl, { timers, stream: { ...LIMITS, callMs: 30 } });
  const { reply: got } = await client.call({ onDelta: () => timers.advance(30) });
  expect(JSON.stringify(got)).toContain("not complete after 30 ms");
});

test("[C6] a stalled error body ends too", async () => {
  await using provider = await fakeProvider([{ status: 500, frames: ["{", PAUSE] }]);
  using client = connect(provider.baseUrl, { stream: { ...LIMITS, idleMs: 30 } });
  expect((await client.call()).reply).toMatchObject({ type: "failure", failure: { retryable: true } });
});

test("[B15] [STRM-15] an abort while the server is silent settles at once and closes the connection", async () => {
  await using provider = await fakeProvider([stream([PAUSE])]);
  // No time passes: what waited for any would never end.
  using client = connect(provider.baseUrl, { timers: new VirtualTimers() });
  const stop = new AbortController();
  const calling = client.call({ signal: stop.signal });
  await provider.paused();
  stop.abort();
  expect((await calling).reply).toEqual({ type: "aborted", text: "", reasoning: "" });
});

test("[B15] an abort in mid-stream keeps what was shown, and nothing is shown afterwards", async () => {
  const frames = replyFrames({ reasoning: "hm", text: ["Half ", "an answer"] });
  await using provider = await fakeProvider([stream([...frames.slice(0, 3), PAUSE, ...frames.slice(3)])]);
  using client = connect(provider.baseUrl);
  const stop = new AbortController();
  const heard = await client.call({
    signal: stop.signal,
    onDelta: (shown) => {
      if (shown.type === "text-delta") stop.abort();
    },
  });
  expect(heard.reply).toEqual({ type: "aborted", text: "Half ", reasoning: "hm" });
  provider.release();
  expect(heard.text).toBe("Half ");
});

test("[B15] a signal that is aborted already sends nothing", async () => {
  await using provider = await fakeProvider([]);
  using client = connect(provider.baseUrl);
  expect((await client.call({ signal: AbortSignal.abort() })).reply.type).toBe("aborted");
  expect(provider.connections).toBe(0);
});

test("[C12] what the filter held back is shown when the stream breaks, so stored text is shown text", async () => {
  await using provider = await fakeProvider([broken({ text: "The <think> tag" }, 2, "cut")]);
  using client = connect(provider.baseUrl);
  const { reply: got, text } = await client.call();
  expect(text).toBe("The <think> tag");
  expect(got).toMatchObject({ type: "failure", partial: { text } });
});

test("[C6] one connection serves request after request", async () => {
  await using provider = await fakeProvider([reply({ text: "a" }), reply({ text: "b" }), reply({ text: "c" })]);
  using client = connect(provider.baseUrl);
  for (const expected of ["a", "b", "c"]) expect((await client.call()).text).toBe(expected);
  expect(provider.connections).toBe(1);
});
