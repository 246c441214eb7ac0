import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "vitest";
import { agent } from "../../src/index.ts";
import { atMost } from "../scenario/at-most.ts";
import { Place, resultOf, type Running } from "../scenario/program.ts";
import { EndlessProvider } from "../support/endless-provider.ts";
import type { ReceivedRequest } from "../support/fake-provider.ts";
import { said } from "../support/said.ts";
import { makeOlder } from "./older-store.ts";
import { assertSound } from "../support/sound.ts";
import { refuse, say, type Step } from "../support/wire-script.ts";

const TOO_LONG = refuse(400, { error: { message: "prompt is too long", code: "context_length_exceeded" } });
const OLD = 40;

/** Takes no more than half of the history, and sums it up when it is asked to. */
function answer({ body }: ReceivedRequest): Step {
  const last = said(body.messages.at(-1));
  if (body.messages.length > OLD / 2) return TOO_LONG;
  const words = last.endsWith("continue")
    ? "went on"
    : last.endsWith("go")
      ? "all done"
      : "They talked of many things.";
  return { ...say([words, "."]), newHead: true };
}

interface World {
  readonly place: Place;
  readonly provider: EndlessProvider;
  readonly running: { now?: Running };
}

/** A session with an old talk in it, and a provider that kills where it is told to. */
async function withOldTalk(wire: Wire | undefined, use: (world: World) => Promise<void>): Promise<void> {
  await atMost(async () => {
    const place = new Place();
    const running: World["running"] = {};
    const die = async (): Promise<void> => {
      process.kill(running.now?.pid ?? 0, "SIGKILL");
      await running.now?.ended;
    };
    const provider = new EndlessProvider(answer, {
      onRequest: ({ index }) => (index === wire?.index && wire.frames === undefined ? die() : undefined),
      onFrame: ({ index }, sent) => (index === wire?.index && wire.frames === sent ? die() : undefined),
    });
    try {
      await provider.server.listen();
      await using bot = agent({ store: place.home, model: "m", baseUrl: provider.server.baseUrl });
      await bot.importMessages("old", oldTalk());
      await bot.close();
      await use({ place, provider, running });
      assert.deepEqual(provider.violations(), []);
      assertSound(join(place.home, "evander.db"), { idle: true, ended: true });
    } finally {
      await provider.close();
      place.remove();
    }
  });
}

interface Wire {
  readonly index: number;
  readonly frames?: number;
}

const oldTalk = (): { role: "user" | "assistant"; content: string }[] =>
  Array.from({ length: OLD }, (_, at) => ({
    role: at % 2 === 0 ? "user" : "assistant",
    content: `needle${at} ${"words of an old talk 旧话 ".repeat(20)}`,
  }));

const OUT = ["--output", "json"];
const GO = ["-p", "go", "--resume", "last", ...OUT];

const COMPACTION = [
  { name: "when the summary is asked for", wire: { index: 1 } },
  { name: "in the middle of the summary", wire: { index: 1, frames: 2 } },
  { name: "before the compaction is stored", killAt: "before-commit:history-compacted" },
  { name: "after the compaction is stored", killAt: "after-commit:history-compacted" },
  { name: "when the smaller request was sent", wire: { index: 2 } },
] as const;

for (const point of COMPACTION)
  for (const takeUp of ["resume", "follow"] as const)
    test.concurrent(`[G3 F1 X6] K16: kill -9 ${point.name}, then ${takeUp}: all that was said is there, and less of it is sent`, async () => {
      const wire = "wire" in point ? point.wire : undefined;
      await withOldTalk(wire, async ({ place, provider, running }) => {
        const { baseUrl } = provider.server;
        running.now = place.start(baseUrl, GO, "killAt" in point ? { killAt: point.killAt } : {});
        assert.equal((await running.now.ended).signal, "SIGKILL");
        const args =
          takeUp === "resume"
            ? ["session", "resume", "last", "--continue", ...OUT]
            : ["-p", "continue", "--resume", "last", ...OUT];
        const ended = await place.run(baseUrl, args);
        assert.equal(resultOf(ended).answer, takeUp === "resume" ? "all done." : "went on.", ended.stderr);
        assert.ok((provider.requests.at(-1)?.body.messages.length ?? OLD) <= OLD / 2);
        const { stdout } = await place.run(undefined, ["session", "show", "last", "--json"]);
        const kept = JSON.stringify((JSON.parse(stdout) as { messages: unknown }).messages);
        for (let at = 0; at < OLD; at++) assert.equal(kept.split(`needle${at} `).length - 1, 1);
      });
    });

/** Where the search index is filled: one step at a time, each in a transaction of its own. */
const TOP_UP = [
  "before-sql:update search_progress",
  "after-sql:insert into words(rowid#3",
  "after-sql:insert into signs(rowid",
  "after-sql:insert into words(words, rank) values('merge'",
] as const;

for (const killAt of TOP_UP)
  test.concurrent(`[G6 X6] kill -9 while the search index is filled (${killAt}): the next search finds all of it`, async () => {
    await withOldTalk(undefined, async ({ place }) => {
      const died = await place.run(undefined, ["session", "search", "needle7"], { killAt });
      assert.deepEqual([died.signal, died.stdout], ["SIGKILL", ""], died.stderr);
      for (const word of ["needle0", "needle39"]) {
        const found = await place.run(undefined, ["session", "search", word, "--json"]);
        assert.match(found.stdout, new RegExp(word, "u"), found.stderr);
      }
    });
  });

const CHECKPOINT = [
  "before-sql:pragma wal_checkpoint",
  "after-sql:pragma wal_checkpoint",
  "before-close",
  "after-close",
] as const;

for (const killAt of CHECKPOINT)
  test.concurrent(`[G6 X6] K18: kill -9 at the checkpoint behind the removal of a session (${killAt}): it is gone, the others are whole`, async () => {
    await withOldTalk(undefined, async ({ place, provider }) => {
      const { baseUrl } = provider.server;
      assert.equal((await place.run(baseUrl, ["-p", "go", ...OUT])).code, 0);
      const died = await place.run(undefined, ["session", "rm", "old", "--yes"], { killAt });
      assert.equal(died.signal, "SIGKILL", died.stderr);
      const { stdout } = await place.run(undefined, ["session", "list", "--json"]);
      assert.equal(stdout.includes("needle"), false);
      assert.equal((await place.run(baseUrl, GO)).code, 0);
    });
  });

const CHARGES_FORMAT = 10;

/** In the one transaction that brings a store to the newest format: in its middle, before it is committed, behind it. */
const MIGRATION = [
  "after-sql:drop table words",
  "before-sql:pragma user_version =",
  "after-sql:pragma user_version =",
] as const;

for (const killAt of MIGRATION)
  test.concurrent(`[G1 G3 X6] K17: kill -9 in the migration of a store with an open turn (${killAt}): the turn goes on`, async () => {
    await withOldTalk(undefined, async ({ place, provider }) => {
      const { baseUrl } = provider.server;
      const path = join(place.home, "evander.db");
      const left = await place.run(baseUrl, ["-p", "go", ...OUT], { killAt: "after-commit:attempt-start" });
      assert.equal(left.signal, "SIGKILL", left.stderr);
      makeOlder(path, CHARGES_FORMAT);
      const args = ["session", "resume", "last", "--continue", ...OUT];
      const died = await place.run(baseUrl, args, { killAt });
      assert.deepEqual([died.signal, died.stdout], ["SIGKILL", ""], died.stderr);
      const ended = await place.run(baseUrl, args);
      assert.equal(resultOf(ended).answer, "all done.", ended.stderr);
    });
  });
