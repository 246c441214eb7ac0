import { costReport } from "../../src/session/cost-report.ts";
import { accountOf, chargesIn, chargesSince } from "../../src/session/spending.ts";
import { bench, tool } from "../../test/support/agent-in-folder.ts";
import { callTools, reply } from "../../test/support/wire-script.ts";

export const about =
  "a review behind an answer: what it delays, what it repeats of its parent, what it changes there, what it costs";

/** @type {import("../../src/index.ts").ModelFacts} */
const facts = {
  provider: "custom",
  model: "fake-1",
  quirks: [],
  prices: { input: 2, output: 8, asOf: "2026-11-01", source: "a list" },
};
/** One cent: 1000 × 2 + 1000 × 8 millionths. */
const CENT = { prompt_tokens: 1_000, completion_tokens: 1_000 };

/** @param {string} id @param {string} name @param {object} input */
const call = (id, name, input) => callTools([{ id, name, arguments: input }]);

/** @param {string} text */
const answer = (text) => reply({ text, usage: CENT });

/**
 * How much of its parent's last request another one begins with.
 * @param {string} parent
 * @param {string} review
 */
function repeated(parent, review) {
  const head = parent.slice(0, parent.lastIndexOf("]"));
  let same = 0;
  while (same < head.length && head[same] === review[same]) same += 1;
  return { same, of: head.length };
}

/** @param {import("../../src/index.ts").Store} store */
const factsOf = (store) => [...(store.record("s")?.facts ?? [])];

/** @param {import("../../src/index.ts").Store} store @param {string} turnId */
function costs(store, turnId) {
  const turn = store.turn(turnId);
  return {
    turn: turn === undefined ? 0 : costReport(turn).knownUsd,
    session: accountOf(chargesIn(factsOf(store))).bill.usd,
    day: accountOf(chargesSince(store, 0)).bill.usd,
  };
}

/** Two turns, and the review behind the second. */
async function watch() {
  /** @type {string[]} */
  const course = [];
  const { promise: over, resolve } = Promise.withResolvers();
  await using world = await bench(
    call("a", "look", { path: "tea.txt" }),
    answer("Earl Grey, from the tin."),
    call("b", "look", { path: "milk.txt" }),
    answer("With milk."),
    call("c", "memory", { action: "add", target: "user", content: "takes milk" }),
    answer("Noted."),
  );
  const bot = world.agent({
    facts,
    tellTime: true,
    memory: { name: "recall", prefetch: () => "drank coffee in May" },
    tools: [tool("look", () => "found"), tool("memory", () => "Done.")],
    review: { turns: 2, onReview: resolve },
  });
  await bot.run("which tea?", { sessionId: "s" });
  const { turnId } = await bot.run("and how?", { sessionId: "s" });
  course.push(`answer, ${world.provider.requests.length} requests`);
  const [history, kept] = [JSON.stringify(bot.store.history("s")), factsOf(bot.store).length];
  await world.provider.received(5);
  course.push("first request of the review");
  await over;
  course.push("end of the review");
  const [parent = "", review = ""] = world.provider.requests.slice(3, 5).map(({ text }) => text);
  return {
    course,
    bytes: repeated(parent, review),
    unchanged: JSON.stringify(bot.store.history("s")) === history,
    added: factsOf(bot.store)
      .slice(kept)
      .map(({ fact }) => fact.type),
    cost: costs(bot.store, String(turnId)),
  };
}

/** @returns {Promise<import("../show.mjs").Figure[]>} */
export async function measure() {
  const { course, bytes, unchanged, added, cost } = await watch();
  const share = `${((100 * bytes.same) / bytes.of).toFixed(2).replace(/\.?0+$/u, "")} %`;
  return [
    {
      figure: "order of events",
      value: course.join(", then "),
      goal: "the answer is there before anything of the review leaves",
      pass: course[0] === "answer, 4 requests",
    },
    {
      figure: "bytes of its parent's last request that its first one begins with",
      value: `${share} (${bytes.same} of ${bytes.of})`,
      goal: "100 %",
      pass: bytes.of > 0 && bytes.same === bytes.of,
    },
    {
      figure: "rows of its parent",
      value: `messages ${unchanged ? "as they were" : "CHANGED"}; facts added: ${added.join(", ") || "none"}`,
      goal: "messages as they were, one auxiliary-run",
      pass: unchanged && added.join() === "auxiliary-run",
    },
    {
      figure: "cost, US dollars",
      value: `turn with its review ${cost.turn}, session ${cost.session}, day ${cost.day}`,
      goal: "each request once: 0.02016 for four, 0.03024 for all six",
      pass: cost.turn === 0.020_16 && cost.session === 0.030_24 && cost.day === 0.030_24,
    },
  ];
}
