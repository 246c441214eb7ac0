import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Fact } from "../../protocol/fact.ts";
import type { ListedTurn, Store, TurnFilter } from "../../protocol/store.ts";
import { END, START } from "../../../test/support/told-turns.ts";
import { NO_USAGE } from "../../protocol/outcome.ts";
import { openSqliteStore } from "./store.ts";

interface Keeping {
  readonly store: Store;
  readonly path: string;
}

async function withStore(use: (kept: Keeping) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "evander-turns-"));
  const path = join(folder, "evander.db");
  const store = openSqliteStore({ path });
  try {
    await use({ store, path });
  } finally {
    store.close();
    rmSync(folder, { recursive: true });
  }
}

async function keep(store: Store, sessionId: string, ...facts: readonly Fact[]): Promise<void> {
  const session = await store.open(sessionId);
  const writer = session.writer(() => undefined);
  for (const fact of facts) writer.append(fact);
  await writer.barrier();
  session.release();
}

const start = (turnId: string, seq: number): Fact => ({ ...START, turnId, seq }) as Fact;
const ids = (turns: Iterable<ListedTurn>): string[] => Array.from(turns, ({ turnId }) => turnId);

test("[X1] turns are listed the newest first, by session, time, end, and whether they have one", async () =>
  withStore(async ({ store }) => {
    await keep(store, "s", start("abcd-1", 0), END, start("abcd-2", 1), END);
    await keep(store, "t", start("abce-3", 0));
    const list = (filter: TurnFilter = {}): string[] => ids(store.turns(filter));
    expect(list()).toEqual(["abce-3", "abcd-2", "abcd-1"]);
    expect(list({ sessionId: "s" })).toEqual(["abcd-2", "abcd-1"]);
    expect(list({ exit: "text_response" })).toEqual(["abcd-2", "abcd-1"]);
    expect(list({ exit: "time_limit" })).toEqual([]);
    expect(list({ unfinished: true })).toEqual(["abce-3"]);
    expect(list({ sinceMs: Date.now() + 60_000 })).toEqual([]);
    expect(list({ untilMs: Date.now() + 60_000 })).toHaveLength(3);
    expect([...store.turns({ sessionId: "t" })]).toMatchObject([{ exit: null, endedMs: null, unfinished: true }]);
    expect(store.turnIds("abc", 5)).toEqual(["abcd-1", "abcd-2", "abce-3"]);
    expect(store.turnIds("abcd", 1)).toEqual(["abcd-1"]);
    expect(store.turnIds("%", 5)).toEqual([]);
  }));

test("[X1] behind a turn stands what its session recorded before the next one, and nothing else", async () =>
  withStore(async ({ store }) => {
    const run = { purpose: "summary", model: "m", exit: "text_response", attempts: 1, usage: NO_USAGE } as const;
    const beside: Fact = { type: "auxiliary-run", ...run };
    await keep(store, "s", start("one", 0), END, beside, start("two", 1), END);
    await keep(store, "s", beside, beside);
    await keep(store, "s", start("three", 2));
    const behind = (turnId: string): string[] => store.behind(turnId).map(({ fact }) => fact.type);
    expect(behind("one")).toEqual(["auxiliary-run"]);
    expect(behind("two")).toEqual(["auxiliary-run", "auxiliary-run"]);
    expect(behind("three")).toEqual([]);
    expect(behind("none")).toEqual([]);
  }));

test("[X3] the version of a store is another one when somebody else has written, and only then", async () =>
  withStore(async ({ store, path }) => {
    await keep(store, "s", start("one", 0));
    const reader = openSqliteStore({ path });
    const before = reader.version();
    reader.turn("one");
    expect(reader.version()).toBe(before);
    await keep(store, "s", END);
    expect(reader.version()).not.toBe(before);
    reader.close();
  }));
