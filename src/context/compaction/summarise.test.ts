import { expect, test } from "vitest";
import { assistantText, type Message, textOf, userText } from "../../protocol/message.ts";
import type { SummaryRequest } from "../../protocol/ports.ts";
import { noAnswer } from "../../protocol/projection/placeholder.ts";
import type { SummaryRun } from "./read-summary.ts";
import { rules } from "./rules.ts";
import { type SummaryAsk, summarising, type SummaryPorts } from "./summarise.ts";

const SAID = "## Done\n1. All.";
const run = (more: Partial<SummaryRun> = {}): SummaryRun => ({
  ok: true,
  answer: SAID,
  reason: "text_response",
  message: null,
  messages: [],
  ...more,
});
const NEVER = new AbortController().signal;

/** A model that answers so, in turn; the last answer again and again. */
function world(answers: readonly SummaryRun[], more: Partial<SummaryPorts> & { readonly window?: number } = {}) {
  const asked: SummaryAsk[] = [];
  const warned: string[] = [];
  const { window = 128_000, ...ports } = more;
  const clock = { nowMs: 0, elapsed: () => clock.nowMs };
  const summarise = summarising({
    own: {
      window: () => Promise.resolve(window),
      run: (ask) => {
        asked.push(ask);
        return Promise.resolve(answers[Math.min(asked.length, answers.length) - 1] ?? run());
      },
    },
    other: undefined,
    clean: (text) => text.replaceAll("sk-secret", "***"),
    clock,
    warn: (trouble) => warned.push(trouble),
    ...ports,
  });
  return { asked, warned, clock, summarise };
}

function firstOf([first]: readonly SummaryAsk[]): SummaryAsk {
  if (first === undefined) throw new Error("nobody was asked");
  return first;
}

const long = (of: string): string => `${of} ${"and so on ".repeat(400)}`;
const turns = (count: number): Message[] =>
  Array.from({ length: count }, (_, at) => [userText(`question ${at}`), assistantText(long(`answer ${at}`))]).flat();
const request = (history: readonly Message[], more: Partial<SummaryRequest> = {}): SummaryRequest => ({
  sessionId: "s",
  history,
  compaction: undefined,
  target: 4_000,
  ...more,
});

test("[F3] after a failure nobody is asked for a minute, for ten where there is no provider; a person who asks is served", async () => {
  const { asked, clock, summarise } = world([run({ ok: false, answer: null, reason: "no_provider", message: "none" })]);
  const history = turns(10);
  expect(await summarise(request(history), NEVER)).toEqual({ trouble: "none" });
  clock.nowMs = 599_000;
  expect(await summarise(request(history), NEVER)).toEqual({ trouble: "none (not asked again for 1 s)" });
  expect(asked).toHaveLength(1);
  await summarise(request(history, { asked: true }), NEVER);
  expect(asked).toHaveLength(2);
  clock.nowMs += 600_000;
  await summarise(request(history), NEVER);
  expect(asked).toHaveLength(3);
  const other = world([run({ answer: "" }), run()]);
  expect(await other.summarise(request(history), NEVER)).toEqual({ trouble: "the model said nothing" });
  other.clock.nowMs = 60_000;
  expect(await other.summarise(request(history), NEVER)).toMatchObject({ compaction: { summary: SAID } });
});

test("[F3] a model for summaries alone that fails is asked once; the conversation's own does it, and it is told", async () => {
  let times = 0;
  const other = {
    window: () => Promise.resolve(undefined),
    run: () => {
      times++;
      return Promise.resolve(
        run({ ok: false, answer: null, reason: "request_rejected", message: "404 no such model" }),
      );
    },
  };
  const { warned, summarise } = world([run()], { other });
  for (const _ of [1, 2])
    expect(await summarise(request(turns(10)), NEVER)).toMatchObject({ compaction: { summary: SAID } });
  expect([times, warned]).toEqual([1, ["404 no such model"]]);
});

test("[F3] what a model with a small window is told is cut to what fits, the oldest last; where nothing fits it is not asked", async () => {
  const { asked, summarise } = world([run()], { window: 12_000 });
  await summarise(request(turns(60)), NEVER);
  const { prompt, maxOutput } = firstOf(asked);
  expect(prompt.length / 4 + maxOutput).toBeLessThan(12_000);
  expect(prompt).toContain("answer 40");
  expect(prompt).toMatch(/The oldest \d+ pieces of this part had no room|\[… \d+ characters …\]/u);
  const tiny = world([run()], { window: 5_000 });
  expect(await tiny.summarise(request(turns(20)), NEVER)).toEqual({
    trouble: "the window of the model that sums up is too small",
  });
  expect(tiny.asked).toEqual([]);
});

test("[COMP-09] [J3] neither what stands for an answer that never came, nor what others added, nor a key is told", async () => {
  const memory = { type: "context", source: "memory", text: "likes Lapsang" } as const;
  const history: Message[] = [
    ...turns(2),
    { role: "user", parts: [{ type: "text", text: long("my key is sk-secret") }, memory] },
    assistantText(noAnswer("context_overflow")),
    userText(long("and now?")),
    {
      role: "assistant",
      parts: [
        { type: "reasoning", text: "hm, hm" },
        { type: "text", text: "Well." },
      ],
    },
    ...turns(6),
  ];
  const { asked, summarise } = world([run({ answer: "## Done\n1. Used sk-secret." })]);
  const done = await summarise(request(history), NEVER);
  const { prompt } = firstOf(asked);
  expect(prompt).toContain("my key is ***");
  expect(prompt).toContain("Well.");
  expect(prompt).not.toMatch(/no answer|context_overflow|Lapsang|hm, hm/u);
  expect(done).toMatchObject({ compaction: { summary: "## Done\n1. Used ***." } });
});

test("[F3] rules that leave out more keep what a model has said; the next summary tells what they left out", async () => {
  const { asked, summarise } = world([run()]);
  const history = turns(12);
  const first = await summarise(request(history), NEVER);
  const summed = "compaction" in first ? first.compaction : undefined;
  const later = [...history, ...turns(6).map((message, at) => (at === 1 ? assistantText(long("told late")) : message))];
  const cut = rules.compact({ history: later, compaction: summed, share: 0.2 });
  expect(cut).toMatchObject({ summary: SAID, summaryTo: summed?.from });
  expect(cut?.from).toBeGreaterThan(history.length);
  await summarise(request([...later, ...turns(6)], { compaction: cut }), NEVER);
  expect(asked[1]?.prompt).toContain("told late");
  expect(asked[1]?.prompt).toContain(`<old_summary>\n${SAID}\n</old_summary>`);
});

test("[F3] the open items of the todo list go with it", async () => {
  const todos = [
    { id: "1", content: "find the bug", status: "completed" },
    { id: "2", content: "write the\ntest", status: "in_progress" },
    { id: "3", content: "tell the team", status: "pending" },
  ];
  const call = { type: "tool-call", callId: "c", name: "todo", input: "{}" } as const;
  const receipt: Message = {
    role: "tool",
    callId: "c",
    status: "ok",
    parts: [{ type: "text", text: JSON.stringify({ todos }) }],
  };
  const history: Message[] = [userText("go"), { role: "assistant", parts: [call] }, receipt, ...turns(10)];
  const { summarise } = world([run()]);
  const done = await summarise(request(history), NEVER);
  const open = "- [>] write the test\n- [ ] tell the team";
  expect(done).toMatchObject({ compaction: { todos: open } });
  const byRules = rules.compact({ history, compaction: undefined, share: 0.1 });
  expect(byRules).toMatchObject({ todos: open });
});

test("[F3] a summary that makes nothing smaller is none, and a stop is no failure", async () => {
  const { clock, asked, summarise } = world([run({ answer: `## Done\n${long("x").repeat(40)}` }), run()]);
  expect(await summarise(request(turns(10)), NEVER)).toEqual({
    trouble: "what is sent would be no smaller with the summary",
  });
  const stopped = AbortSignal.abort();
  expect(await summarise(request(turns(10)), stopped)).toEqual({ trouble: "it was stopped" });
  expect(await summarise(request(turns(10)), NEVER)).toMatchObject({ compaction: { summary: SAID } });
  expect([clock.nowMs, asked.length]).toEqual([0, 3]);
});

test("[F3] [COMP-04] what the model is asked for has the headings, the rules, and what a person wants kept", async () => {
  const { asked, summarise } = world([run()]);
  await summarise(request(turns(10), { focus: "the tea" }), NEVER);
  const { system, prompt } = firstOf(asked);
  const headings = [...system.matchAll(/^## (.+?) —/gmu)].map(([, name]) => name);
  expect(headings).toHaveLength(13);
  expect(system).toMatch(/What is finished is told as finished, with what shows it/u);
  expect(system).toMatch(/cancels what was asked before it/u);
  expect(prompt).toContain("in the user's words: the tea");
  expect(textOf(userText(prompt))).toMatch(/Now write the summary\.$/u);
});

test("[F3] a summary far beyond what it may be is its beginning and its end, and the newest turn stays", async () => {
  const endless = `## Last request\n“go on”\n## Done\n${"1. Looked at a thing and found it good.\n".repeat(900)}## Do not forget\nport 4711`;
  const { summarise } = world([run({ answer: endless })], { window: 16_384 });
  const answer = await summarise(request(turns(20)), NEVER);
  if (!("compaction" in answer)) throw new Error(answer.trouble);
  const { summary = "", from } = answer.compaction;
  expect(summary.length).toBeLessThan(endless.length / 3);
  expect(summary).toMatch(/^## Last request\n“go on”/u);
  expect(summary).toContain("characters of this summary left out");
  expect(summary).toMatch(/port 4711$/u);
  expect(from).toBeLessThanOrEqual(38);
});

test("[F3] a summary that was written for a larger window leaves room for what is new in the next call", async () => {
  const { asked, summarise } = world([run()], { window: 16_384 });
  const summary = `## Goal\nA house\n## Done\n${"1. Looked at a thing and found it good.\n".repeat(1_200)}`;
  const compaction = { through: 4, from: 4, instruction: 2, cutBefore: 0, summary };
  expect(await summarise(request(turns(20), { compaction }), NEVER)).toMatchObject({ compaction: { summary: SAID } });
  expect(firstOf(asked).prompt).toContain("A house");
  expect(firstOf(asked).prompt).toContain("question 17");
});
