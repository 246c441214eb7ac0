import { deepEqual, equal, match } from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import { userText } from "../../src/protocol/message.ts";
import type { ModelReply } from "../../src/protocol/ports.ts";
import { type Heard, type Side, talkTo } from "./client.ts";
import { type Act, type Break, calls, raw, refuses, replies, says, type Trouble } from "./script.ts";
import type { Item } from "./suite-item.ts";
import { VirtualTimers } from "../support/virtual-timers.ts";
import { PAUSE } from "../support/wire-script.ts";
import type { DialectServer } from "./wire.ts";

const HISTORY = [userText("hi")];
const HALF = ["Half ", "an answer"];

type Failed = Extract<ModelReply, { type: "failure" }>;

async function failed(side: Side, act: Act): Promise<Failed> {
  await using client = await talkTo(side, [act]);
  return failureIn(await client.ask(HISTORY));
}

function failureIn({ reply }: Heard): Failed {
  if (reply.type !== "failure") throw new Error(`It was taken for ${JSON.stringify(reply)}`);
  return reply;
}

/** Half of the limit passes when the first piece was shown, and the other half when what `lives` lets come has come. */
async function stalled(side: Side, act: Act, lives: (server: DialectServer) => Promise<void>): Promise<Failed> {
  const timers = new VirtualTimers();
  await using client = await talkTo(side, [act], { stream: { idleMs: 60 }, timers });
  const shown = Promise.withResolvers<void>();
  const asking = client.ask(HISTORY, { onDelta: () => shown.resolve() });
  await shown.promise;
  timers.advance(30);
  await lives(client.server);
  // What has left is read first.
  for (let turns = 0; turns < 5; turns++) await setImmediate();
  timers.advance(30);
  return failureIn(await asking);
}

const half = (by: Break["by"], after = 1): Act => says(HALF, { broken: { after, by } });

/** It can be tried again, and what was shown is known. */
function keepsHalf({ failure, partial }: Failed): void {
  equal(failure.retryable, true);
  equal(partial?.text.trimEnd(), "Half");
}

/** Half an answer, then nothing but signs of life. */
function alive({ wire, model }: Side): Act {
  const events = wire.events(says(HALF), { model, streams: true });
  const shown = events.slice(0, events.findIndex(({ piece }) => piece) + 1);
  const comment = wire.contentType.startsWith("text/event-stream") ? [": ping\n\n"] : [];
  const signs = [...wire.idle.map((event) => wire.frame(event, {})), ...comment];
  return raw({ frames: [...shown.map((event) => wire.frame(event, {})), PAUSE, ...signs, ...signs, PAUSE] });
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
      for (const reply of [
        await stalled(side, half("stall"), () => Promise.resolve()),
        await stalled(side, alive(side), async (server) => {
          await server.paused();
          server.release();
          await server.paused(2);
        }),
      ]) {
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
