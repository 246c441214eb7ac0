import { expect, test } from "vitest";
import type { Fact } from "../protocol/fact.ts";
import type { ReceiptStatus } from "../protocol/message.ts";
import type { TurnLog, TurnPorts } from "../protocol/ports.ts";
import { SHARED } from "../protocol/tool.ts";
import { runSegment } from "./perform-tools.ts";
import { initialState, type OpenCall, UNATTENDED } from "./state.ts";

const setup = {
  model: "m",
  provider: "p",
  maxIterations: 1,
  approvals: "never",
  ...UNATTENDED,
} as const;

/** The user stops the turn while the start of the segment is being saved. */
async function stoppedBeforeTheRun(started: boolean): Promise<ReceiptStatus | undefined> {
  const call: OpenCall = {
    part: { type: "tool-call", callId: "c", name: "t", input: "{}" },
    seq: 2,
    inspection: { claim: SHARED, effect: "idempotent" },
    started,
    approval: "unasked",
  };
  const stop = new AbortController();
  const facts: Fact[] = [];
  const log: TurnLog = {
    signal: stop.signal,
    record: (fact) => {
      facts.push(fact);
      if (fact.type === "segment-start") call.started = true;
    },
    keepRequest: () => {},
    emit: () => {},
    barrier: () => Promise.resolve(stop.abort()),
    nextArrival: () => Promise.resolve(),
    requestSignal: () => stop.signal,
  };
  const ports: TurnPorts = {
    model: {
      prepare: () => {
        throw new Error("no model");
      },
    },
    tools: { inspect: () => call.inspection, run: () => Promise.reject(new Error("it must not run")) },
    compactor: { compact: () => undefined },
    clock: { now: () => 0, elapsed: () => 0, sleep: () => Promise.resolve() },
    random: () => 0,
    sessionId: "s",
  };
  await runSegment([call], initialState(setup, []), ports, log);
  const last = facts.at(-1);
  return last?.type === "receipt" ? last.message.status : undefined;
}

test("[E5 G3] a stop before a call starts cancels it; one that a dead process had started is not called unstarted", async () => {
  expect(await stoppedBeforeTheRun(false)).toBe("cancelled");
  expect(await stoppedBeforeTheRun(true)).toBe("interrupted");
});
