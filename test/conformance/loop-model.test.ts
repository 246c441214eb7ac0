import fc from "fast-check";
import { expect, test } from "vitest";
import { agentLoopCase } from "./adapters/agent-loop.ts";
import { turnCase } from "./adapters/turn.ts";
import type { Json, JsonObject } from "./case-file.ts";
import { difference } from "./compare.ts";
import { AGENT_LOOP_DEVIATIONS } from "./deviations/agent-loop.ts";
import type { Deviation } from "./deviations/deviation.ts";
import { TURN_DEVIATIONS } from "./deviations/turn.ts";
import { SYMBOLS } from "./symbols.ts";

const TOOLS = ["web_search", "read_file", "terminal", "todo", "execute_code"];

const text = fc.constantFrom(
  "",
  " ",
  "Let me see. ",
  "Half a",
  " line\n",
  "Done.",
  "<think>hm</think>",
  "<think>a</think>b",
);
const name = fc.constantFrom(...TOOLS, ...TOOLS, "Web-Search", "zzqx_unknown", "");
const args = fc.constantFrom("{}", '{"q":1}', '{"q":1}', '{"q":', "[1]", "");
const call = fc.record({ name, arguments: args });
const calls = fc
  .array(call, { maxLength: 3 })
  .map((list) => list.map((one, at): JsonObject => ({ id: `c${at}`, ...one })));
const finish = fc.constantFrom<(string | undefined)[]>(
  undefined,
  undefined,
  undefined,
  "stop",
  "length",
  "content_filter",
);
const reply = fc.record({ content: text, reasoning_content: fc.constantFrom("", "", "hm"), calls, finish });

/** Most replies carry either text or calls. */
const response = fc.tuple(reply, fc.nat(3)).map(([{ calls: asked, finish: word, ...said }, kind]): JsonObject => ({
  ...said,
  ...(kind === 0 && asked.length > 0 && { tool_calls: asked }),
  ...(word !== undefined && { finish_reason: word }),
}));

const error = fc.constantFrom(
  { status: 500, message: "Internal error" },
  { status: 400, message: "Unknown thing" },
  { status: 413, message: "Request entity too large" },
  { status: 400, message: "flagged for possible cybersecurity risk" },
  { message: "Connection lost", type: "ConnectError" },
);
const step = fc.oneof(
  { weight: 12, arbitrary: response.map((said): JsonObject => ({ response: said })) },
  { weight: 1, arbitrary: error.map((said): JsonObject => ({ error: said })) },
  { weight: 1, arbitrary: fc.constant<JsonObject>({ empty_choices: true }) },
);
/** The last entry is what a script that is over goes on with. */
const LAST: JsonObject = { response: { content: "The end." } };

const turn = fc
  .record({ script: fc.array(step, { maxLength: 9 }), limit: fc.integer({ min: 1, max: 9 }), fails: fc.boolean() })
  .map(({ script, limit, fails }): JsonObject => ({
    agent_defaults: { model: "m", provider: "p", max_iterations: limit, tools: TOOLS },
    script: [...script, LAST],
    tool_results: fails ? { terminal: { raise: "boom" } } : {},
  }));

const run = fc
  .record({
    responses: fc.array(response, { maxLength: 9 }),
    max_iterations: fc.integer({ min: 1, max: 9 }),
    fail_on_tool_error: fc.boolean(),
    injections: fc.array(fc.array(fc.constantFrom("more", "and this", " "), { maxLength: 4 }), { maxLength: 4 }),
  })
  .map(({ responses, ...others }): JsonObject => ({
    ...others,
    responses: [...responses, { content: "The end." }],
    tools: { web_search: { returns: "page" }, read_file: { error: "no such file" }, terminal: { throws: "boom" } },
  }));

/** A rule whose statement is asked for every key it knows. */
const ruleOf = (rules: readonly Deviation[]): Deviation["ours"] => {
  const [rule] = rules;
  if (rule === undefined) throw new Error("no rule");
  return rule.ours;
};

const asked = (keys: string): Json => Object.fromEntries(keys.split(" ").map((key) => [key, "unknown"]));

const found = (stated: Json, actual: unknown, input: Json): string | undefined =>
  difference(stated, actual, { known: SYMBOLS, declared: new Map(), input });

/** A hundred turns take seconds, and a minute on a busy machine, ms. */
const LIMIT_MS = 240_000;

const TURN_KEYS =
  "api_calls budget_used model_calls request_roles early_return completed failed partial final_response roles tools_run tool_results";
const LOOP_KEYS =
  "final_content stop_reason llm_calls tools_offered_per_call last_message_per_call new_messages tools_used tool_events had_injections checkpoints tool_run_counts";

test(
  "[C8] [C9] [C11] [B6] whatever a model answers, a turn is what the plain statement of the rules says",
  async () => {
    await fc.assert(
      fc.asyncProperty(turn, async (input) => {
        const actual = await turnCase(input);
        expect(found(ruleOf(TURN_DEVIATIONS)(input, asked(TURN_KEYS)), actual, input)).toBeUndefined();
      }),
      { numRuns: 100 },
    );
  },
  LIMIT_MS,
);

test(
  "[B4] [B10] [E6] the same with messages that come meanwhile and a stop at the first failure",
  async () => {
    await fc.assert(
      fc.asyncProperty(run, async (input) => {
        const actual = await agentLoopCase(input);
        expect(found(ruleOf(AGENT_LOOP_DEVIATIONS)(input, asked(LOOP_KEYS)), actual, input)).toBeUndefined();
      }),
      { numRuns: 100 },
    );
  },
  LIMIT_MS,
);
