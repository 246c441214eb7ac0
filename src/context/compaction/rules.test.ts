import fc from "fast-check";
import { expect, test } from "vitest";
import { inspectRequest } from "../../../test/support/protocol-police.ts";
import { chatCompletions } from "../../model/chat_completions/index.ts";
import { Conversation } from "../../model/conversation.ts";
import { assistantText, type Message, textOf, userText } from "../../protocol/message.ts";
import { compacted, type Compaction } from "../../protocol/projection/compaction.ts";
import { rules } from "./rules.ts";

const compact = (history: readonly Message[], share: number, compaction?: Compaction): Compaction | undefined =>
  rules.compact({ history, compaction, share });

const PLAIN = { model: "m", tail: [], noTools: false, continues: false, maxOutput: undefined, streaming: true };

const bodyOf = (history: readonly Message[], compaction: Compaction | undefined): Buffer =>
  new Conversation(
    { system: "You help.", tools: [], nonce: "n" },
    { dialect: chatCompletions, host: "h", provider: "p" },
  ).encode({
    ...PLAIN,
    provider: "p",
    history,
    compaction,
  }).body;

let calls = 0;
const batch = (outputs: readonly string[], steer?: string): Message[] => {
  const ids = outputs.map(() => `c${calls++}`);
  const parts = ids.map((callId) => ({ type: "tool-call", callId, name: "read", input: '{"path":"a"}' }) as const);
  const receipts = outputs.map((text, at): Message => {
    const said = steer !== undefined && at === 0 ? [{ type: "steer", steerId: "s", text: steer } as const] : [];
    return { role: "tool", callId: ids[at] ?? "", status: "ok", parts: [{ type: "text", text }, ...said] };
  });
  return [{ role: "assistant", parts }, ...receipts];
};
const turn = (asked: string, ...between: readonly Message[][]): Message[] => [userText(asked), ...between.flat()];
const long = (of: string): string => `${of}\n`.repeat(400);

test("[F1 F2] the mildest way comes first: old results become one line, the newest ten stay whole", () => {
  const history = turn("go", ...Array.from({ length: 40 }, (_, at) => batch([long(`line ${at}`)])));
  const found = compact(history, 0.5);
  expect(found).toEqual({ through: history.length, from: 0, instruction: 0, cutBefore: history.length - 19 });
  const sent = compacted(history, found as Compaction);
  expect(sent).toHaveLength(history.length);
  expect(textOf(sent[2] as Message)).toBe(
    "[2799 characters of old output were left out; they began: line 0; do not repeat the call unchanged]",
  );
  expect(sent.slice(-20)).toEqual(history.slice(-20));
});

test("[F2] [CACHE-03] what look-ups found goes before anything else, the oldest first, no more than has to, and stays gone", () => {
  const read = (at: number): Message[] => [
    { role: "assistant", parts: [{ type: "tool-call", callId: `r${at}`, name: "read_file", input: "{}" }] },
    { role: "tool", callId: `r${at}`, status: "ok", parts: [{ type: "text", text: long("a file") }] },
  ];
  const history = turn("go", batch([long("made")]), ...Array.from({ length: 30 }, (_, at) => read(at)));
  const found = compact(history, 0.9) as Compaction;
  expect(found).toMatchObject({ from: 0, cut: "look-ups" });
  const cut = (sent: readonly Message[]): string[] =>
    sent.flatMap((message) =>
      /^\[\d+ char/u.test(textOf(message)) && message.role === "tool" ? [message.callId] : [],
    );
  const first = cut(compacted(history, found));
  expect(first).toEqual(Array.from({ length: first.length }, (_, at) => `r${at}`));
  expect(first.length).toBeGreaterThan(5);
  expect(first.length).toBeLessThan(12);
  const more = compact(history, 0.9, found) as Compaction;
  expect(cut(compacted(history, more)).slice(0, first.length)).toEqual(first);
  const most = compact(history, 0.3, more) as Compaction;
  expect(most.cut).toBeUndefined();
});

test("[D14 F2] the oldest turns go before anything of the running one, and what is left begins with a user message", () => {
  const old = (name: string): Message[] => [...turn(`${name} ${long("a")}`), assistantText(long(name))];
  const history = [...old("one"), ...old("two"), ...turn("now", batch(["short"]))];
  const sent = compacted(history, compact(history, 0.7) as Compaction);
  expect(textOf(sent[0] as Message)).toMatch(/^\[2 earlier messages .* left out to save room\.\]\n\ntwo a/u);
  expect(sent.slice(1)).toEqual(history.slice(3));
});

test("[COMP-03] the least that is sent is the instruction word for word, what was added to it, and the newest exchange", () => {
  const added: Message = { ...userText("only in src"), midTurn: true };
  const history = [
    ...turn("  an old one ", batch([long("old")])),
    assistantText("done"),
    ...turn("why does test X fail?\n ", batch([long("a")], "hurry"), [added], batch([long("b")]), batch([long("c")])),
  ];
  const found = compact(history, 0) as Compaction;
  const sent = compacted(history, found);
  expect(sent.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
  expect(textOf(sent[0] as Message)).toBe(
    "[8 earlier messages of this conversation were left out to save room.]\n\nwhy does test X fail?\n \n\nhurry\n\nonly in src",
  );
  expect(textOf(sent[2] as Message)).toBe(
    "[799 characters of old output were left out; they began: c; do not repeat the call unchanged]",
  );
  expect(compact(history, 0, found)).toBeUndefined();
});

test("[F3] what a model has said stays whole while that fits; one said for a larger window is shortened, last of all", () => {
  const summary = `## Goal\nA house.\n${long("1. Laid a stone.")}## Do not forget\nport 4711`;
  const history = [
    ...turn("old"),
    assistantText(long("b")),
    ...turn("now"),
    assistantText(long("c")),
    userText("go on"),
  ];
  const before = { through: 2, from: 2, instruction: 0, cutBefore: 0, summary };
  const whole = compact(history, 0.9, before) as Compaction;
  expect(whole.summary).toBe(summary);
  const short = compact(history, 0.4, whole) as Compaction;
  expect(short.summary).toMatch(/^## Goal\nA house\.\n[^]*characters of this summary left out[^]*port 4711$/u);
  const size = bodyOf(history, short).length;
  expect(size).toBeLessThan(0.45 * bodyOf(history, whole).length);
  // Where nothing is enough, still less of it is sent.
  expect(bodyOf(history, compact(history, 0, short)).length).toBeLessThan(size);
});

test("[COMP-12] one giant result is cut when it is all there is", () => {
  const history = turn("go", batch(["x".repeat(3_000_000)]));
  expect(bodyOf(history, compact(history, 0.5)).length).toBeLessThan(1_000);
});

test("[D14] nothing is left out where nothing can be", () => {
  expect(compact([userText("x".repeat(100_000))], 0)).toBeUndefined();
  expect(compact([], 0)).toBeUndefined();
  expect(compact([userText("a"), assistantText("b"), userText("c")], 0)).toBeUndefined();
});

const text = fc.oneof(
  fc.constantFrom("", "ok", " ", "\n\n", long("line"), " ".repeat(600)),
  fc.string({ maxLength: 900 }),
);
const exchange = fc
  .record({
    outputs: fc.array(text, { minLength: 1, maxLength: 4 }),
    steer: fc.option(fc.constant("be quick"), { nil: undefined }),
    added: fc.option(fc.constant("and tests"), { nil: undefined }),
  })
  .map(({ outputs, steer, added }): Message[] => [
    ...batch(outputs, steer),
    ...(added === undefined ? [] : [{ ...userText(added), midTurn: true } as const]),
  ]);
const someTurn = fc.tuple(text, fc.array(exchange, { maxLength: 5 })).map(([asked, all]) => turn(`Q ${asked}`, ...all));
const histories = fc
  .tuple(fc.array(someTurn, { maxLength: 5 }), someTurn)
  .map(([old, now]) => [...old.flatMap((one) => [...one, assistantText("done")]), ...now]);

/** What breaks a promise when the history is compacted now, and what holds then. */
function step(history: readonly Message[], share: number, before: Compaction | undefined): [string[], Compaction?] {
  const archive = JSON.stringify(history);
  const sent = bodyOf(history, before);
  const next = compact(history, share, before);
  const asked = history.findLast((message) => message.role === "user" && message.midTurn !== true);
  const words = JSON.stringify(textOf(asked as Message).trim()).slice(1, -1);
  const body = bodyOf(history, next ?? before);
  const broken = [
    ...inspectRequest(body).violations,
    ...(next === undefined || body.length < sent.length ? [] : [`${body.length} bytes after ${sent.length}`]),
    ...(body.includes(words) ? [] : ["the instruction is gone"]),
    ...(JSON.stringify(history) === archive ? [] : ["the archive was changed"]),
  ];
  const holds = next ?? before;
  return holds === undefined ? [broken] : [broken, holds];
}

test("[D14 F1 F2] however often, and with whatever comes between: legal, smaller, the instruction whole, the archive untouched", () => {
  const share = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(histories, fc.array(fc.tuple(share, exchange), { maxLength: 4 }), (first, steps) => {
      const history = [...first];
      let compaction: Compaction | undefined;
      for (const [aim, more] of steps) {
        const [broken, holds] = step(history, aim, compaction);
        expect(broken).toEqual([]);
        compaction = holds;
        history.push(...more);
        expect(inspectRequest(bodyOf(history, compaction)).violations).toEqual([]);
      }
    }),
    { numRuns: 300 },
  );
});

test("[A11 A15] what others added to old questions goes first; what was sent instead of a text is what stays", () => {
  const context = { type: "context", source: "memory", text: long("it likes tea") } as const;
  const asked = (words: string): Message => ({ role: "user", parts: [{ type: "text", text: words }, context] });
  const old = [asked("one"), assistantText("1")];
  const found = compact([...old, asked("two")], 0.9) as Compaction;
  expect(found.from).toBe(0);
  expect(compacted([...old, asked("two")], found)).toEqual([userText("one"), assistantText("1"), asked("two")]);
  const spoken: Message = { ...userText("two"), sent: "[voice] two" };
  const least = compacted([...old, spoken], compact([...old, spoken], 0) as Compaction);
  expect(least.map(textOf)).toEqual([expect.stringMatching(/save room\.\]\n\n\[voice\] two$/u)]);
});
