import { expect, test } from "vitest";
import type { Waiting } from "../protocol/waiting.ts";
import { assistantText } from "../protocol/message.ts";
import { memoryStore } from "../store/memory.ts";
import { UNATTENDED } from "../turn/state.ts";
import { Sessions } from "./sessions.ts";
import { standing } from "./turn-tools.ts";

test("[B16][B17] while a model is silent the turn reports life every 10 s, and says what it waits for", async () => {
  const store = memoryStore();
  const sleeps: (() => void)[] = [];
  let nowMs = 0;
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<void>();
  const sessions = new Sessions({
    store,
    openModel: () => ({
      setup: { model: "m", provider: "p", maxIterations: 3, approvals: "never", ...UNATTENDED },
      about: { provider: "p", baseUrl: "", source: "test" },
      open: () => ({
        model: {
          prepare: () => ({
            record: { continues: false, add: [Buffer.from("{")], tail: "}" },
            size: { messages: 1, bytes: 2 },
            send: async () => {
              asked.resolve();
              await answer.promise;
              return { type: "message", message: assistantText("Late."), finish: "stop" };
            },
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
      clock: {
        now: () => nowMs,
        elapsed: () => nowMs,
        sleep: (ms, signal) => {
          const { promise, resolve } = Promise.withResolvers<void>();
          signal.addEventListener("abort", () => resolve(), { once: true });
          sleeps.push(() => {
            nowMs += ms;
            resolve();
          });
          return promise;
        },
      },
      random: () => 0,
    },
    newId: () => "id",
    log: () => {},
  });
  const turn = await sessions.start("s", "go");
  const beats: [number, Waiting][] = [];
  const heard = (async () => {
    for await (const event of turn) {
      if (event.type !== "activity-delta") continue;
      beats.push([nowMs, event.waiting]);
      if (beats.length === 3) answer.resolve();
      else sleeps.shift()?.();
    }
  })();
  await asked.promise;
  sleeps.shift()?.();
  await heard;
  const waiting = { type: "model-reply", model: "m", attempt: 1, sinceMs: 0, untilMs: null };
  expect(beats).toEqual([10_000, 20_000, 30_000].map((ms) => [ms, waiting]));
  expect((await turn.result).answer).toBe("Late.");
  expect((await sessions.lane("s")).waiting).toBeUndefined();
  store.close();
});
