import { calls, replies, type ReplyAct, says, thinks } from "../dialects/script.ts";

import { blocked, both, type Expected, type Family, type Fault, harmless, onlyStreams } from "./fault.ts";
import { HALF, HELLO } from "./said.ts";

const word = (
  name: string,
  finish: ReplyAct["finish"],
  expected: Fault["expected"],
  reply: ReplyAct = HELLO,
): Fault => ({
  name,
  expected,
  act: () => ({ ...reply, ...(finish !== undefined && { finish }) }),
});

const CUT: Expected = {
  reason: null,
  does: ["cut short", "cut short", "cut short", "cut short"],
  backed: ["cut short", "cut short", "cut short", "cut short"],
  exit: "output_truncated",
  code: 76,
  passes: true,
  answer: /^Half/,
};

/** As many times as row C9 has steps. */
const emptyTimes = (times: number): Expected => ({
  reason: null,
  does: Array.from({ length: times }, () => "empty"),
  backed: [...Array.from({ length: times }, () => "empty"), "switch"],
  exit: "empty_response_exhausted",
  code: 76,
  passes: true,
});

const twoCalls = [calls("look", { at: "a" }, { id: "same" }), calls("look", { at: "b" }, { id: "same" })];

export const REPLIES: Family = {
  name: "200: replies",
  rows: ["C8", "C9", "D13"],
  faults: [
    word("a refusal", "refusal", blocked(/refus|filter/), says("I will not.")),
    word("a content filter behind some text", "filter", blocked(/filter|refus/), HALF),
    // An incomplete response says by what it was cut, and a limit is the likeliest (row C4).
    word("a word for the end that nobody knows", { word: "mystery" }, ({ mode }) =>
      mode === "codex_responses" ? { ...CUT, answer: /^Hello/ } : harmless(),
    ),
    word("cut by the output limit, each time", "length", CUT, HALF),
    word("empty, each time", "stop", emptyTimes(4), replies([])),
    word("only thought, each time", "stop", emptyTimes(6), replies([thinks("Hm.")])),
    { name: "usage is missing", expected: harmless(), act: () => ({ ...HELLO, usage: null }) },
    { name: "usage below zero", expected: harmless(), act: () => ({ ...HELLO, usage: { input: -5, output: -1 } }) },
    {
      name: "NUL and half a surrogate in the text",
      expected: harmless(/^a.?b.?c$/u),
      act: () => says("a\u0000b\ud800c"),
    },
    {
      name: "a tool that does not exist",
      once: true,
      expected: harmless("Hello", ["refuse a call"]),
      act: () => replies([calls("nowhere", {})]),
    },
    {
      name: "arguments that are no object",
      once: true,
      expected: harmless("Hello", ["refuse a call"]),
      act: () => replies([calls("look", '["it"]')]),
    },
    {
      name: "two calls of one id",
      once: true,
      expected: harmless("Hello", ["run tools"]),
      act: () => replies(twoCalls),
    },
    {
      name: "a call without an id",
      once: true,
      expected: harmless("Hello", ["run tools"]),
      act: () => replies([calls("look", { at: "a" }, { id: null })]),
    },
    {
      name: "calls whose pieces take turns",
      once: true,
      expected: harmless("Hello", ["run tools"]),
      act: () => replies([calls("look", { at: "a" }), calls("look", { at: "b" })], { interleaved: true }),
      impossible: both(onlyStreams, ({ mode }) => (mode === "gemini" ? "calls come whole" : undefined)),
    },
    { name: "a line of 1 MB", expected: harmless(/^(?:long ){1000}/), act: () => says("long ".repeat(200_000)) },
  ],
};
