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

/** @returns {Promise<import("../show.mjs").Figure[]>} */
export async function measure() {
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
    tools: [tool("look", ({ path }) => `${path}: found`), tool("memory", () => "Done.")],
    review: { turns: 2, onReview: resolve },
  });
  await bot.run("which tea?", { sessionId: "s" });
  const { turnId } = await bot.run("and how?", { sessionId: "s" });
  course.push(`answer, ${world.provider.requests.length} requests`);
  const history = JSON.stringify(bot.store.history("s"));
  const kept = [...(bot.store.record("s")?.facts ?? [])].length;
  await world.provider.received(5);
  course.push("first request of the review");
  await over;
  course.push("end of the review");
  const [parent = "", review = ""] = world.provider.requests.slice(3, 5).map(({ text }) => text);
  const head = parent.slice(0, parent.lastIndexOf("]"));
  let same = 0;
  while (same < head.length && head[same] === review[same]) same += 1;
  const added = [...(bot.store.record("s")?.facts ?? [])].slice(kept).map(({ fact }) => fact.type);
  const unchanged = JSON.stringify(bot.store.history("s")) === history;
  const turn = bot.store.turn(turnId ?? "");
  const ofTurn = turn === undefined ? 0 : costReport(turn).knownUsd;
  const ofSession = accountOf(chargesIn(bot.store.record("s")?.facts ?? [])).bill.usd;
  const ofDay = accountOf(chargesSince(bot.store, 0)).bill.usd;
  return [
    {
      figure: "order of events",
      value: course.join(", then "),
      goal: "the answer is there before anything of the review leaves",
      pass: course[0] === "answer, 4 requests",
    },
    {
      figure: "bytes of its parent's last request that its first one begins with",
      value: `${((100 * same) / head.length).toFixed(2).replace(/\.?0+$/u, "")} % (${same} of ${head.length})`,
      goal: "100 %",
      pass: head.length > 0 && same === head.length,
    },
    {
      figure: "rows of its parent",
      value: `messages ${unchanged ? "as they were" : "CHANGED"}; facts added: ${added.join(", ") || "none"}`,
      goal: "messages as they were, one auxiliary-run",
      pass: unchanged && added.join() === "auxiliary-run",
    },
    {
      figure: "cost, US dollars",
      value: `turn with its review ${ofTurn}, session ${ofSession}, day ${ofDay}`,
      goal: "each request once: 0.02016 for four, 0.03024 for all six",
      pass: ofTurn === 0.020_16 && ofSession === 0.030_24 && ofDay === 0.030_24,
    },
  ];
}
