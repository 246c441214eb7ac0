import { deepEqual, equal, match } from "node:assert/strict";
import { userText } from "../../src/protocol/message.ts";
import type { ModelReply } from "../../src/protocol/ports.ts";
import { type Side, talkTo } from "./client.ts";
import { type Act, type Break, calls, raw, refuses, replies, says, type Trouble } from "./script.ts";
import type { Item } from "./suite-item.ts";
import { VirtualTimers } from "../support/virtual-timers.ts";

const HISTORY = [userText("hi")];
const HALF = ["Half ", "an answer"];

type Failed = Extract<ModelReply, { type: "failure" }>;

async function failed(side: Side, act: Act, stream = {}): Promise<Failed> {
  await using client = await talkTo(side, [act], { stream });
  const { reply } = await client.ask(HISTORY);
  if (reply.type !== "failure") throw new Error(`It was taken for ${JSON.stringify(reply)}`);
  return reply;
}

const half = (by: Break["by"], after = 1): Act => says(HALF, { broken: { after, by } });

/** It can be tried again, and what was shown is known. */
function keepsHalf({ failure, partial }: Failed): void {
  equal(failure.retryable, true);
  equal(partial?.text.trimEnd(), "Half");
}

/** Half an answer, then for seconds nothing but signs of life. */
function alive({ wire, model }: Side): Act {
  const events = wire.events(says(HALF), { model, streams: true });
  const shown = events.slice(0, events.findIndex(({ piece }) => piece) + 1);
  const comment = wire.contentType.startsWith("text/event-stream") ? [": ping\n\n"] : [];
  const signs = [...wire.idle.map((event) => wire.frame(event, {})), ...comment];
  const waits = Array.from({ length: 500 }, () => [{ waitMs: 10 }, ...signs]).flat();
  return raw({ frames: [...shown.map((event) => wire.frame(event, {})), ...waits] });
}

const REASONS: Readonly<Record<Trouble, RegExp>> = {
  bad_request: /^format_error$/,
  bad_key: /^auth$/,
  billing: /^billing$/,
  forbidden: /^(?:auth|model_not_found)$/,
  not_found: /^model_not_found$/,
  context_too_long: /^context_overflow$/,
  rate_limit: /^rate_limit$/,
  server_error: /^server_error$/,
  overloaded: /^overloaded$/,
};

const TROUBLES = Object.entries(REASONS) as readonly [Trouble, RegExp][];

export const BROKEN_STREAMS: readonly Item[] = [
  {
    row: "D1",
    name: "refusals say why",
    run: async (side) => {
      for (const [trouble, reason] of TROUBLES)
        match((await failed(side, refuses(trouble))).failure.reason, reason, trouble);
    },
  },
  {
    row: "C6",
    name: "an error in place of the first event says why",
    run: async (side) => {
      for (const trouble of ["rate_limit", "overloaded", "server_error"] as const) {
        const { failure, partial } = await failed(side, half(trouble, 0));
        match(failure.reason, REASONS[trouble], trouble);
        equal(partial, undefined);
      }
    },
  },
  {
    row: "C10",
    name: "an error in mid-stream says why, and what was shown is kept",
    run: async (side) => {
      const reply = await failed(side, half("overloaded"));
      keepsHalf(reply);
      equal(reply.failure.reason, "overloaded");
    },
  },
  { row: "C10", name: "a cut keeps what was shown", run: async (side) => keepsHalf(await failed(side, half("cut"))) },
  {
    row: "C10",
    name: "a reset keeps what was shown",
    run: async (side) => keepsHalf(await failed(side, half("reset"))),
  },
  {
    row: "C10",
    name: "an end without an end keeps what was shown",
    run: async (side) => keepsHalf(await failed(side, says("Half ", { finish: null }))),
  },
  {
    row: "C10",
    name: "a cut inside a call drops it by name",
    run: async (side) => {
      const act = replies([{ type: "text", text: "Half " }, calls("ls", ['{"path":', '"a"}'])]);
      const { partial } = await failed(side, { ...act, broken: { after: 2, by: "cut" } });
      deepEqual(partial?.droppedTools, ["ls"]);
    },
  },
  {
    row: "C6",
    name: "a stall ends at its limit, pings or not",
    run: async (side) => {
      for (const act of [half("stall"), alive(side)]) {
        const reply = await failed(side, act, { idleMs: 60 });
        keepsHalf(reply);
        equal(reply.failure.reason, "timeout");
      }
    },
  },
  {
    row: "C6",
    name: "an abort while nothing comes settles at once",
    run: async (side) => {
      // No time passes: what waited for any would never end.
      await using client = await talkTo(side, [half("stall")], { timers: new VirtualTimers() });
      const stop = new AbortController();
      const { reply } = await client.ask(HISTORY, { signal: stop.signal, onDelta: () => stop.abort() });
      equal(reply.type, "aborted");
    },
  },
  {
    row: "C7",
    name: "an empty 200, HTML from a proxy and JSON that is none of its replies are failures",
    run: async (side) => {
      const html = { headers: { "content-type": "text/html" }, frames: ["<html><title>Sign in</title></html>"] };
      const json = { headers: { "content-type": "application/json" }, frames: ['{"hello":"world"}'] };
      for (const step of [{ frames: [] }, html, json]) equal((await failed(side, raw(step))).failure.retryable, true);
    },
  },
];
