// What a dialect costs beside JSON itself: reading 5,000 deltas beside JSON.parse of the bytes of the same events, and writing 10,000
// messages beside JSON.stringify of the same body. node bench/dialects.mjs [ROUNDS]. Its last line is for programs.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Conversation } from "../src/model/conversation.ts";
import { loadDialect } from "../src/model/dialects.ts";
import { ReplyDecoder } from "../src/model/reply-decoder.ts";
import { anthropicWire } from "../test/dialects/anthropic-wire.ts";
import { bedrockWire } from "../test/dialects/bedrock-wire.ts";
import { chatWire } from "../test/dialects/chat-wire.ts";
import { geminiWire } from "../test/dialects/gemini-wire.ts";
import { responsesWire } from "../test/dialects/responses-wire.ts";
import { replies } from "../test/dialects/script.ts";
import { PLAIN_REQUEST } from "../test/support/plain-request.ts";

const WIRES = [chatWire, anthropicWire, bedrockWire, responsesWire, geminiWire];
const DELTAS = 5_000;
const MESSAGES = 10_000;
/** Events that come with one network chunk. */
const PER_CHUNK = 20;
/** Rounds until both sides are compiled. */
const WARMING = 10;
const rounds = Number(process.argv[2] ?? 25);

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc");

const median = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)];

/** CPU time of one run, ms. It pays for what it leaves behind itself, not for what others have left. */
function timed(run) {
  collect({ type: "minor" });
  const before = process.cpuUsage();
  const start = performance.now();
  run();
  const took = performance.now() - start;
  const { user, system } = process.cpuUsage(before);
  // Collecting runs beside it, on threads of its own; on a busy machine it waits for them.
  return Math.min(took, (user + system) / 1_000);
}

/** The median of the ratios of `run` to `beside`, taken in turn after some rounds of warming up. */
function ratio(run, beside) {
  const all = Array.from({ length: WARMING + rounds }, () => ({ ms: timed(run), besideMs: timed(beside) })).slice(
    WARMING,
  );
  return {
    ratio: median(all.map(({ ms, besideMs }) => ms / besideMs)),
    ms: median(all.map(({ ms }) => ms)),
    besideMs: median(all.map(({ besideMs }) => besideMs)),
  };
}

function decoding(dialect, wire) {
  const pieces = Array.from({ length: DELTAS }, (_, at) => `word${at % 10} `);
  const events = wire.events(replies([{ type: "text", text: pieces }]), { model: "m", streams: true });
  const frames = events.map((event) => wire.frame(event, {}));
  const chunks = [];
  for (let at = 0; at < frames.length; at += PER_CHUNK) chunks.push(Buffer.concat(frames.slice(at, at + PER_CHUNK)));
  const payloads = events.flatMap(({ data }) => (typeof data === "string" ? [] : [Buffer.from(JSON.stringify(data))]));
  const options = {
    dialect,
    provenance: { provider: "p", model: "m" },
    takenIds: new Map(),
    continues: false,
    where: "here",
    mask: (text) => text,
    secrets: ["word-a-key-that-begins-like-every-delta-01"],
    now: () => 0,
  };
  const read = () => {
    const decoder = new ReplyDecoder(options);
    for (const chunk of chunks) {
      decoder.feed(chunk);
      decoder.take();
    }
    decoder.end();
    decoder.take();
    const reply = decoder.reply();
    if (reply.type !== "message") throw new Error(`${dialect.mode} was not understood: ${JSON.stringify(reply)}`);
  };
  return ratio(read, () => {
    for (const payload of payloads) JSON.parse(payload.toString());
  });
}

/** A talk in which every second round calls a tool. */
function talk(messages) {
  const text = (words) => [{ type: "text", text: words }];
  const result = "a line of a file that was read by a tool\n".repeat(100);
  return Array.from({ length: messages }, (_, at) => {
    const callId = `call_${at - (at % 4)}`;
    switch (at % 4) {
      case 0:
        return { role: "user", parts: text(`Question ${at}: what does this do, and why? `.repeat(5)) };
      case 1:
        return {
          role: "assistant",
          parts: [...text("I look."), { type: "tool-call", callId, name: "read_file", input: '{"path":"src/a.ts"}' }],
        };
      case 2:
        return { role: "tool", callId, status: "ok", parts: text(result) };
      default:
        return { role: "assistant", parts: text(`It does this, as line ${at} says. `.repeat(10)) };
    }
  }).map((message, at) =>
    message.role === "assistant" && at % 4 === 1
      ? {
          ...message,
          parts: message.parts.map((part) =>
            part.type === "tool-call" ? { ...part, callId: `call_${at - 1}` } : part,
          ),
        }
      : message.role === "tool"
        ? { ...message, callId: `call_${at - 2}` }
        : message,
  );
}

function encode(dialect, history) {
  const conversation = new Conversation(
    { system: "You help.", tools: [], nonce: "n" },
    { dialect, host: "h", provider: "p" },
  );
  const request = {
    provider: "p",
    model: "m",
    history,
    ...PLAIN_REQUEST,
  };
  return conversation.encode(request).body;
}

function encoding(dialect) {
  const [whole, half] = [talk(MESSAGES), talk(MESSAGES / 2)];
  const body = JSON.parse(encode(dialect, whole).toString());
  const beside = ratio(
    () => encode(dialect, whole),
    () => Buffer.from(JSON.stringify(body)),
  );
  const growth = ratio(
    () => encode(dialect, whole),
    () => encode(dialect, half),
  );
  return { ...beside, growth: growth.ratio };
}

const rows = [];
for (const wire of WIRES) {
  const dialect = await loadDialect(wire.mode);
  const [decode, written] = [decoding(dialect, wire), encoding(dialect)];
  rows.push({ mode: wire.mode, decode, encode: written });
  const figure = ({ ratio: times, ms, besideMs }) =>
    `${times.toFixed(2)}x (${ms.toFixed(1)} / ${besideMs.toFixed(1)} ms)`;
  console.log(
    `${wire.mode.padEnd(20)} reads ${figure(decode).padEnd(24)} writes ${figure(written).padEnd(26)} twice as many ${written.growth.toFixed(2)}x`,
  );
}
console.log(JSON.stringify(rows));
