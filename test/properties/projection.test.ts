import fc from "fast-check";
import { expect, test } from "vitest";
import { Conversation } from "../../src/model/conversation.ts";
import { type Compaction, shownHistory } from "../../src/protocol/projection/compaction.ts";
import { callsOf, type Message, userText } from "../../src/protocol/message.ts";
import { project } from "../../src/protocol/projection/project.ts";
import type { Side } from "../dialects/client.ts";
import { isObject } from "../dialects/shape.ts";
import { SUBJECTS } from "../dialects/subjects.ts";
import { LS, NONCE, PROMPT } from "../dialects/talks.ts";
import { PLAIN_REQUEST } from "../support/plain-request.ts";
import { randomCompaction, randomHistory } from "../support/random-history.ts";

interface Kept {
  readonly history: readonly Message[];
  readonly compaction: Compaction | undefined;
  readonly strict: boolean;
}

/** A request leaves when somebody has said something: the last word is the user's, or a tool's. */
const kept: fc.Arbitrary<Kept> = randomHistory.chain((messages) => {
  const history = messages.at(-1)?.role === "tool" ? messages : [...messages, userText("and now?")];
  return fc.record({
    history: fc.constant(history),
    compaction: randomCompaction(history.length),
    strict: fc.boolean(),
  });
});

const HEADERS = {
  "content-type": "application/json",
  "anthropic-version": "2023-06-01",
  authorization: "Bearer key",
  "x-api-key": "key",
  "x-goog-api-key": "key",
};

function conversationWith({ dialect }: Side, hasTools: boolean): Conversation {
  const server = { dialect, host: "server.test", provider: "fake", maxOutput: undefined } as const;
  return new Conversation({ system: PROMPT, tools: hasTools ? [LS] : [], nonce: NONCE }, server);
}

const STRICT = { strict: true } as const;

const requestOf = ({ model }: Side, { history, compaction, strict }: Kept) => ({
  ...PLAIN_REQUEST,
  provider: "fake",
  model,
  history,
  compaction,
  ...(strict && { adjusted: STRICT }),
});

test.for(SUBJECTS.flatMap((side) => [true, false].map((hasTools) => ({ side, hasTools, name: side.wire.mode }))))(
  "[F2] [HIST-02] [C17] whatever a history was, what is sent of it is taken by the strict server: $name, tools: $hasTools",
  ({ side, hasTools }) => {
    fc.assert(
      fc.property(kept, (one) => {
        const request = requestOf(side, one);
        const bytes = Buffer.from(conversationWith(side, hasTools).encode(request).body);
        const body: unknown = JSON.parse(bytes.toString());
        const { path } = side.dialect.route(request);
        expect(
          isObject(body) && side.wire.inspect(body, { path: `${side.wire.base}${path}`, headers: HEADERS, bytes }),
        ).toEqual([]);
      }),
      { numRuns: 150 },
    );
  },
);

/** The calls whose receipt does not stand where it must, and receipts of no call. */
function halves(sent: readonly Message[]): readonly string[] {
  const owed = sent.flatMap((message, at) =>
    message.role === "assistant" ? callsOf(message).map(({ callId }, index) => ({ callId, at: at + 1 + index })) : [],
  );
  const places = new Map(owed.map(({ callId, at }) => [at, callId]));
  return sent
    .map((message, at) => [message.role === "tool" ? message.callId : undefined, places.get(at)])
    .concat(owed.filter(({ at }) => at >= sent.length).map(({ callId }) => [undefined, callId]))
    .flatMap(([found, due]) => (found === due ? [] : [`${found} stands where ${due} is due`]));
}

test("[F2] [C17] what is sent never has half a pair, and is not changed when it is sent once more", () => {
  fc.assert(
    fc.property(kept, ({ history, compaction, strict }) => {
      const sent = project(shownHistory(history, compaction), strict);
      expect(halves(sent)).toEqual([]);
      expect(project(shownHistory(sent, undefined), strict)).toEqual(sent);
      const roles = sent.map(({ role }) => role);
      expect(strict && /user user|assistant assistant/u.test(roles.join(" "))).toBe(false);
    }),
    { numRuns: 1_000 },
  );
});

test("[F1] [X9] whatever is sent of a history, the history stays, and the same data is the same bytes in another process", () => {
  const side = SUBJECTS[0];
  if (side === undefined) throw new Error("there is no dialect");
  fc.assert(
    fc.property(kept, (one) => {
      const before = JSON.stringify(one);
      const first = conversationWith(side, true).encode(requestOf(side, one)).body.toString();
      const again = JSON.parse(before) as Kept;
      expect(conversationWith(side, true).encode(requestOf(side, again)).body.toString()).toBe(first);
      expect(JSON.stringify(one)).toBe(before);
    }),
  );
});

test("[X9] a conversation that grows message by message is the same bytes as one that is written at once", () => {
  fc.assert(
    fc.property(
      kept,
      fc.array(fc.nat({ max: 24 }), { maxLength: 3 }),
      fc.constantFrom(...SUBJECTS),
      (one, stops, side) => {
        const grown = conversationWith(side, true);
        for (const stop of stops.toSorted((a, b) => a - b)) {
          const history = one.history.slice(0, stop);
          const isDue = one.history[stop]?.role === "tool" || one.compaction !== undefined;
          if (!isDue && stop > 0 && stop < one.history.length) grown.encode(requestOf(side, { ...one, history }));
        }
        const body = grown.encode(requestOf(side, one)).body.toString();
        expect(body).toBe(conversationWith(side, true).encode(requestOf(side, one)).body.toString());
      },
    ),
    { numRuns: 300 },
  );
});
