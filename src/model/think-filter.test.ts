import fc from "fast-check";
import { expect, test } from "vitest";
import { stripThink, ThinkFilter } from "./think-filter.ts";
import { workMs } from "../../test/support/work.ts";

interface Split {
  readonly text: string;
  readonly reasoning: string;
}

function filterAll(chunks: readonly string[]): Split {
  const filter = new ThinkFilter();
  for (const chunk of chunks) filter.feed(chunk);
  filter.end();
  return { text: filter.text, reasoning: filter.reasoning };
}

function cut(text: string, at: readonly number[]): string[] {
  const borders = [0, ...at.map((n) => n % (text.length + 1)).toSorted((a, b) => a - b), text.length];
  return borders.slice(1).map((border, i) => text.slice(borders[i], border));
}

const fragments = [
  "<think>",
  "</think>",
  "<THINKING>",
  "</thinking>",
  "<thought>",
  "</thought>",
  "<thinking/>",
  "<think/>",
  "<think",
  "<tool_call>",
  "</tool_call>",
  '<tool_call id="1">',
  '<function name="x">',
  "<function=x>",
  "</function>",
  ". ",
  "ready:",
  "<|channel|>",
  "<channel|>",
  "<|",
  "<",
  "</",
  ">",
  "`",
  "``",
  "```",
  "```\n",
  "\n",
  " ",
  "\n  ",
  "a",
  "word",
  "广场",
  "<thinker>",
  "<reasoning_scratchpad>",
  "</REASONING_SCRATCHPAD>",
  "<thi",
  "</th",
  "<func",
  "a < b",
  "<tool_call ",
  "<function ",
  "name=",
  "y".repeat(130),
];
const pieces = fc.array(fc.constantFrom(...fragments), { maxLength: 24 }).map((list) => list.join(""));

test("[C12] cutting the stream anywhere changes nothing that is shown or thought", () => {
  fc.assert(
    fc.property(pieces, fc.array(fc.nat(), { maxLength: 12 }), (text, borders) => {
      expect(filterAll(cut(text, borders))).toEqual(filterAll([text]));
      expect(filterAll(text.split(""))).toEqual(filterAll([text]));
    }),
    { numRuns: 3_000 },
  );
});

test("[C12] text without tags passes as it is, at once", () => {
  const plain = fc.string({ maxLength: 60 }).map((text) => text.replaceAll("<", "("));
  fc.assert(
    fc.property(fc.array(plain, { maxLength: 8 }), (chunks) => {
      const filter = new ThinkFilter();
      for (const chunk of chunks) {
        filter.text = "";
        filter.feed(chunk);
        expect(filter.text).toBe(chunk);
      }
    }),
  );
});

test("[C12] nothing is invented: visible text and reasoning are taken from what came", () => {
  fc.assert(
    fc.property(pieces, (text) => {
      const { text: visible, reasoning } = filterAll([text]);
      expect(visible.length + reasoning.length).toBeLessThanOrEqual(text.length);
      expect(isSubsequence(visible, text)).toBe(true);
    }),
  );
});

function isSubsequence(part: string, whole: string): boolean {
  let at = 0;
  for (const char of whole) if (char === part[at]) at++;
  return at >= part.length;
}

test("[C12] 400 KB of thinking, one character at a time, costs linear time", () => {
  const took = workMs(() => {
    const inside = filterAll([
      "<think>",
      ...Array.from({ length: 400_000 }, (_, i) => (i % 7 === 0 ? "<" : "x")),
      "</think>ok",
    ]);
    expect(inside.text).toBe("ok");
    expect(inside.reasoning).toHaveLength(400_000);
    // In the middle of a line everything is held back until the end.
    const held = filterAll(["see <think> and", ...Array.from({ length: 400_000 }, () => "<")]);
    expect(held.text).toHaveLength(400_015);
    // Each of these is held back for another name.
    const nested = filterAll([`see ${"<think> <thought> <reasoning> <tool_call> ".repeat(10_000)}`]);
    expect(nested.text).toContain("<tool_call>");
    const calls = filterAll([`So.${" ".repeat(400_000)}${'<function name="x">y</function>'.repeat(20_000)}`]);
    expect(calls.text).toHaveLength(400_003);
  });
  expect(took).toBeLessThan(5_000);
});

const VISIBLE: readonly (readonly [name: string, input: string, visible: string, reasoning?: string])[] = [
  ["a pair in the middle of a line", "Hello <think>note</think> world", "Hello  world", "note"],
  ["any case, any of the names", "<REASONING_SCRATCHPAD>x</reasoning_scratchpad><Thought>y</THOUGHT>z", "z", "xy"],
  ["an open block at the start of a line", "Hi\n  <think>more", "Hi\n  ", "more"],
  ["a lone open tag in a sentence", "Use the <think> tag.", "Use the <think> tag."],
  ["a lone open tag, then a real block", "The <think> tag\n<thought>hm</thought>ok", "The <think> tag\nok", "hm"],
  ["a tag in a code span", "Explain `<think>` and `</think>` please", "Explain `<think>` and `</think>` please"],
  ["tags in a fence", "```xml\n<think>a</think>\n```\n<think>b</think>c", "```xml\n<think>a</think>\n```\nc", "b"],
  ["a span that is never closed ends with its line", "it`s\n<think>a</think>b", "it`s\nb", "a"],
  ["an orphan close tag and the white space behind it", "Hello</think> \n world", "Helloworld"],
  ["a pair of different names", "<think>a</thought>b", "", "a</thought>b"],
  [
    "longer and self-closed tags",
    "<thinker>x</thinker> <think/> <think-foo> <think:x>",
    "<thinker>x</thinker> <think/> <think-foo> <think:x>",
  ],
  ["self-closed thinking in front and behind", "<thinking/>ok<thinking/> \n", "ok"],
  ["self-closed thinking in the middle", "a<thinking/> b", "a<thinking/> b"],
  ["a malformed opener", "<think广场 is", "广场 is"],
  ["a channel marker in front only", "<|channel|>a<|channel|>b", "a<|channel|>b"],
  ["a cut open tag at the end", "answer <thin", "answer "],
  ["a cut close tag at the end", "answer </rea", "answer "],
  ["less-than signs at the end", "a < b, done <", "a < b, done <"],
  ["one letter of another name", "for i <r", "for i <r"],
  ["a tool call as text", 'On it.\n<tool_call>{"name":"ls"}</tool_call>\nok', "On it.\n\nok"],
  ["a tool call as text, with attributes, cut off", 'On it.\n<function name="ls"><parameter', "On it.\n"],
  [
    "a function call behind a sentence",
    'On it. <function name="ls">x</function> ok!<function=a>b</function>',
    "On it.  ok!",
  ],
  ["a function call behind text", 'Use <function name="f">x</function> y', 'Use <function name="f">xy'],
  ["a function call behind a thought", '<think>a</think><function name="f">x</function>ok', "ok", "a"],
  ["a function call behind a sentence, cut off", 'So: <function name="f"> it', 'So: <function name="f"> it'],
  ["a namespaced tool call", 'x <minimax:tool_call>\n<invoke name="t"></invoke></minimax:tool_call>', "x "],
  ["a stray close tag of a tool call", "answer</function> trailing", "answertrailing"],
  ["other people's tags", "<p>1 <b>2</b></p> <function> </span>", "<p>1 <b>2</b></p> <function> </span>"],
];

test.for(VISIBLE)("[C12] %s", ([, input, visible, reasoning = ""]) => {
  expect(filterAll(input.split(""))).toEqual({ text: visible, reasoning });
});

test("[C12] a line that an unfinished block began is stripped with it", () => {
  expect(stripThink("Answer is 42.\n<think>let me reconsider")).toBe("Answer is 42.");
  expect(stripThink("Answer is 42.\n")).toBe("Answer is 42.\n");
});
