import { expect, test } from "vitest";
import { OutsideMemory } from "./outside-memory.ts";

const FOREVER = 2 ** 31 - 1;
const TURN = { sessionId: "s", turnId: "t", prompt: "go", messages: [], isFirst: true };

test("[A11] whoever leaves does not wait for a look whether a dead memory is well again", async () => {
  const { promise: looked, resolve: look } = Promise.withResolvers<AbortSignal>();
  const dead = {
    name: "mem0",
    prefetch: () => Promise.reject(new Error("dead")),
    health: (signal: AbortSignal) => {
      look(signal);
      return new Promise<never>(() => undefined);
    },
    sync: () => Promise.resolve(),
  };
  const memory = new OutsideMemory(dead, FOREVER);
  const [closed, leaving] = [new AbortController(), new AbortController()];
  await memory.recall({ ...TURN, signal: closed.signal });
  const kept = memory.keep({ ...TURN, answer: "done" }, closed.signal, leaving.signal);
  const signal = await looked;
  leaving.abort();
  await expect(kept).rejects.toThrow("memory mem0: the turn was not kept: prefetch: dead");
  expect(signal.aborted).toBe(true);
});
