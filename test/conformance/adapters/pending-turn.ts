import type { Message } from "../../../src/protocol/message.ts";
import type { TurnLog, TurnPorts } from "../../../src/protocol/ports.ts";
import { apply } from "../../../src/turn/apply.ts";
import { runTurn } from "../../../src/turn/run-turn.ts";
import { initialState, type Setup, UNATTENDED } from "../../../src/turn/state.ts";
import type { Json } from "../case-file.ts";
import { listOf, objectOf } from "../input.ts";
import { takeOver, writeBack } from "./openai-rows.ts";

const SETUP: Setup = { model: "m", provider: "p", maxIterations: 1, approvals: "never", ...UNATTENDED };

const NO_WORLD: TurnPorts = {
  model: {
    prepare: () => {
      throw new Error("a turn that is closed asks no model");
    },
  },
  tools: { inspect: () => ({ claim: { mode: "shared" }, effect: "pure" }), run: () => Promise.resolve({ text: "" }) },
  compactor: { compact: () => undefined },
  clock: { now: () => 0, elapsed: () => 0, sleep: () => Promise.resolve() },
  random: () => 0,
  sessionId: "s",
};

/** `{messages, metadata}`: a session whose last turn never began to be answered, closed for the next one. */
export async function pendingTurnCase(input: Json): Promise<unknown> {
  const { messages, metadata } = objectOf(input, "input");
  const { pending_user_turn: pending, ...others } = objectOf(metadata ?? {}, "metadata");
  const { messages: kept, rows } = takeOver(listOf(messages, "messages"), { maxReceiptChars: Infinity });
  const closed = pending === true ? await closeTurn(kept) : kept;
  return { changed: pending === true, messages: writeBack(closed, rows), metadata_keys: Object.keys(others) };
}

/** A turn is open only if its question is the last thing the session holds. */
async function closeTurn(kept: readonly Message[]): Promise<Message[]> {
  const question = kept.at(-1);
  if (question?.role !== "user") return [...kept];
  const { model, provider, maxIterations } = SETUP;
  const state = initialState(SETUP, kept.slice(0, -1));
  const seq = kept.length - 1;
  apply(state, { type: "turn-start", turnId: "t", seq, message: question, model, provider, maxIterations });
  apply(state, { type: "interrupt-requested", by: "superseded" });
  const log: TurnLog = {
    signal: AbortSignal.abort(),
    requestSignal: () => AbortSignal.abort(),
    record: (fact) => apply(state, fact),
    keepRequest: () => {},
    emit: () => {},
    barrier: () => Promise.resolve(),
    nextArrival: () => Promise.resolve(),
  };
  await runTurn(state, NO_WORLD, log);
  return state.history.filter((message) => message !== undefined);
}
