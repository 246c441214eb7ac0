import { expect, test } from "vitest";
import type { Fact, TurnEvent } from "../protocol/fact.ts";
import { DeltaQueue } from "./delta-queue.ts";

const fact = (iteration: number): Fact => ({ type: "attempt-start", iteration, attempt: 1, model: "m" });
const output = (callId: string, text: string): TurnEvent => ({ type: "tool-output-delta", callId, text });
const all = (queue: DeltaQueue): TurnEvent[] => queue.takeFacts(Infinity);

test("[A9] a reader who never comes back costs one delta of each kind for each fact, and loses no fact", () => {
  const queue = new DeltaQueue();
  for (let round = 0; round < 20; round++) {
    queue.push(fact(round));
    for (let piece = 0; piece < 5_000; piece++) {
      queue.push({ type: "text-delta", text: "a" });
      queue.push({ type: "reasoning-delta", text: "b" });
      queue.push(output("one", "c"));
      queue.push(output("two", "d"));
    }
  }
  expect(queue.size).toBeLessThanOrEqual(20 * 101);
  const events = all(queue);
  expect(events.filter(({ type }) => type === "attempt-start")).toEqual(
    Array.from({ length: 20 }, (_, at) => fact(at)),
  );
  const texts = events.map((event) => (event.type === "text-delta" ? event.text : "")).join("");
  expect(texts).toBe("a".repeat(100_000));
});

test("[A9] of what a call prints while nobody reads, the end stays", () => {
  const queue = new DeltaQueue();
  for (let line = 0; line < 100_000; line++) queue.push(output("one", `line ${line}\n`));
  queue.push(fact(1));
  const [kept] = all(queue);
  expect(kept?.type === "tool-output-delta" && kept.text.length).toBeLessThanOrEqual(200_000);
  expect(kept?.type === "tool-output-delta" && kept.text.endsWith("line 99998\nline 99999\n")).toBe(true);
});

test("[A9] few deltas keep their order; what stands behind a fact does not melt into what stood before it", () => {
  const queue = new DeltaQueue();
  const events: TurnEvent[] = [
    { type: "text-delta", text: "a" },
    { type: "reasoning-delta", text: "b" },
    { type: "text-delta", text: "c" },
    fact(1),
    { type: "text-delta", text: "d" },
  ];
  for (const event of events) queue.push(event);
  queue.push({ type: "text-delta", text: "e" });
  expect(all(queue)).toEqual([...events.slice(0, 4), { type: "text-delta", text: "de" }]);
});
