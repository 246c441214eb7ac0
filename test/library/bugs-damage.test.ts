import { once } from "node:events";
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import type { Agent } from "../../src/index.ts";
import { textOf } from "../../src/protocol/message.ts";
import type { RecoverEnd } from "../../src/protocol/store-care.ts";
import { storeCare } from "../../src/program/store-care.ts";
import { type Bench, bench } from "../support/agent-in-folder.ts";
import { say } from "../support/wire-script.ts";

const recover = (folder: string, dryRun = false): Promise<RecoverEnd> =>
  storeCare().recover({ folder, dryRun, onPages: () => {} });

const said = (bot: Agent, sessionId: string): (string | undefined)[] =>
  (bot.store.history(sessionId) ?? []).map((message) => message && textOf(message));

/** Two sessions of three exchanges each, in a store that was closed. */
async function talked(on: Bench): Promise<string> {
  const bot = on.agent();
  for (const sessionId of ["s", "t"])
    for (const nth of ["first", "second", "third"]) await bot.run(`${sessionId} asks ${nth}`, { sessionId });
  await bot.close();
  return join(on.folder, "evander.db");
}

const ANSWERS = ["one", "two", "three", "four", "five", "six"].map((text) => say(text));

/** Writes zeros over each place in which a text stands. */
function zero(path: string, text: string): void {
  const bytes = readFileSync(path);
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at)) bytes.fill(0, at, at + text.length);
  writeFileSync(path, bytes);
}

test("[CRASH-02] a record in the middle that became zeros hides none behind it: the rest is read, and the gap is told", async () => {
  await using on = await bench(...ANSWERS, say("seven", { newHead: true }));
  const path = await talked(on);
  zero(path, '"text":"s asks second"');
  const first = on.agent();
  const refused = await first.run("and now?", { sessionId: "s" });
  expect(refused).toMatchObject({ ok: false, exit: { reason: "store_unavailable", code: 73 } });
  expect(refused.exit.next).toContainEqual(expect.objectContaining({ command: "evander store recover" }));
  expect(said(first, "t")).toHaveLength(6);
  await first.close();
  expect(await recover(on.folder)).toMatchObject({
    type: "recovered",
    lostRows: 1,
    breaches: 0,
    sessions: [
      { sessionId: "s", messages: 5, state: "parted" },
      { sessionId: "t", messages: 6, turns: 3, state: "whole" },
    ],
  });
  const bot = on.agent();
  expect(said(bot, "s")).toEqual(["s asks first", "one", "two", "s asks third", "three"]);
  expect((await bot.run("go on", { sessionId: "s" })).answer).toBe("seven");
});

test("[UNI-09] zeros behind a record and behind the file hide no session: they are told once, and what was there is kept aside", async () => {
  await using on = await bench(...ANSWERS);
  const path = await talked(on);
  zero(path, ' asks third"');
  appendFileSync(path, Buffer.alloc(3 * 4096));
  const damaged = readFileSync(path);
  const bot = on.agent();
  expect(bot.store.list().map(({ sessionId }) => sessionId)).toHaveLength(2);
  await bot.close();
  const told = await recover(on.folder);
  expect(told).toMatchObject({ type: "recovered", sessions: [{ sessionId: "s" }, { sessionId: "t" }] });
  expect(told.type === "recovered" && told.original && readFileSync(told.original).equals(damaged)).toBe(true);
  expect(said(on.agent(), "t")).toEqual(
    expect.arrayContaining(["t asks first", "four", "t asks second", "five", "six"]),
  );
  expect(await recover(on.folder)).toMatchObject({ type: "sound" });
});

const PICTURE = { type: "image", url: "data:image/png;base64,iVBORw0KGgo=" } as const;

test("[DB-03] while the file is locked everything else in the process goes on, and a message with a picture is saved whole", async () => {
  await using on = await bench(say("one"), say("two"));
  const bot = on.agent();
  await bot.run("first", { sessionId: "s" });
  const other = new DatabaseSync(join(on.folder, "evander.db"));
  other.exec("begin immediate");
  const waiting = bot.run("hi", { sessionId: "s", attachments: [PICTURE] });
  await using beats = createServer((_request, response) => void response.end("beat")).listen(0, "127.0.0.1");
  await once(beats, "listening");
  const { port } = beats.address() as AddressInfo;
  for (let beat = 0; beat < 20; beat++) expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe("beat");
  expect(on.provider.requests).toHaveLength(1);
  other.exec("rollback");
  other.close();
  expect((await waiting).answer).toBe("two");
  await bot.close();
  expect(on.agent().store.history("s")?.[2]?.parts).toEqual([{ type: "text", text: "hi" }, PICTURE]);
});
