import { expect, test } from "vitest";
import type { FoundSession, SaidMessage, SessionSearch } from "../protocol/session-search.ts";
import type { SessionSummary } from "../protocol/store.ts";
import type { ToolContext } from "../protocol/tool.ts";
import { SESSION_SEARCH, sessionSearchTool, type Summarise } from "./session-search.ts";

const context: ToolContext = {
  callId: "c",
  sessionId: "own",
  history: [],
  signal: new AbortController().signal,
  output: () => undefined,
};

const UPDATED = Date.UTC(2026, 1, 3, 4, 5);

/** A session of so many messages, in which every third is what a tool gave. */
function shelf(size: number, place: number, text = (seq: number): string => `message ${seq}`): SessionSearch {
  const roleAt = (seq: number): SaidMessage["role"] => (["user", "assistant", "tool"] as const)[seq % 3] ?? "user";
  const messages = Array.from({ length: size }, (_, seq): SaidMessage => {
    const role = roleAt(seq);
    return { seq, role, text: text(seq), tools: role === "user" ? [] : ["grep"] };
  });
  const found: FoundSession = {
    sessionId: "s1",
    title: "About\nharbours",
    createdMs: UPDATED,
    updatedMs: UPDATED,
    messages: size,
    hits: [{ sessionId: "s1", seq: place, role: roleAt(place), snippet: text(place).slice(0, 100) }],
    found: 1,
  };
  const summary = {
    createdMs: UPDATED,
    updatedMs: UPDATED,
    messages: 2,
    turns: 1,
    unfinished: false,
    pinned: false,
    forkOf: null,
  };
  const recent = ["own", "s1", "s2"].map((sessionId): SessionSummary => ({ ...summary, sessionId, title: "t" }));
  return {
    searchSessions: ({ query, beside }) => (query === "nothing" || beside !== "own" ? [] : [found]),
    said: (sessionId, from, to) =>
      sessionId === "s1" ? { size, messages: messages.filter(({ seq }) => seq >= from && seq <= to) } : undefined,
    recent: (limit) => recent.slice(0, limit),
  };
}

const run = async (sessions: SessionSearch, input: object, summarise?: Summarise): Promise<string> =>
  String(await sessionSearchTool(sessions, summarise).run({ ...input }, context));

const numbers = (text: string): number[] => [...text.matchAll(/^(?:> )?(\d+) /gmu)].map(([, seq]) => Number(seq));

test("[G1][E9] a search tells five messages on each side of a place, and three at each end of the session", async () => {
  const text = await run(shelf(60, 30), { query: "harbour" });
  expect(text).toContain("s1 · About harbours · 2026-02-03 04:05 UTC · 60 messages");
  expect(numbers(text)).toEqual([0, 1, 3, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 55, 57, 58]);
  expect(text).toContain("\n> 30 user: message 30\n");
  expect(text).toContain("\n26 grep gave: message 26\n");
  expect(text).toContain("\n31 assistant: message 31 [calls grep]\n");
  expect(text).toContain("Found in message 30.");
});

test.each([0, 1, 4, 7, 11])(
  "[G1] at the edge of a session of 12, at place %i, no message is told twice",
  async (place) => {
    const told = numbers(await run(shelf(12, place), { query: "harbour" }));
    expect(told).toEqual([...new Set(told)].toSorted((one, other) => one - other));
    expect(told).toContain(place);
  },
);

test("[G1] however long messages are, an answer is bounded, and holds the place that was found", async () => {
  const long = (seq: number): string => `${"x".repeat(20_000)} needle-${seq} ${"🎉y".repeat(20_000)}`;
  const sessions = shelf(60, 32, long);
  const hits = [{ sessionId: "s1", seq: 32, role: "tool", snippet: "…x needle-32 🎉…" }] as const;
  const found = sessions.searchSessions({ query: "needle", sessions: 1, hits: 1, beside: "own" });
  const text = await run(
    { ...sessions, searchSessions: () => found.map((each) => ({ ...each, hits })) },
    { query: "needle" },
  );
  expect(text).toContain("> 32 grep gave: …");
  expect(text).toContain("needle-32");
  expect(text.length).toBeLessThan(7_000);
  expect(text.isWellFormed()).toBe(true);
});

test("[G1] a place is read on in both directions, and the end where none is named", async () => {
  const sessions = shelf(60, 30);
  const middle = await run(sessions, { session_id: "s1", around_message: 30 });
  expect(numbers(middle)).toEqual(Array.from({ length: 21 }, (_, n) => 20 + n));
  expect(middle).toContain("Before: around_message 10\nAfter: around_message 50");
  for (const input of [{ session_id: "s1" }, { session_id: " s1 ", around_message: 9_999 }])
    expect(numbers(await run(sessions, input))).toEqual(Array.from({ length: 11 }, (_, n) => 49 + n));
  expect(numbers(await run(sessions, { session_id: "s1", around_message: -4 }))).toHaveLength(11);
  await expect(run(sessions, { session_id: "own" })).rejects.toThrow("There is no conversation own: without arguments");
});

test("[G1] without arguments the newest other sessions are listed; where nothing is found, what to try", async () => {
  const sessions = shelf(3, 0);
  const listed = await run(sessions, { query: " " });
  expect(listed).toContain("\ns1 · t · 2026-02-03 04:05 UTC · 2 messages");
  expect(listed).not.toContain("own");
  expect(await run(sessions, { query: "nothing" })).toContain("Try fewer or other words");
  expect(await run({ ...sessions, recent: () => [] }, {})).toBe("There is no earlier conversation.");
});

test("[G1] what was said may be anybody's words: the tool is not trusted, and changes nothing", () => {
  const tool = sessionSearchTool(shelf(3, 0));
  expect(tool).toMatchObject({ name: SESSION_SEARCH, effect: "pure", concurrency: "shared" });
  expect([tool.trusted, tool.outlives]).toEqual([undefined, undefined]);
});
