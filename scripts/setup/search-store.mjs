import { closeSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { openDatabase } from "../../src/store/sqlite/database.ts";
import { SearchIndex } from "../../src/store/sqlite/search.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import { chinese, english, numbers } from "./search-corpus.mjs";

/** Messages of a session, in turns of some. */
const OF_SESSION = 100;
const OF_TURN = 10;
/** Between two commits of a turn, as a quick model and quick tools make them, ms. */
const BETWEEN_MS = 20;

/**
 * What one message says: short from a user, longer from the model, longest from a tool; two of five in Chinese.
 * @param {(below: number) => number} random
 * @param {number} seq
 */
export function saying(random, seq) {
  const place = seq % OF_TURN;
  const length = place === 0 ? 20 + random(300) : place % 2 === 1 ? 100 + random(1_500) : 200 + random(3_000);
  return random(5) < 3 ? english(random, length) : chinese(random, Math.ceil(length / 2.5));
}

/**
 * @param {string} path
 * @param {number} messages
 * @returns {Promise<number>} bytes of what was said
 */
export async function fill(path, messages) {
  const store = openSqliteStore({ path });
  const random = numbers(7);
  let bytes = 0;
  for (let session = 0; session * OF_SESSION < messages; session++) {
    const stored = await store.open(`session-${session}`);
    const writer = stored.writer(() => {});
    for (let seq = 0; seq < OF_SESSION; seq++) {
      const text = saying(random, seq);
      bytes += Buffer.byteLength(text);
      writer.append(factOf(`turn-${session}-${seq}`, seq, text));
      if (seq % OF_TURN === OF_TURN - 1)
        writer.append({ type: "turn-end", outcome: { exit: "text_response", answer: null } });
    }
    await writer.barrier();
    stored.release();
  }
  store.close();
  return bytes;
}

/**
 * @param {string} turnId
 * @param {number} seq
 * @param {string} text
 * @returns {import("../../src/protocol/fact.ts").Fact}
 */
function factOf(turnId, seq, text) {
  /** @type {readonly [import("../../src/protocol/message.ts").TextPart]} */
  const parts = [{ type: "text", text }];
  if (seq % OF_TURN === 0) {
    const message = /** @type {const} */ ({ role: "user", parts });
    return { type: "turn-start", turnId, seq, message, model: "m", provider: "p", maxIterations: 90 };
  }
  if (seq % 2 === 0)
    return { type: "receipt", seq, message: { role: "tool", callId: `call_${seq - 1}`, status: "ok", parts } };
  const call = /** @type {const} */ ({
    type: "tool-call",
    callId: `call_${seq}`,
    name: "read_file",
    input: '{"path":"a"}',
  });
  return {
    type: "assistant-message",
    seq,
    finish: "tool_calls",
    message: { role: "assistant", parts: [...parts, call] },
  };
}

/**
 * Indexes all of it, in the steps in which sessions do it.
 * @param {string} path
 */
export function index(path) {
  const { db, wal } = openDatabase(path, 0);
  db.exec("pragma synchronous = off");
  const search = new SearchIndex(db);
  const last = Number(db.prepare("select max(id) as id from message").get()?.["id"]);
  for (let indexed = 0; indexed < last;) indexed = search.catchUp();
  search.close();
  db.close();
  if (wal !== undefined) closeSync(wal);
}

/**
 * Writes the turns of a session, one after another, until it is stopped.
 * @param {import("../../src/protocol/store.ts").Store} store
 * @param {string} sessionId
 * @param {{ stopped: boolean, times: number[] }} work how long each commit took, ms
 */
export async function write(store, sessionId, work) {
  const stored = await store.open(sessionId);
  const writer = stored.writer(() => {});
  const random = numbers(99);
  for (let seq = 0; !work.stopped; seq++) {
    const start = performance.now();
    writer.append(factOf(`${sessionId}-${seq}`, seq, saying(random, seq)));
    if (seq % OF_TURN === OF_TURN - 1)
      writer.append({ type: "turn-end", outcome: { exit: "text_response", answer: null } });
    await writer.barrier();
    work.times.push(performance.now() - start);
    await setTimeout(BETWEEN_MS);
  }
  stored.release();
}
