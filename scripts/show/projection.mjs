import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { chatCompletions } from "../../src/model/chat_completions/index.ts";
import { Conversation } from "../../src/model/conversation.ts";
import { shownHistory } from "../../src/protocol/projection/compaction.ts";
import { project } from "../../src/protocol/projection/project.ts";
import { PLAIN_REQUEST } from "../../test/support/plain-request.ts";

export const about = "what it costs to work out what is sent of a history of 10,000 messages";

const MESSAGES = 10_000;
const ADDED = 500;
/** ms */
const COLD = 25;
const WARM = 1;
/** Bytes for each message that is sent as it is. */
const HEAP = 64;

/** @returns {Promise<import("../show.mjs").Figure[]>} */
export async function measure() {
  const history = longHistory(MESSAGES + ADDED);
  const first = history.slice(0, MESSAGES);
  const cold = timeOf(() => project(shownHistory(first, undefined)));
  const compaction = { through: MESSAGES, from: 4_000, instruction: 9_992, cutBefore: 9_000, head: 8, summary: "All." };
  const compacted = timeOf(() => project(shownHistory(first, compaction)));
  const heap = heapOf(() => project(shownHistory(first, undefined))) / MESSAGES;
  const { whole, added } = growth(history);
  console.log(`the whole body of the first request, written anew: ${ms(whole)}`);
  return [
    figure("projection of 10,000 messages, the first time", ms(cold), `${COLD} ms`, cold <= COLD),
    figure("the same with a compaction", ms(compacted), `${COLD} ms`, compacted <= COLD),
    figure("a request with one message more", `${added.toFixed(4)} ms`, `${WARM} ms`, added <= WARM),
    figure("heap for each unchanged message", `${heap.toFixed(1)} bytes`, `${HEAP} bytes`, heap <= HEAP),
  ];
}

/**
 * @param {string} name
 * @param {string} value
 * @param {string} goal
 * @param {boolean} pass
 */
const figure = (name, value, goal, pass) => ({ figure: name, value, goal: `at most ${goal}`, pass });

/** @param {number} time */
const ms = (time) => `${time.toFixed(2)} ms`;

/**
 * Turns of a question, three calls with results of half a page, and an answer.
 * @param {number} length
 * @returns {import("../../src/protocol/message.ts").Message[]}
 */
function longHistory(length) {
  /** @type {import("../../src/protocol/message.ts").Message[]} */
  const history = [];
  const text = (/** @type {string} */ words) => /** @type {const} */ ({ type: "text", text: words });
  for (let at = 0; history.length < length; at++) {
    history.push({ role: "user", parts: [text(`Question ${at}: what does the file say?`)] });
    for (const call of ["a", "b", "c"]) {
      const callId = `${call}${at}`;
      const asked = /** @type {const} */ ({
        type: "tool-call",
        callId,
        name: "read_file",
        input: '{"path":"src/a.ts"}',
      });
      history.push({ role: "assistant", parts: [text("I look."), asked] });
      history.push({ role: "tool", callId, status: "ok", parts: [text(`${at} a line of the file\n`.repeat(40))] });
    }
    history.push({ role: "assistant", parts: [text(`Answer ${at}: it says what it says.`)] });
  }
  // As a store gives them.
  return JSON.parse(JSON.stringify(history.slice(0, length)));
}

/**
 * What it takes of a processor, ms: nobody else's work counts.
 * @param {() => unknown} run
 */
function timeOf(run) {
  const start = process.threadCpuUsage();
  run();
  const { user, system } = process.threadCpuUsage(start);
  return (user + system) / 1_000;
}

/** @param {() => unknown} run */
function heapOf(run) {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc");
  collect();
  const before = process.memoryUsage().heapUsed;
  const kept = run();
  collect();
  const after = process.memoryUsage().heapUsed;
  return kept === undefined ? Infinity : Math.max(0, after - before);
}

/**
 * The requests of one conversation, each with one message more.
 * @param {readonly import("../../src/protocol/message.ts").Message[]} history
 */
function growth(history) {
  const server = { dialect: chatCompletions, host: "server.test", provider: "p" };
  const conversation = new Conversation({ system: "You help.", tools: [], nonce: "n" }, server);
  const request = { ...PLAIN_REQUEST, provider: "p", model: "m" };
  const all = [...history];
  const later = all.splice(MESSAGES);
  const ask = () => conversation.encode({ ...request, history: all });
  const whole = timeOf(ask);
  const added = timeOf(() => {
    for (const message of later) {
      all.push(message);
      ask();
    }
  });
  return { whole, added: added / later.length };
}
