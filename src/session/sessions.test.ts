import { expect, test } from "vitest";
import type { Fact } from "../protocol/fact.ts";
import { assistantText, userText } from "../protocol/message.ts";
import { type Store, StoreError } from "../protocol/store.ts";
import { memoryStore } from "../store/memory.ts";
import { UNATTENDED } from "../turn/state.ts";
import { MOST_LANES } from "./open-lanes.ts";
import { Sessions } from "./sessions.ts";
import { standing } from "./turn-tools.ts";
import { systemClock } from "./system-clock.ts";

/** Sessions whose model always says "fine", on a store whose commits can be made to fail. */
function sessionsOn(store: Store): Sessions {
  let ids = 0;
  const message = assistantText("fine");
  return new Sessions({
    store,
    openModel: () => ({
      setup: { model: "m", provider: "p", maxIterations: 3, approvals: "never", ...UNATTENDED },
      about: { provider: "p", baseUrl: "", source: "test" },
      open: () => ({
        model: {
          prepare: () => ({
            record: { continues: false, add: [Buffer.from("{")], tail: "}" },
            size: { messages: 1, bytes: 2 },
            send: () => Promise.resolve({ type: "message", message, finish: "stop" }),
          }),
        },
      }),
    }),
    tools: standing({
      specs: [],
      port: {
        inspect: () => ({ claim: { mode: "shared" }, effect: "pure" }),
        run: () => Promise.resolve({ text: "" }),
      },
    }),
    ports: {
      compactor: { compact: () => undefined },
      clock: systemClock,
      random: () => 0,
    },
    newId: () => `id${ids++}`,
    log: () => {},
  });
}

/** A store that keeps only what `keeps` says; whoever waits for more is told that it failed. */
function failing(store: Store, keeps: (fact: Fact) => boolean): Store {
  return {
    ...store,
    open: async (sessionId) => {
      const stored = await store.open(sessionId);
      return {
        ...stored,
        writer: (onCommit) => {
          const writer = stored.writer(onCommit);
          let failed = false;
          return {
            append: (fact) => {
              failed ||= !keeps(fact);
              if (!failed) writer.append(fact);
            },
            keepRequest: (request) => {
              if (!failed) writer.keepRequest(request);
            },
            keepKit: (...kit) => {
              if (!failed) writer.keepKit(...kit);
            },
            keepPrompt: (text) => {
              if (!failed) writer.keepPrompt(text);
            },
            barrier: () => (failed ? Promise.reject(new StoreError("io", "It is broken.")) : writer.barrier()),
          };
        },
      };
    },
  };
}

test("[G3] two prompts that meet a broken lane share the one that is opened anew", async () => {
  const store = memoryStore();
  let broken = true;
  const sessions = sessionsOn(failing(store, (fact) => !broken || fact.type === "turn-start"));
  const first = await (await sessions.start("s", "one")).result;
  expect(first.exit.reason).toBe("store_unavailable");
  broken = false;
  const turns = await Promise.all([sessions.start("s", "two"), sessions.start("s", "three")]);
  const results = await Promise.all(turns.map((turn) => turn.result));
  expect(results.map((result) => result.exit.reason)).toEqual(["text_response", "text_response"]);
  store.close();
});

test("[G3] an unfinished turn that cannot be closed is reported, not tried for ever", async () => {
  const store = memoryStore();
  const sessions = sessionsOn(failing(store, (fact) => fact.type === "turn-start"));
  expect((await (await sessions.start("s", "one")).result).exit.reason).toBe("store_unavailable");
  await expect(sessions.start("s", "two")).rejects.toThrow("It is broken.");
  store.close();
});

/** A store that says which sessions are held now. */
function watched(store: Store): { readonly store: Store; readonly held: Set<string>; opened: number } {
  const held = new Set<string>();
  const watch = {
    held,
    opened: 0,
    store: {
      ...store,
      open: async (sessionId: string) => {
        const stored = await store.open(sessionId);
        watch.opened++;
        held.add(sessionId);
        const release = (): void => {
          held.delete(sessionId);
          stored.release();
        };
        return { ...stored, release };
      },
    },
  };
  return watch;
}

test("[X6] sessions in which nothing goes on are given back where there are many, and go on from the store", async () => {
  const watch = watched(memoryStore());
  const sessions = sessionsOn(watch.store);
  for (let at = 0; at < 100; at++) await (await sessions.start(`s${at}`, "hello")).result;
  expect(watch.held.size).toBe(MOST_LANES);
  expect(watch.held.has("s0")).toBe(false);
  expect(watch.held.has("s99")).toBe(true);
  expect(await (await sessions.start("s0", "again")).result).toMatchObject({ ok: true });
  expect((await sessions.lane("s0")).history).toHaveLength(4);
  expect({ opened: watch.opened, held: watch.held.size }).toEqual({ opened: 101, held: MOST_LANES });
});

test("[X6] as many as begin at once run, each in the lane of its session; what is used again and again stays", async () => {
  const watch = watched(memoryStore());
  const sessions = sessionsOn(watch.store);
  await (
    await sessions.start("dear", "hello")
  ).result;
  for (let round = 0; round < 3; round++) {
    const turns = Array.from({ length: 100 }, (_, at) => sessions.start(`s${round}-${at}`, "hello"));
    for (const turn of turns) expect(await (await turn).result).toMatchObject({ ok: true });
    expect(watch.held.size).toBe(MOST_LANES);
  }
  for (let at = 0; at < 100; at++) {
    await (
      await sessions.start(`t${at}`, "hello")
    ).result;
    await sessions.lane("dear");
  }
  expect(watch.held.has("dear")).toBe(true);
});

test("[X6] what is imported into many sessions holds none of them", async () => {
  const watch = watched(memoryStore());
  const sessions = sessionsOn(watch.store);
  for (let at = 0; at < 100; at++) await sessions.importMessages(`s${at}`, [userText("before")]);
  expect(watch.held.size).toBe(MOST_LANES);
});
