import { deepEqual, ok } from "node:assert/strict";
import { userText } from "../../src/protocol/message.ts";
import { talkTo } from "./client.ts";
import { raw, replies, type ReplyAct, type ScriptPart } from "./script.ts";
import type { Item } from "./suite-item.ts";
import { FULL, heard, partsOf } from "./suite-replies.ts";

const ROUNDS = 30;

/** A small generator, so that a round can be played again by its number. */
function dice(seed: number): (sides: number) => number {
  let state = seed * 2_654_435_761 + 1;
  return (sides) => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 0x9e37_79b9) >>> 0;
    return (state >>> 8) % sides;
  };
}

const WORDS = ["a", "ß", "𝄞", "你", "\n", '"', "\\", " ", "\u2028", "👩‍👧", "data: ", "</think", "{}", "\r\n\r\n"];

function randomText(roll: (sides: number) => number): string[] {
  return Array.from({ length: 1 + roll(4) }, () =>
    Array.from({ length: 1 + roll(6) }, () => WORDS[roll(WORDS.length)]).join(""),
  );
}

/** Text that begins and ends with a letter: white space at the borders is another matter. */
const framed = (roll: (sides: number) => number): string[] => ["x", ...randomText(roll), "x"];

function randomReply(roll: (sides: number) => number): ReplyAct {
  const parts = Array.from({ length: 1 + roll(3) }, (_, at): ScriptPart => {
    const input = { path: randomText(roll).join("") };
    return { type: "call", id: `c${at}`, name: "ls", input };
  });
  const before: ScriptPart[] = [
    { type: "reasoning", text: framed(roll) },
    { type: "text", text: framed(roll) },
  ];
  return replies([...before, ...parts]);
}

export const FUZZ: readonly Item[] = [
  {
    row: "C2",
    name: "random replies in random pieces are read as they were said",
    run: async (side) => {
      for (let round = 0; round < ROUNDS; round++) {
        const roll = dice(round);
        const act = randomReply(roll);
        const said = act.parts.map((part) =>
          part.type === "call" ? ["tool-call", "ls", part.input] : [part.type, [part.text].flat().join("")],
        );
        const strange = roll(2) === 0 ? { strange: true as const } : {};
        const reply = await heard(side, { ...act, ...strange, framing: { bytes: 1 + roll(40) } });
        deepEqual(partsOf(reply), said, `round ${round}`);
      }
    },
  },
  {
    row: "C7",
    name: "random damage to a stream is told, and neither hangs nor throws",
    run: async (side) => {
      const call = { model: side.model, streams: true };
      const frames = side.wire.events(FULL, call).map((event) => side.wire.frame(event, {}));
      for (let round = 0; round < ROUNDS; round++) {
        const roll = dice(round + ROUNDS);
        await using client = await talkTo(side, [raw({ frames: damaged(frames, roll) })], {
          stream: { callMs: 5_000 },
        });
        const { reply } = await client.ask([userText("hi")]);
        ok(["message", "empty", "cut", "failure"].includes(reply.type), `round ${round}`);
      }
    },
  },
];

/** Frames lost, sent twice, swapped or cut; bytes changed. */
function damaged(frames: readonly Buffer[], roll: (sides: number) => number): Buffer[] {
  const some = frames.map((frame) => Buffer.from(frame));
  for (let times = 1 + roll(3); times > 0; times--) {
    const at = roll(some.length);
    const frame = some[at] ?? Buffer.alloc(0);
    switch (roll(5)) {
      case 0:
        some.splice(at, 1);
        break;
      case 1:
        some.splice(at, 0, frame);
        break;
      case 2:
        some.push(...some.splice(at, 1));
        break;
      case 3:
        some[at] = frame.subarray(0, roll(frame.length));
        break;
      default:
        frame[roll(frame.length)] = roll(256);
    }
  }
  return some;
}
