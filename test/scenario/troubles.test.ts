import assert from "node:assert/strict";
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "vitest";
import type { Message } from "../../src/protocol/message.ts";
import { assistantText, userText } from "../../src/protocol/message.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import { EndlessProvider } from "../support/endless-provider.ts";
import { said } from "../support/said.ts";
import { broken, say, type Step } from "../support/wire-script.ts";
import { atMost } from "./at-most.ts";
import { type Ended, Place, resultOf } from "./program.ts";

const GO = ["-p", "go", "--output", "json"];
const FOLLOW = ["-p", "continue", "--resume", "last", "--output", "json"];

async function withModel(
  rule: (index: number) => Step,
  use: (place: Place, provider: EndlessProvider, baseUrl: string) => Promise<void>,
): Promise<void> {
  await atMost(async () => {
    const place = new Place();
    const provider = new EndlessProvider(({ index }) => rule(index));
    try {
      await provider.server.listen();
      await use(place, provider, provider.server.baseUrl);
      assert.deepEqual(provider.violations(), []);
    } finally {
      await provider.close();
      place.remove();
    }
  });
}

const answers = (): Step => say("fine");

/** One result that says in a sentence what is wrong, and no stack anywhere. */
function checkRefused(ended: Ended, code: number, reason: string, says: RegExp): void {
  const result = resultOf(ended);
  assert.deepEqual([ended.code, result.exit.reason, result.ok], [code, reason, false], ended.stderr);
  assert.match(result.error?.message ?? "", says);
  assert.match(result.error?.message ?? "", /^[^\n]+$/);
  assert.doesNotMatch(ended.stdout + ended.stderr, /\n\s+at |node:internal/);
  assert.ok((result.error?.next ?? []).length > 0, "it says what to do next");
}

/** A shell that lets no file grow far beyond the store as it is: room for little, and not for megabytes. */
function limited(place: Place): string[] {
  // A block has 512 or 1,024 bytes, by shell.
  const blocks = Math.ceil(statSync(storeOf(place)).size / 512) + 100;
  return ["sh", "-c", `ulimit -f ${blocks}; exec "$@"`, "sh"];
}

const storeOf = (place: Place): string => join(place.home, "evander.db");

test.concurrent("[G1] a store that is damaged is named and left as it is: exit 73", async () => {
  await withModel(answers, async (place, _, baseUrl) => {
    place.damaged = true;
    mkdirSync(place.home);
    const damaged = Buffer.alloc(20_000, "not a database ");
    writeFileSync(storeOf(place), damaged);
    checkRefused(await place.run(baseUrl, GO), 73, "store_unavailable", /damaged/);
    assert.ok(readFileSync(storeOf(place)).equals(damaged));
  });
});

test.concurrent("[G1] a store of a newer version is named and left as it is: exit 73", async () => {
  await withModel(answers, async (place, _, baseUrl) => {
    assert.equal((await place.run(baseUrl, GO)).code, 0);
    const db = new DatabaseSync(storeOf(place));
    db.exec("pragma user_version = 1000");
    place.damaged = true;
    db.close();
    checkRefused(await place.run(baseUrl, FOLLOW), 73, "store_unavailable", /newer/);
  });
});

test.concurrent("[G1] a state folder that cannot be made: exit 73, and no request leaves", async () => {
  await withModel(answers, async (place, provider, baseUrl) => {
    writeFileSync(place.home, "a file stands where the folder should be");
    checkRefused(await place.run(baseUrl, GO), 73, "store_unavailable", /cannot be/);
    assert.equal(provider.requests.length, 0);
  });
});

test.concurrent("[G1] a state folder that is read-only: exit 73, it says so, and no request leaves", async () => {
  await withModel(answers, async (place, provider, baseUrl) => {
    mkdirSync(place.home);
    chmodSync(place.home, 0o555);
    // No mode keeps root out; the kernel's own file system does.
    const options = process.getuid?.() === 0 ? { home: "/sys/evander" } : {};
    checkRefused(await place.run(baseUrl, GO, options), 73, "store_unavailable", /cannot be written/);
    assert.equal(provider.requests.length, 0);
  });
});

test.concurrent("[G1] no room for more: exit 73, no request leaves, and what was kept before is still there", async () => {
  await withModel(answers, async (place, provider, baseUrl) => {
    assert.equal((await place.run(baseUrl, GO)).code, 0);
    const args = ["-p", "--resume", "last", "--output", "json"];
    const ended = await place.run(baseUrl, args, { under: limited(place), input: "x".repeat(4_000_000) });
    checkRefused(ended, 73, "store_unavailable", /cannot be used|full/);
    assert.equal(provider.requests.length, 1);
    const followed = await place.run(baseUrl, FOLLOW);
    assert.equal(followed.code, 0, followed.stderr);
    const asked = provider.requests.at(-1)?.body.messages.filter((message) => message.role === "user");
    assert.deepEqual(asked?.map(said), ["go", "continue"]);
  });
});

test.concurrent("[G1 G3] no room for the answer: exit 73, and the next turn finds what was kept before it", async () => {
  const huge = (index: number): Step => (index === 1 ? say("y".repeat(4_000_000)) : say("fine"));
  await withModel(huge, async (place, provider, baseUrl) => {
    assert.equal((await place.run(baseUrl, GO)).code, 0);
    checkRefused(
      await place.run(baseUrl, FOLLOW, { under: limited(place) }),
      73,
      "store_unavailable",
      /cannot be used|full/,
    );
    const followed = await place.run(baseUrl, FOLLOW);
    assert.equal(followed.code, 0, followed.stderr);
    const asked = provider.requests.at(-1)?.body.messages.filter((message) => message.role === "user");
    assert.deepEqual(asked?.map(said), ["go", "continue\n\ncontinue"]);
  });
});

/** Its frames arrive together, so that no machine is so busy that the silence falls between two of them. */
const atOnce = (step: Step): Step => ({ ...step, frames: [step.frames.map(String).join("")] });
const HALF = atOnce(broken({ text: ["half"] }, 2, "open"));
const IMPATIENT = ["--config", "stream.idleMs=150", "--config", "retry.baseMs=1"];

test.concurrent("[C6] a stream that stalls is given up after stream.idleMs, and asked for the rest", async () => {
  const stalls = (index: number): Step => (index < 2 ? HALF : atOnce(say(" is fine")));
  await withModel(stalls, async (place, provider, baseUrl) => {
    const ended = await place.run(baseUrl, [...GO, ...IMPATIENT]);
    assert.deepEqual(
      [ended.code, resultOf(ended).answer, provider.requests.length],
      [0, "half is fine", 3],
      ended.stderr,
    );
  });
});

test.concurrent("[C6 C10] a stream that stalls every time: exit 10 with what had come", async () => {
  await withModel(
    () => HALF,
    async (place, provider, baseUrl) => {
      const ended = await place.run(baseUrl, [...GO, ...IMPATIENT]);
      const result = resultOf(ended);
      assert.deepEqual([ended.code, result.exit.reason, result.answer], [10, "partial_stream_recovery", "half"]);
      assert.equal(provider.requests.length, 4);
    },
  );
});

test.concurrent("[A4] a prompt with NUL and broken UTF-8 is answered", async () => {
  await withModel(answers, async (place, provider, baseUrl) => {
    const input = Buffer.concat([
      Buffer.from("one\0two "),
      Buffer.from([0xed, 0xa0, 0x80, 0xff]),
      Buffer.from(" three"),
    ]);
    const ended = await place.run(baseUrl, ["-p", "--output", "json"], { input });
    assert.equal(ended.code, 0, ended.stdout + ended.stderr);
    assert.match(said(provider.requests[0]?.body.messages.at(-1)), /^onetwo \uFFFD+ three$/);
  });
});

test.concurrent("[A4] a prompt of 5 MB is kept and sent whole", async () => {
  await withModel(answers, async (place, provider, baseUrl) => {
    const input = "word ".repeat(1_048_576).trimEnd();
    const ended = await place.run(baseUrl, ["-p", "--output", "json"], { input });
    assert.equal(ended.code, 0, ended.stderr);
    assert.equal(said(provider.requests[0]?.body.messages.at(-1)), input);
  });
});

test.concurrent("[G5] a session of 10,000 messages is gone on with, and sent whole", async () => {
  await withModel(answers, async (place, provider, baseUrl) => {
    const messages = Array.from({ length: 5_000 }, (_, n): Message[] => [userText(`q${n}`), assistantText(`a${n}`)]);
    const store = openSqliteStore({ path: storeOf(place) });
    const writer = (await store.open("long")).writer(() => {});
    writer.append({ type: "history-imported", seq: 0, messages: messages.flat() });
    await writer.barrier();
    store.close();
    const ended = await place.run(baseUrl, ["-p", "continue", "--resume", "long", "--output", "json"]);
    assert.deepEqual([ended.code, resultOf(ended).answer], [0, "fine"], ended.stderr);
    // The system prompt, the past, and the new message.
    assert.equal(provider.requests[0]?.body.messages.length, 1 + 10_000 + 1);
  });
});

test.concurrent("[J1] no provider: exit 78 at once, with what to do next", async () => {
  await atMost(async () => {
    const place = new Place();
    try {
      const startedMs = performance.now();
      const ended = await place.run(undefined, GO);
      const tookMs = performance.now() - startedMs;
      checkRefused(ended, 78, "no_provider", /provider|model/);
      // Half a second on a calm machine; whatever waits for somebody waits for longer than this.
      assert.ok(tookMs < 25_000, `${tookMs} ms`);
    } finally {
      place.remove();
    }
  });
});
