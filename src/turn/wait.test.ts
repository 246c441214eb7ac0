import { expect, test } from "vitest";
import type { Fact } from "../protocol/fact.ts";
import { userText } from "../protocol/message.ts";
import type { TurnLog, TurnPorts } from "../protocol/ports.ts";
import { SHARED } from "../protocol/tool.ts";
import { apply } from "./apply.ts";
import { runTurn } from "./run-turn.ts";
import { initialState, UNATTENDED } from "./state.ts";

const setup = { model: "m", provider: "p", maxIterations: 3, approvals: "never", ...UNATTENDED } as const;
const hints = { shouldCompress: false, shouldRotateCredential: false, shouldFallback: false };
const failure = { reason: "server_error", message: "down", retryable: true, ...hints } as const;
const before = (untilMs: number): readonly Fact[] => [
  { type: "turn-start", turnId: "t", seq: 0, message: userText("go"), model: "m", provider: "p", maxIterations: 3 },
  { type: "attempt-start", attempt: 1, iteration: 1, model: "m" },
  { type: "model-failure", failure },
  { type: "retry-scheduled", delayMs: 20_000, untilMs },
  { type: "turn-resumed" },
];

/** What a process does that takes the turn over at this time, before a server that stays down. */
async function takenOver(nowMs: number, untilMs: number): Promise<{ slept: number[]; asked: number }> {
  const state = initialState(setup, []);
  for (const fact of before(untilMs)) apply(state, fact);
  const slept: number[] = [];
  let asked = 0;
  const { signal } = new AbortController();
  const log: TurnLog = {
    signal,
    record: (fact) => apply(state, fact),
    keepRequest: () => {},
    emit: () => {},
    barrier: () => Promise.resolve(),
    nextArrival: () => Promise.resolve(),
    requestSignal: () => signal,
  };
  const ports: TurnPorts = {
    model: {
      prepare: () => ({
        record: { continues: false, add: [], tail: "" },
        size: { messages: 1, bytes: 1 },
        send: () => {
          asked++;
          return Promise.resolve({ type: "failure", failure });
        },
      }),
    },
    tools: { inspect: () => ({ claim: SHARED, effect: "pure" }), run: () => Promise.reject(new Error("no tools")) },
    compactor: { compact: () => undefined },
    clock: {
      now: () => nowMs,
      elapsed: () => nowMs,
      sleep: (ms) => {
        slept.push(ms);
        return Promise.resolve();
      },
    },
    random: () => 0,
    sessionId: "s",
  };
  await runTurn(state, ports, log);
  return { slept, asked };
}

test("[D4] [G3] whoever takes over a turn that waits waits for the rest, and its attempts go on counting", async () => {
  // Of the three attempts one was made before.
  expect(await takenOver(5_000, 12_000)).toEqual({ slept: [7_000, 4_000], asked: 2 });
  expect(await takenOver(60_000, 12_000)).toEqual({ slept: [0, 4_000], asked: 2 });
});

test("[D4] a clock that was set back makes no wait longer than it was to be", async () => {
  expect(await takenOver(0, 3_600_000)).toEqual({ slept: [20_000, 4_000], asked: 2 });
});
