import { type Act, calls, raw, replies, says, type Trouble } from "../dialects/script.ts";
import { eventStreamFrame } from "../dialects/event-stream.ts";
import type { FailureReason } from "../../src/protocol/failure.ts";
import type { Frame } from "../support/wire-script.ts";
import {
  both,
  brokenOff,
  type Expected,
  type Family,
  type Fault,
  harmless,
  lasting,
  LINES,
  onlyIn,
  onlyLines,
  onlyStreams,
  retried,
  type Victim,
} from "./fault.ts";
import { HALF, halfBytes, HELLO, replyBytes, typeOfReply } from "./said.ts";

const goesOn = ["go on", "wait", "wait"];
const WAITS = ["wait", "wait", "wait"];

const stream = (victim: Victim, frames: readonly Frame[], end: "normal" | "open" = "normal"): Act =>
  raw({ headers: { "content-type": typeOfReply(victim) }, frames, end });

/** A word for trouble inside a reply that began well. */
const inside = (trouble: Trouble, reason: FailureReason, after: 0 | 1): Fault => ({
  name: `${trouble} ${after === 0 ? "in place of the first event" : "in mid-stream"}`,
  expected: (victim) => {
    const crowded = reason === "overloaded";
    const expected = after === 0 ? retried(reason) : brokenOff(reason, WAITS, crowded ? 2 : 3);
    return crowded ? lasting(expected, victim) : expected;
  },
  act: () => ({ ...HALF, broken: { after, by: trouble } }),
  impossible: onlyStreams,
});

/** Bytes behind the first piece of a reply. */
const spoilt = (name: string, bytes: Buffer | string, expected: Expected): Fault => ({
  name,
  expected,
  act: (victim) => stream(victim, [...halfBytes(victim), bytes]),
  impossible: onlyLines,
});

const frame = eventStreamFrame({ ":message-type": "event", ":event-type": "contentBlockDelta" }, "{}");
const withWrong = (at: number): Buffer => {
  const bytes = Buffer.from(frame);
  bytes.writeUInt32BE(0xdead_beef, at < 0 ? bytes.length + at : at);
  return bytes;
};

const spoiltFrame = (name: string, bytes: Buffer, expected: Expected): Fault => ({
  name,
  expected,
  act: (victim) => stream(victim, [...halfBytes(victim), bytes]),
  impossible: both(onlyStreams, onlyIn(["bedrock_converse"], LINES)),
});

/** Signs of life for ever, behind what has come. */
const signs = (victim: Victim, first: readonly Frame[]): Act => {
  const { wire } = victim.side;
  const comment = wire.contentType.startsWith("text/event-stream") ? [": ping\n\n"] : [];
  const idle = [...comment, ...wire.idle.map((event) => wire.frame(event, {}))];
  const odd = idle.length > 0 ? idle : wire.strange.slice(0, 1).map((event) => wire.frame(event, {}));
  return stream(
    victim,
    [...first, ...Array.from({ length: 30 }, (): Frame[] => [{ waitMs: 10_000 }, ...odd]).flat()],
    "open",
  );
};

/** A reply that never ends, a piece each 20 s of virtual time. */
const drip = (victim: Victim): Act => {
  const pieces = replyBytes(victim, says(Array.from({ length: 120 }, () => "drip ")));
  return stream(
    victim,
    pieces.flatMap((piece): Frame[] => [piece, { waitMs: 20_000 }]),
  );
};

const TLS = {
  error: { message: "tlsv1 alert internal error: [ssl: TLSV1_ALERT_INTERNAL_ERROR]", type: null, code: null },
};

export const STREAMS: Family = {
  name: "200: streams that break",
  rows: ["C6", "C10", "D11"],
  faults: [
    inside("overloaded", "overloaded", 0),
    inside("rate_limit", "rate_limit", 0),
    inside("server_error", "server_error", 0),
    inside("overloaded", "overloaded", 1),
    inside("server_error", "server_error", 1),
    {
      name: "an error about TLS in place of the first event",
      expected: retried("timeout"),
      act: (victim) => stream(victim, [`data: ${JSON.stringify(TLS)}\n\n`]),
      impossible: onlyLines,
    },
    {
      name: "an error with the key in it in mid-stream",
      expected: brokenOff("server_error", WAITS, 3),
      act: (victim) =>
        stream(victim, [
          ...halfBytes(victim),
          `data: ${JSON.stringify({ error: { message: `Failed for ${victim.key}`, type: "server_error" } })}\n\n`,
        ]),
      impossible: onlyLines,
    },
    {
      name: "signs of life and nothing else",
      expected: retried("timeout", "wait", /no content|nothing/),
      act: (victim) => signs(victim, []),
      impossible: onlyStreams,
    },
    {
      name: "signs of life behind some text",
      expected: brokenOff("timeout", goesOn),
      act: (victim) => signs(victim, halfBytes(victim)),
      impossible: onlyStreams,
    },
    {
      name: "a drip without end",
      expected: { ...brokenOff("timeout", goesOn), answer: /^(?:drip ?)+$/ },
      act: drip,
      impossible: onlyStreams,
    },
    {
      name: "a first byte after 100 s",
      expected: harmless(),
      act: (victim) => stream(victim, [{ waitMs: 80_000 }, ...replyBytes(victim, HELLO)]),
    },
    spoilt("an event that is no JSON", "data: {oh no\n\n", brokenOff("server_error", WAITS, 0)),
    spoilt("an event that is a number", "data: 12\n\n", brokenOff("server_error", WAITS, 0)),
    spoilt(
      "a page in mid-stream",
      "<html><body>502 Bad Gateway</body></html>\n\n",
      brokenOff("server_error", WAITS, 0),
    ),
    spoiltFrame("a frame with a wrong checksum", withWrong(-4), brokenOff("server_error", WAITS, 0)),
    spoiltFrame("a frame whose lengths have a wrong checksum", withWrong(8), brokenOff("server_error", WAITS, 0)),
    spoiltFrame("a frame of an impossible length", withWrong(0), brokenOff("server_error", WAITS, 0)),
    {
      name: "no end behind the text",
      expected: brokenOff("server_error", WAITS, 0),
      act: () => says("Half ", { finish: null }),
      impossible: onlyStreams,
    },
    {
      name: "cut inside a call",
      expected: brokenOff("timeout", goesOn),
      act: () => ({
        ...replies([{ type: "text", text: "Half " }, calls("look", ['{"at":', '"it"}'])]),
        broken: { after: 2, by: "cut" },
      }),
      impossible: both(onlyStreams, ({ mode }) => (mode === "gemini" ? "calls come whole" : undefined)),
    },
    {
      name: "frames of one byte each, with comments, CRLF and a BOM",
      expected: harmless("Grüße 𝄞 你好"),
      act: () => says("Grüße 𝄞 你好", { framing: { bytes: 1, comments: true, bom: true, lineEnd: "\r\n" } }),
      impossible: onlyLines,
    },
    {
      name: "frames of one byte each",
      expected: harmless("Grüße 𝄞 你好"),
      act: () => says("Grüße 𝄞 你好", { framing: { bytes: 1 } }),
      impossible: onlyStreams,
    },
    {
      name: "events that nobody has announced",
      expected: harmless(),
      act: () => ({ ...HELLO, strange: true }),
      impossible: onlyStreams,
    },
  ],
};
