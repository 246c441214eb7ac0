import { closeSync, openSync, writeSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { Fact } from "../../src/protocol/fact.ts";
import type { BreachKind, Given, Invariant } from "../../src/protocol/oracle.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import { begins, compaction, decided, receipt, soundFacts, start, usage } from "./sound-facts.ts";

/** One way to break a store, and what somebody outside knows of it. */
export interface Breaking {
  /** What is recorded instead. */
  readonly facts?: Change;
  /** What happens to the file afterwards. */
  readonly sql?: string;
  readonly byte?: { readonly at: number; readonly is: number };
  readonly given?: Given;
  /** What else is broken by it. */
  readonly also?: Invariant;
}

type Change = (facts: readonly Fact[]) => readonly Fact[];

type Typed<T extends Fact["type"]> = Extract<Fact, { type: T }>;

/** Puts a store with one session, `s`, and a child of it into a file, and breaks it. */
export async function breakStore(path: string, { facts = (all) => all, sql, byte }: Breaking): Promise<void> {
  const store = openSqliteStore({ path });
  const writer = (await store.open("s")).writer(() => {});
  let attempts = 0;
  for (const fact of facts(soundFacts())) {
    writer.append(fact);
    if (fact.type === "attempt-start")
      writer.keepRequest({ continues: attempts++ > 0, add: [Buffer.from("[")], tail: "]" });
    await writer.barrier();
  }
  const child = await store.openChild("child", { parent: "s", purpose: "review" });
  const inChild = child?.writer(() => {});
  inChild?.append({ type: "auxiliary-run", purpose: "vision", model: "m", exit: "text_response", attempts: 1, usage });
  await inChild?.barrier();
  store.search("hello", 1);
  store.close();
  const db = new DatabaseSync(path);
  if (sql !== undefined) db.exec(sql);
  db.close();
  if (byte === undefined) return;
  const file = openSync(path, "r+");
  writeSync(file, Uint8Array.of(byte.is), 0, 1, byte.at);
  closeSync(file);
}

const isType =
  <T extends Fact["type"]>(type: T) =>
  (fact: Fact): fact is Typed<T> =>
    fact.type === type;

/** The facts without the n-th of a type, from 0. */
const without =
  (type: Fact["type"], n = 0): Change =>
  (facts) => {
    const gone = facts.filter(isType(type))[n];
    return facts.filter((fact) => fact !== gone);
  };

/** The n-th of a type, changed. */
const changed =
  <T extends Fact["type"]>(type: T, change: (fact: Typed<T>) => Fact | readonly Fact[], n = 0): Change =>
  (facts) => {
    const found = facts.filter(isType(type))[n];
    return facts.flatMap((fact) => (found !== undefined && fact === found ? change(found) : fact));
  };

const behind = (type: Fact["type"], ...more: readonly Fact[]): Change => changed(type, (fact) => [fact, ...more]);
const before = (type: Fact["type"], ...more: readonly Fact[]): Change => changed(type, (fact) => [...more, fact]);
const outcome = (more: Partial<Typed<"turn-end">["outcome"]>): Change =>
  changed("turn-end", (fact) => ({ ...fact, outcome: { ...fact.outcome, ...more } }));

/** From a place on, every message stands so much further. */
const moved = (facts: readonly Fact[], from: number, by: number): readonly Fact[] =>
  facts.map((fact) => ("seq" in fact && fact.seq >= from ? { ...fact, seq: fact.seq + by } : fact));

const added = (part: number): Fact => ({
  type: "context-added",
  seq: 0,
  part,
  contexts: [{ type: "context", source: "x", text: "y" }],
});

/** Rewrites facts of a row as older versions wrote them, without a sum. */
const inRow = (type: Fact["type"], json: string): string =>
  `update journal set sum = null, facts = ${json} where id = (select min(id) from journal where facts like '%"type":"${type}"%')`;
const bytes = (text: string): Uint8Array => Buffer.from(text);

/** How each invariant is broken, in at least one way: an oracle that does not see one of them is blind. */
export const BREAKINGS: Readonly<Record<BreachKind, readonly Breaking[]>> = {
  "inbound-lost": [{ given: { acknowledged: ["hello", "never said"] } }],
  "inbound-twice": [
    { facts: changed("turn-start", () => start("t2", 7, "hello"), 1), given: { acknowledged: ["hello"] } },
  ],
  "arrival-lost": [
    { facts: behind("injection-accepted", { type: "injection-accepted", injectionId: "i2", text: "lost" }) },
    { facts: behind("steer-accepted", { type: "redirect-accepted", redirectId: "r1", text: "lost too" }) },
  ],
  "arrival-twice": [
    { facts: outcome({ undelivered: ["and this"] }) },
    { facts: outcome({ pendingSteer: ["softly"] }) },
  ],
  "arrival-unknown": [{ facts: without("injection-accepted") }, { facts: without("steer-accepted") }],
  "key-differs": [{ sql: "update turn set key = 'other' where name = 't2'" }, { sql: "update turn set key = null" }],
  // The second turn stands where the first one did.
  "inbound-order": [
    {
      facts: (facts) =>
        facts
          .filter((fact) => fact.type !== "history-compacted")
          .map((fact) => ("seq" in fact ? { ...fact, seq: fact.seq < 7 ? fact.seq + 2 : fact.seq - 7 } : fact)),
    },
  ],
  "arrival-order": [
    {
      facts: (facts) => {
        const [one, two] = facts.filter(isType("steer-placed"));
        if (one === undefined || two === undefined) return facts;
        const swapped = new Map<Fact, Fact>([
          [one, { ...one, steer: two.steer }],
          [two, { ...two, steer: one.steer }],
        ]);
        return facts.map((fact) => swapped.get(fact) ?? fact);
      },
    },
  ],
  "receipt-missing": [
    { facts: (facts) => without("receipt", 1)(facts.filter(({ type }) => !type.startsWith("steer-"))) },
    { facts: without("receipt", 0) },
  ],
  "receipt-twice": [
    { sql: `update message set sum = null, body = replace(body, '"c2"', '"c1"') where seq = 3 and part = 0` },
  ],
  "receipt-unasked": [
    { sql: `update message set sum = null, body = replace(body, '"c2"', '"c9"') where seq = 3 and part = 0` },
  ],
  "receipt-misplaced": [
    {
      facts: (facts) =>
        facts.map((fact) => (fact.type === "receipt" ? receipt(fact.seq === 2 ? 3 : 2, fact.message.callId) : fact)),
    },
  ],
  "role-illegal": [
    {
      sql: `update message set sum = null, body = replace(body, 'assistant', 'tool') where seq = 8`,
    },
    { sql: `update message set sum = null, body = replace(body, 'user', 'assistant') where seq = 0` },
  ],
  "assistant-empty": [
    { facts: changed("assistant-message", (fact) => ({ ...fact, message: { role: "assistant", parts: [] } }), 1) },
  ],
  "last-word-missing": [
    {
      facts: (facts) =>
        outcome({ exit: "empty_response_exhausted", answer: "and this" })(
          moved(without("assistant-message", 2)(facts), 7, -1),
        ),
    },
  ],
  "call-id-bad": [
    {
      facts: (facts) => {
        const text = JSON.stringify(facts).replaceAll('"c2"', '""');
        return JSON.parse(text) as readonly Fact[];
      },
    },
  ],
  "signature-homeless": [
    {
      facts: changed("assistant-message", (fact) => ({
        ...fact,
        message: JSON.parse(JSON.stringify(fact.message).replace(/,"provenance":\{[^}]*\}/u, "")),
      })),
    },
  ],
  "effect-twice": [{ facts: behind("segment-start", begins("c1", "effect")) }],
  "effect-unrecorded": [{ facts: without("segment-start") }],
  "begun-after-stop": [
    {
      facts: before("injection-accepted", {
        type: "guardrail-halt",
        tool: "read",
        code: "repeated",
      } as unknown as Fact),
    },
  ],
  "effect-ran-twice": [{ given: { ran: ["c1", "c1"] } }],
  "effect-ran-unrecorded": [{ given: { ran: ["c1", "c8"] } }],
  "turn-left-open": [{ facts: without("turn-end") }],
  "turn-row-differs": [
    { sql: "update turn set name = 'other' where name = 't1'" },
    { sql: "update turn set last = null where name = 't2'" },
    { sql: "update turn set last = last - 1 where name = 't1'" },
    { sql: "insert into turn(session, name, first) values(1, 't3', 1)" },
    { sql: "delete from turn where name = 't2'" },
  ],
  "fact-outside-turn": [{ facts: behind("turn-end", { type: "retry-scheduled", delayMs: 1, untilMs: 1 }) }],
  "went-on-parked": [{ facts: without("turn-unparked") }],
  "lease-left": [{ sql: "update session set owner = 'h/1/x' where key = 's'", given: { idle: true } }],
  "turn-unfinished": [
    {
      facts: (facts) =>
        facts.slice(
          0,
          facts.findLastIndex((fact) => fact.type === "turn-end"),
        ),
      given: { ended: true },
    },
  ],
  "answer-differs": [{ given: { answers: new Map([["t1", "Something else."]]) } }],
  "parent-missing": [
    { sql: "update session set parent = 99 where key = 'child'" },
    { sql: "update session set parent = id where key = 'child'" },
  ],
  "parent-short": [{ sql: "update session set shared = 99 where key = 'child'" }],
  "child-overlaps": [
    {
      sql: `insert into message(session, seq, part, body) values(2, 1, 0, '{"role":"user","parts":[]}');
        update journal set sum = null, facts = '[{"type":"history-imported","seq":1,"count":1}]' where session = 2`,
    },
  ],
  "compaction-astray": [
    { facts: changed("history-compacted", (fact) => ({ ...fact, compaction: { ...compaction, from: 99 } })) },
    { facts: changed("history-compacted", (fact) => ({ ...fact, compaction: { ...compaction, through: 99 } })) },
  ],
  "note-differs": [
    { sql: "update session set compaction = null where key = 's'" },
    { sql: "update session set strikes = 7 where key = 's'" },
    { sql: `update session set learnt = '{"m":{}}' where key = 's'` },
  ],
  // The number of pages that are free: https://www.sqlite.org/fileformat.html, offset 36.
  "file-damaged": [{ byte: { at: 39, is: 9 } }],
  "row-stray": [
    { sql: "insert into message(session, seq, part, body) values(77, 0, 0, '{}')" },
    { sql: "insert into journal(session, at, facts) values(77, 0, '[]')" },
    { sql: "insert into turn(session, name, first) values(77, 'x', 1)" },
    { sql: "insert into charge(session, turn, journal) values(77, 'x', 999)" },
  ],
  "search-differs": [
    { sql: "insert into words(words, rowid, text) values('delete', 1, 'hello')" },
    { sql: "insert into words(rowid, text) values(999, 'ghost')" },
    { sql: "update search_progress set indexed = 9999" },
  ],
  "opening-damaged": [{ sql: "update opening set body = x'00'" }],
  "charge-astray": [{ sql: "update charge set journal = 1" }, { sql: "update charge set turn = 't1'" }],
  "secret-kept": [{ given: { canaries: ["sk-1"], files: [{ name: "log", bytes: bytes("key=sk-1\n") }] } }],
  "attempt-number": [
    { facts: changed("attempt-start", (fact) => ({ ...fact, attempt: 7 }), 2) },
    { facts: changed("attempt-start", (fact) => ({ ...fact, attempt: 0 })) },
  ],
  "attempt-unbilled": [{ facts: without("attempt-start", 2) }],
  "usage-impossible": [
    { facts: changed("assistant-message", (fact) => ({ ...fact, usage: { ...usage, input: -1 } })) },
  ],
  "usage-differs": [{ given: { counted: { input: 1, output: 1, inFlight: 0 } } }],
  "limit-passed": [
    { facts: changed("turn-start", (fact) => ({ ...fact, maxIterations: 2 })) },
    {
      facts: (facts) => {
        const limited = changed("turn-start", (fact) => ({ ...fact, limit: { of: "turn", usd: 1, leftUsd: 1 } }));
        const ended: Fact = { type: "money-end", why: "limit", spentUsd: 1, limitUsd: 1 };
        return before("injection-accepted", ended)(limited(facts));
      },
    },
  ],
  "left-over": [{ given: { leftOver: ["process 42"] } }],
  "answer-unasked": [
    { facts: behind("approval-decided", decided(true, Date.now())) },
    { facts: without("approval-requested") },
  ],
  "ran-denied": [{ facts: changed("approval-decided", () => decided(false, Date.now())) }],
  "yes-expired": [{ sql: `update journal set sum = null, at = at + 3600000 where id > 7` }],
  "place-gap": [{ facts: (facts) => moved(facts, 7, 1) }],
  "place-twice": [
    {
      facts: behind("turn-start", added(1), added(2)),
      sql: `update journal set sum = null, facts = replace(facts, '"part":2', '"part":1') where id = 3`,
    },
  ],
  "message-missing": [
    { sql: "delete from message where seq = 0", also: "I9" },
    { sql: "update message set body = replace(body, 'hello', 'hallo')", also: "I9" },
    { sql: "update message set sum = null, body = '{' where seq = 6" },
    { sql: "delete from message where part = 1", also: "I9" },
  ],
  "message-unknown": [
    { sql: `insert into message(session, seq, part, body) values(1, 9, 0, '{"role":"user","parts":[]}')` },
    {
      sql: `insert into message(session, seq, part, body) values(1, 3, 9, '{"type":"steer","steerId":"x","text":""}')`,
    },
  ],
  "row-unreadable": [
    { sql: "update journal set facts = substr(facts, 2) where id = 3", also: "I9" },
    { sql: "update journal set tail = 'x' where id = 2", also: "I9" },
    { sql: "update journal set sum = null, facts = '{}' where id = 23" },
  ],
  "fact-malformed": [
    { sql: inRow("segment-start", "replace(facts, 'segment-start', 'segment-begun')") },
    { sql: inRow("steer-accepted", `replace(facts, '"steerId"', '"steer"')`) },
  ],
  "fold-failed": [{ facts: behind("segment-start", begins("c7", "pure")) }],
  "outcome-differs": [
    { facts: outcome({ answer: "Something else." }) },
    { facts: outcome({ exit: "interrupted_by_user", interruptedBy: "user" }) },
    { facts: outcome({ exit: "time_limit" }) },
    { facts: outcome({ exit: "money_limit" }) },
    { facts: outcome({ exit: "guardrail_halt" }) },
    { facts: before("turn-end", { type: "interrupt-requested", by: "user" }) },
  ],
  "request-missing": [
    { sql: "update journal set sum = null, opening = null, added = null, tail = null where id = 17" },
  ],
  "request-unreadable": [
    { sql: "delete from opening" },
    { sql: "update journal set sum = null, opening = null where id = 2" },
  ],
};
