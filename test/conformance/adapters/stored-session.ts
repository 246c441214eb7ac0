import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { agent } from "../../../src/index.ts";
import type { Fact } from "../../../src/protocol/fact.ts";
import { textOf } from "../../../src/protocol/message.ts";
import type { Given } from "../../../src/protocol/oracle.ts";
import type { Store } from "../../../src/protocol/store.ts";
import { readSessionFile, sessionLines } from "../../../src/session/session-file.ts";
import { memoryStore } from "../../../src/store/memory.ts";
import { openAudit } from "../../../src/store/sqlite/open-audit.ts";
import { openSqliteStore } from "../../../src/store/sqlite/store.ts";
import { fakeProvider } from "../../support/fake-provider.ts";
import { reply, save, turnEnd, turnStart } from "../../support/store-world.ts";
import { echo } from "../../support/tools.ts";
import { callTools, say } from "../../support/wire-script.ts";
import { findBreaches } from "../../../src/session/oracle/oracle.ts";
import type { Json } from "../case-file.ts";
import { objectOf, textOf as textIn } from "../input.ts";

/** What is done to what is kept of sessions, by the one thing a case names. */
const DEEDS: ReadonlyMap<string, (value: Json) => Promise<string> | string> = new Map([
  ["record", kept],
  ["session_id", taken],
  ["search_query", searched],
  ["export", exported],
  ["delete", removed],
  ["db_opened_by", lookedAt],
]);

/** `{record}`, `{session_id}`, `{search_query}`, `{export}`, `{delete}`, `{db_opened_by}`. */
export function storedSessionCase(input: Json): unknown {
  const [[name, value] = []] = Object.entries(objectOf(input, "input"));
  return DEEDS.get(name ?? "")?.(value ?? null);
}

/** The last clause says what must hold; what stands before it, by what means elsewhere. */
export const storedSessionExpectation = (expect: Json): Json =>
  typeof expect === "string" ? (expect.split("; ").at(-1) ?? expect) : expect;

export const storedSessionUnsupported = (input: Json): string | undefined => {
  const names = Object.keys(objectOf(input, "input"));
  return names.length === 1 && DEEDS.has(names[0] ?? "") ? undefined : "needs another deed, a later part";
};

const BROKEN = "something else";

async function keep(store: Store, sessionId: string, ...facts: readonly Fact[]): Promise<void> {
  const session = await store.open(sessionId);
  await save(
    session.writer(() => undefined),
    ...facts,
  );
  session.release();
}

const exchange = (words: string, answer: string): Fact[] => [
  turnStart("t", 0, words),
  reply(1, answer),
  turnEnd(answer),
];

const fileOf = (store: Store, sessionId: string): string => {
  const record = store.record(sessionId);
  return record === undefined ? "" : [...sessionLines(record)].join("\n");
};

/** What looks like an object of somebody's is said, kept, taken out and in, and is the same text. */
async function kept(value: Json): Promise<string> {
  using _store = closing(memoryStore());
  const { store } = _store;
  const words = JSON.stringify(value);
  await keep(store, "s", ...exchange(words, words));
  const file = readSessionFile(fileOf(store, "s"), { nowMs: 0, newIds: true });
  const [session] = file.type === "sessions" ? file.sessions : [];
  if (session === undefined) return BROKEN;
  await store.restore({ ...session, sessionId: "again" });
  const texts = (store.history("again") ?? []).map((message) => message && textOf(message));
  return texts.length === 2 && texts.every((text) => text === words) ? "inert text" : BROKEN;
}

/** A session comes under this name from a file: one that is refused is a usage error, what a server calls 400. */
async function taken(value: Json): Promise<string> {
  using _store = closing(memoryStore());
  const { store } = _store;
  await keep(store, "s", ...exchange("a", "b"));
  const file = fileOf(store, "s").replace('"sessionId":"s"', `"sessionId":${JSON.stringify(textIn(value, "id"))}`);
  return readSessionFile(file, { nowMs: 0, newIds: false }).type === "invalid" ? "400" : BROKEN;
}

async function searched(value: Json): Promise<string> {
  using _store = closing(memoryStore());
  const { store } = _store;
  await keep(store, "s", ...exchange("the harbour", "is open"));
  const asked = textIn(value, "query");
  const found = [store.search(asked, 9), store.searchSessions({ query: asked, sessions: 9, hits: 9 })];
  return found.flat().length === 0 ? "no error leak, no injection" : BROKEN;
}

const KEY = "sk-test-4f9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c";
const OTHER = "harbourmaster";

/** A tool prints the key of the model, and somebody else speaks in another session. */
async function exported(): Promise<string> {
  const call = callTools([{ id: "a", name: "echo", arguments: { text: KEY } }]);
  await using provider = await fakeProvider([say("Hello."), call, say("Done.")]);
  await using bot = agent({ baseUrl: provider.baseUrl, model: "fake-1", apiKey: KEY, tools: [echo] });
  await bot.run(`I am the ${OTHER}`, { sessionId: "other" });
  await bot.run("say it", { sessionId: "s" });
  const file = fileOf(bot.store, "s");
  const isWhole = file.includes("Done.");
  return isWhole && !file.includes(KEY) && !file.includes(OTHER) ? "no secrets, no other users" : BROKEN;
}

async function removed(): Promise<string> {
  return inFolder(async (folder) => {
    const store = openSqliteStore({ path: join(folder, "evander.db") });
    await keep(store, "s", ...exchange(`the ${OTHER}`, `knows the ${OTHER}`));
    const wasFound = store.search(OTHER, 9).length > 0;
    await store.remove("s");
    const bytes = readdirSync(folder).map((file) => readFileSync(join(folder, file)));
    const isGone = store.search(OTHER, 9).length === 0 && !bytes.some((it) => it.includes(OTHER));
    store.close();
    return wasFound && isGone ? "gone from rows, index, media, WAL remnants, logs" : BROKEN;
  });
}

/** Somebody looks while a turn is written: it reads without a lease, and the writer goes on in its log. */
async function lookedAt(): Promise<string> {
  return inFolder(async (folder) => {
    const path = join(folder, "evander.db");
    const store = openSqliteStore({ path });
    const session = await store.open("s");
    const writer = session.writer(() => undefined);
    await save(writer, turnStart("t", 0, "go"));
    const before = breachesIn(path, {});
    await save(writer, reply(1, "done"), turnEnd("done"));
    session.release();
    store.close();
    return before + breachesIn(path, { ended: true }) === 0 ? "WAL intact" : BROKEN;
  });
}

function breachesIn(path: string, given: Given): number {
  const audited = openAudit(path);
  if (audited === undefined) return Infinity;
  try {
    return findBreaches(audited, given).length;
  } finally {
    audited.close();
  }
}

const closing = (store: Store): Disposable & { readonly store: Store } => ({
  store,
  [Symbol.dispose]: () => store.close(),
});

async function inFolder(work: (folder: string) => Promise<string>): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "evander-session-case-"));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
