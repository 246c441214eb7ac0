import type { Agent, ModelFacts } from "../../src/index.ts";
import { type CostReport, costReport } from "../../src/session/cost-report.ts";
import { bench, type Bench } from "./agent-in-folder.ts";
import type { Script } from "./fake-provider.ts";
import { echo } from "./tools.ts";
import { broken, delta, PAUSE, refuse, reply, type ReplyScript, replyFrames, stream } from "./wire-script.ts";

/** US dollars for a million tokens. */
const PRICES: NonNullable<ModelFacts["prices"]> = {
  input: 3,
  output: 15,
  cacheRead: 0.3,
  cacheWrite5m: 3.75,
  cacheWrite1h: 6,
  tiers: [{ aboveInputTokens: 200_000, input: 6, output: 22.5, cacheRead: 0.6, cacheWrite5m: 7.5, cacheWrite1h: 12 }],
  asOf: "2026-11-01",
  source: "a list",
};

/** A turn on the wire, and what a person makes of its bill with pencil and paper. */
export interface CostRow {
  readonly name: string;
  readonly steps: readonly Script[];
  /** PRICES when absent; null: nobody knows; "included": nobody bills. */
  readonly prices?: ModelFacts["prices"] | null | "included";
  readonly hand: string;
  /** Of what is known, millionths of a dollar. */
  readonly micros: number;
  readonly status: CostReport["cost"]["status"];
  /** How many requests and runs are on the bill. */
  readonly lines: number;
  readonly act?: (world: Bench, bot: Agent) => Promise<unknown>;
}

interface Counts {
  readonly read?: number;
  readonly write?: number;
  readonly hour?: number;
  readonly thought?: number;
  readonly cost?: number;
}

const took = (
  input: number,
  output: number,
  { read = 0, write = 0, hour = 0, thought = 0, cost }: Counts = {},
): object => ({
  prompt_tokens: input,
  completion_tokens: output,
  prompt_tokens_details: { cached_tokens: read, cache_write_tokens: write },
  completion_tokens_details: { reasoning_tokens: thought },
  ...(hour > 0 && { cache_creation: { ephemeral_1h_input_tokens: hour } }),
  ...(cost !== undefined && { cost }),
});

const answer = (usage: object | null, more: ReplyScript = {}): Script => reply({ text: "Done.", usage, ...more });
const call: ReplyScript = { text: "", calls: [{ id: "a", name: "echo", arguments: { text: "x" } }] };
const PLAIN = took(1_000, 200);
const { tiers: _, cacheWrite1h: __, ...NO_HOUR } = PRICES;

/** Behind a pause, with its usage. */
const paused = stream([delta({ content: "Do" }), PAUSE, ...replyFrames({ text: "ne.", usage: PLAIN }).slice(1)]);

export const COST_ROWS: readonly CostRow[] = [
  {
    name: "input and output",
    steps: [answer(PLAIN)],
    hand: "1000 × 3 + 200 × 15",
    micros: 6_000,
    status: "estimated",
    lines: 1,
  },
  {
    name: "cache read",
    steps: [answer(took(10_000, 100, { read: 9_000 }))],
    hand: "1000 × 3 + 9000 × 0.3 + 100 × 15",
    micros: 7_200,
    status: "estimated",
    lines: 1,
  },
  {
    name: "cache write for 5 minutes",
    steps: [answer(took(10_000, 100, { write: 8_000 }))],
    hand: "2000 × 3 + 8000 × 3.75 + 100 × 15",
    micros: 37_500,
    status: "estimated",
    lines: 1,
  },
  {
    name: "cache write, most of it for an hour",
    steps: [answer(took(10_000, 100, { write: 8_000, hour: 6_000 }))],
    hand: "2000 × 3 + 2000 × 3.75 + 6000 × 6 + 100 × 15",
    micros: 51_000,
    status: "estimated",
    lines: 1,
  },
  {
    name: "an hour's rate that nobody knows",
    prices: NO_HOUR,
    steps: [answer(took(10_000, 100, { write: 8_000, hour: 6_000 }))],
    hand: "unknown",
    micros: 0,
    status: "unknown",
    lines: 1,
  },
  {
    name: "reasoning is output",
    steps: [answer(took(1_000, 500, { thought: 400 }))],
    hand: "1000 × 3 + 500 × 15",
    micros: 10_500,
    status: "estimated",
    lines: 1,
  },
  {
    name: "reasoning with a price of its own",
    prices: { ...PRICES, reasoning: 10 },
    steps: [answer(took(1_000, 500, { thought: 400 }))],
    hand: "1000 × 3 + 100 × 15 + 400 × 10",
    micros: 8_500,
    status: "estimated",
    lines: 1,
  },
  {
    name: "at the edge of the tier",
    steps: [answer(took(200_000, 10))],
    hand: "200000 × 3 + 10 × 15",
    micros: 600_150,
    status: "estimated",
    lines: 1,
  },
  {
    name: "one token above the edge",
    steps: [answer(took(200_001, 10))],
    hand: "200001 × 6 + 10 × 22.5",
    micros: 1_200_231,
    status: "estimated",
    lines: 1,
  },
  {
    name: "above the edge by what the cache brought",
    steps: [answer(took(200_001, 10, { read: 200_000 }))],
    hand: "1 × 6 + 200000 × 0.6 + 10 × 22.5",
    micros: 120_231,
    status: "estimated",
    lines: 1,
  },
  {
    name: "the provider says what it cost",
    steps: [answer(took(1_000, 200, { cost: 0.001_23 }))],
    hand: "1230, as the provider says",
    micros: 1_230,
    status: "actual",
    lines: 1,
  },
  {
    name: "the fee of a router, and the bill of a key of one's own",
    steps: [
      answer({
        ...took(1_000, 200, { cost: 0.000_1 }),
        is_byok: true,
        cost_details: { upstream_inference_cost: 0.002 },
      }),
    ],
    hand: "100 + 2000",
    micros: 2_100,
    status: "actual",
    lines: 1,
  },
  { name: "included", prices: "included", steps: [answer(PLAIN)], hand: "0", micros: 0, status: "included", lines: 1 },
  { name: "no price", prices: null, steps: [answer(PLAIN)], hand: "unknown", micros: 0, status: "unknown", lines: 1 },
  {
    name: "the server does not say what it took",
    steps: [answer(null)],
    hand: "unknown",
    micros: 0,
    status: "unknown",
    lines: 1,
  },
  {
    name: "two requests around a tool",
    steps: [answer(PLAIN, call), answer(took(2_000, 100))],
    hand: "(1000 × 3 + 200 × 15) + (2000 × 3 + 100 × 15)",
    micros: 13_500,
    status: "estimated",
    lines: 2,
  },
  {
    name: "a refused attempt, tried again",
    steps: [refuse(429, { error: { message: "slow down" } }), answer(PLAIN)],
    hand: "0 + (1000 × 3 + 200 × 15)",
    micros: 6_000,
    status: "estimated",
    lines: 2,
  },
  {
    name: "an attempt that broke off before its usage, tried again",
    steps: [broken({ reasoning: "hm", text: "Do" }, 2, "reset"), answer(PLAIN)],
    hand: "unknown + (1000 × 3 + 200 × 15)",
    micros: 6_000,
    status: "unknown",
    lines: 2,
  },
  {
    name: "an empty reply, asked again",
    steps: [answer(took(1_000, 100), { text: "" }), answer(PLAIN)],
    hand: "(1000 × 3 + 100 × 15) + (1000 × 3 + 200 × 15)",
    micros: 10_500,
    status: "estimated",
    lines: 2,
  },
  {
    name: "a reply that the output limit cut, and its rest",
    steps: [answer(PLAIN, { text: "Do", finish: "length" }), answer(took(1_100, 20), { text: "ne." })],
    hand: "(1000 × 3 + 200 × 15) + (1100 × 3 + 20 × 15)",
    micros: 9_600,
    status: "estimated",
    lines: 2,
  },
  {
    name: "an auxiliary run for the turn",
    steps: [paused, answer(took(100, 10), { text: "A summary" })],
    hand: "(1000 × 3 + 200 × 15) + (100 × 3 + 10 × 15)",
    micros: 6_450,
    status: "estimated",
    lines: 2,
    act: async ({ provider }, bot) => {
      const turn = bot.start("go", { sessionId: "s" });
      await provider.paused();
      await bot.runSpec({ prompt: "Sum up.", purpose: "summary", parent: "s" });
      provider.release();
      return turn;
    },
  },
];

function factsOf(prices: CostRow["prices"]): ModelFacts {
  const facts: ModelFacts = { provider: "custom", model: "fake-1", input: ["text"], quirks: [] };
  if (prices === null) return facts;
  return prices === "included" ? { ...facts, included: true } : { ...facts, prices: prices ?? PRICES };
}

/** Runs the turn of a row, and reads its bill out of the store. */
export async function billOfRow({ steps, prices, act }: CostRow): Promise<CostReport> {
  await using world = await bench(...steps);
  const bot = world.agent({ tools: [echo], facts: factsOf(prices), retry: { baseMs: 1, maxMs: 1 } });
  await (act === undefined ? bot.run("go") : act(world, bot));
  const turn = bot.store.turn("last");
  if (turn === undefined) throw new Error("there is no turn");
  return costReport(turn);
}
