import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { reply, save, temporaryFolder, turnEnd, turnStart } from "../../../test/support/store-world.ts";
import type { Fact } from "../../protocol/fact.ts";
import { NO_USAGE } from "../../protocol/outcome.ts";
import type { Store, StoredTurn } from "../../protocol/store.ts";
import { openSqliteStore } from "./store.ts";

function opened(at: string): Store {
  const store = openSqliteStore({ path: at });
  onTestFinished(() => store.close());
  return store;
}

const ran = (turnId: string, model: string): Fact => ({
  type: "auxiliary-run",
  purpose: "review",
  turnId,
  model,
  exit: "text_response",
  attempts: 1,
  usage: NO_USAGE,
});

const types = (facts: StoredTurn["facts"] | undefined): string[] => (facts ?? []).map(({ fact }) => fact.type);
const models = (turn: StoredTurn | undefined): string[] =>
  (turn?.after ?? []).flatMap(({ fact }) => (fact.type === "auxiliary-run" ? [fact.model] : []));

test("[X4][J6] what is done on the account of a turn that has ended is found with it, wherever its rows stand, and with no other", async () => {
  const at = join(temporaryFolder(), "store.db");
  const store = opened(at);
  const writer = (await store.open("s")).writer(() => undefined);
  // In the commit of its end, between two turns, within the next one, and two in one commit.
  await save(writer, turnStart("a", 0, "a"), reply(1, "b"), turnEnd("b"), ran("a", "first"));
  await save(writer, ran("a", "second"));
  await save(writer, turnStart("b", 2, "c"), ran("a", "third"), ran("a", "fourth"));
  await save(writer, reply(3, "d"));
  expect(types((await store.open("s")).openTurn.map((fact) => ({ atMs: 0, fact })))).toEqual([
    "turn-start",
    "assistant-message",
  ]);
  const again = (await store.open("s")).writer(() => undefined);
  await save(again, turnEnd("d"));
  store.close();
  const later = opened(at);
  expect(types(later.turn("a")?.facts)).toEqual(["turn-start", "assistant-message", "turn-end"]);
  expect(models(later.turn("a"))).toEqual(["first", "second", "third", "fourth"]);
  expect(types(later.turn("b")?.facts)).toEqual(["turn-start", "assistant-message", "turn-end"]);
  expect(models(later.turn("b"))).toEqual([]);
  const record = later.record("s");
  const facts = [...(record?.facts ?? [])];
  expect(types(facts).filter((type) => type === "auxiliary-run")).toHaveLength(4);
  if (record !== undefined) await later.restore({ ...record, sessionId: "copy", facts });
  expect(models(later.turn("a"))).toHaveLength(4);
  expect(await later.remove("s")).toBe(true);
  expect(models(later.turn("a"))).toHaveLength(4);
});
