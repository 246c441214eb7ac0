/**
 * A process that works in one session until it is killed: it takes up what the one before it left, and begins one turn after
 * another. It tells its parent what an owner would be told: that it is there, that a message was taken, that a turn ended.
 *
 * Arguments: the address of the provider, the folder of the store, `follow` (an unfinished turn is closed by the next
 * message) or `resume`, and how many turns it begins at most.
 */
import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { agent } from "../../dist/index.js";

const [baseUrl = "", folder = "", takeUp, turns] = process.argv.slice(2);
const SESSION = "s";

/** @param {Record<string, unknown>} what */
const tell = (what) => void process.send?.(what);

/**
 * @param {string} name
 * @param {Partial<import("../../src/protocol/tool.ts").Tool> & Pick<import("../../src/protocol/tool.ts").Tool, "run">} more
 * @returns {import("../../src/protocol/tool.ts").Tool}
 */
const tool = (name, more) => ({
  name,
  description: name,
  parameters: { type: "object", properties: { id: { type: "string" } }, required: ["id"] },
  effect: "pure",
  concurrency: "shared",
  ...more,
});

/** Long enough for a kill to meet it. One of several side by side is done before the others. */
const work = (/** @type {unknown} */ id) => setTimeout(4 + (String(id).charCodeAt(0) % 3) * 4);

/** @param {Record<string, unknown>} input */
const append = async ({ id }) => {
  await work(id);
  appendFileSync(join(folder, "effects.log"), `${String(id)}\n`);
  return `did ${String(id)}`;
};

const TOOLS = [
  tool("look", {
    run: async ({ id }) => (await work(id), `saw ${String(id)}: ${"a line of what is there. ".repeat(20)}`),
  }),
  tool("put", {
    effect: "idempotent",
    run: async ({ id }) => {
      await work(id);
      writeFileSync(join(folder, "put.txt"), String(id));
      return `put ${String(id)}`;
    },
  }),
  tool("act", { effect: "effect", concurrency: "exclusive", run: append }),
  tool("ask", { effect: "effect", concurrency: "exclusive", ask: () => "May it?", run: append }),
];

const bot = agent({
  store: folder,
  model: "m",
  baseUrl,
  tools: TOOLS,
  children: {},
  approvals: "ask",
  retry: { baseMs: 1, maxMs: 5 },
});

/** @param {import("../../src/index.ts").TurnHandle} turn */
async function follow(turn) {
  let isTaken = false;
  for await (const event of turn) {
    if (!isTaken) tell({ taken: event.type === "turn-start" ? numberIn(event.message) : 0 });
    isTaken = true;
    if (event.type === "approval-requested")
      for (const id of event.callIds) await work(id).then(() => turn.approve(id, true));
    if (event.type === "segment-start" && event.callIds.some((id) => id.startsWith("s-")))
      if (await turn.steer(`steer ${event.callIds[0]}`)) tell({ steered: `steer ${event.callIds[0]}` });
    if (event.type === "attempt-start" && isStopped) await turn.interrupt();
  }
  const { exit, error } = await turn;
  tell({ ended: exit.reason, ...(error && { error: error.message }) });
}

let isStopped = false;

/** @param {import("../../src/protocol/message.ts").Message} message */
const numberIn = (message) => Number(/go (\d+)/.exec(JSON.stringify(message))?.[1]);

function nextNumber() {
  const said = bot.store.history(SESSION) ?? [];
  return Math.max(0, ...said.flatMap((each) => (each?.role === "user" ? [numberIn(each) || 0] : []))) + 1;
}

tell({ ready: true });
const [open] = bot.store.openTurns().filter(({ sessionId }) => sessionId === SESSION);
if (open !== undefined && takeUp === "resume") {
  const parked = await bot.open(open.turnId);
  if (parked === undefined) throw new Error("what was left cannot be opened");
  for (const { approvalId } of parked.pending) await parked.decide(approvalId, true);
  await follow(parked.resume());
}
for (let begun = 0; begun < Number(turns); begun++) {
  const number = nextNumber();
  isStopped = number % 8 === 7;
  await follow(bot.start(`go ${number}`, { sessionId: SESSION }));
}
await bot.close();
process.disconnect?.();
