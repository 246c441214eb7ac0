import type { Fact } from "../../../src/protocol/fact.ts";
import { callsOf, type Message, textOf as messageText } from "../../../src/protocol/message.ts";
import type { TurnResult } from "../../../src/protocol/result.ts";
import { UNATTENDED } from "../../../src/turn/state.ts";
import type { ChatBody } from "../../support/protocol-police.ts";
import { refuse, type Step } from "../../support/wire-script.ts";
import { isObject, type Json, type JsonObject } from "../case-file.ts";
import { listOf, numberOf, objectOf, textOf, textOrNone } from "../input.ts";
import { shownOf } from "../think-model.ts";
import { runScripted, type Say, toldToPeople } from "./scripted-agent.ts";
import { replyStep, strangeReplyKeys } from "./scripted-reply.ts";
import { type Said, type ScriptedTools, scriptedTools } from "./scripted-tools.ts";

const INPUT_KEYS = ["responses", "tools", "max_iterations", "fail_on_tool_error", "injections", "goal_active"];
const TOOL_KEYS = ["returns", "throws", "error"];

/** nanobot.md §9.3: what a refusal at a boundary says. */
const BOUNDARY = /outside (?:the )?(?:allowed|workspace|working)|internal\/private|private address/iu;

const EXPECT_KEYS = `final_content stop_reason llm_calls tools_offered_per_call last_message_per_call new_messages 
had_injections checkpoints tool_run_counts tools_used tool_events`.split(/\s+/u);

/** What of a recorded run waits for a later part, or is not understood. */
export function agentLoopUnsupported(input: Json, expect: Json): string | undefined {
  const given = objectOf(input, "input");
  const tools = Object.values(toolsIn(given));
  if (given["goal_active"] !== undefined) return "needs sustained goals, a later part";
  if (tools.some(({ error }) => BOUNDARY.test(textOrNone(error))))
    return "a boundary is known by the paths of a call here, not by the words of its result (workspace_violation)";
  const strange = [
    ...Object.keys(given).filter((key) => !INPUT_KEYS.includes(key)),
    ...Object.keys(objectOf(expect, "expect")).filter((key) => !EXPECT_KEYS.includes(key)),
    ...responsesIn(given).flatMap(strangeReplyKeys),
    ...tools.flatMap((tool) => Object.keys(tool).filter((key) => !TOOL_KEYS.includes(key))),
  ];
  return strange.length === 0 ? undefined : `the adapter does not know what is meant by ${strange.join(", ")}`;
}

const toolsIn = (given: JsonObject): Record<string, JsonObject> =>
  Object.fromEntries(
    Object.entries(objectOf(given["tools"] ?? {}, "tools")).map(([name, tool]) => [name, objectOf(tool, name)]),
  );

export const responsesIn = (given: JsonObject): readonly JsonObject[] =>
  listOf(given["responses"], "responses").map((reply) => objectOf(reply, "response"));

/** Look-ups the reference guards (nanobot.md §9.3); a tool author declares them so. */
const EXTERNAL: ReadonlySet<string> = new Set(["web_fetch", "web_search"]);

export const loopTools = (given: JsonObject): ScriptedTools =>
  scriptedTools(Object.keys(toolsIn(given)), loopAnswers(given), EXTERNAL);

/** A typed error of the reference is one that is thrown: its text is the receipt, and it counts as failed. */
export function loopAnswers(given: JsonObject): (name: string) => Said {
  const tools = toolsIn(given);
  return (name) => {
    const { returns = "", throws, error } = tools[name] ?? {};
    const failure = throws ?? error;
    return failure === undefined
      ? { said: saidBy(returns), failed: false }
      : { said: textOf(failure, "error"), failed: true };
  };
}

/** Blocks of text are lines of it. */
const saidBy = (returns: Json): string => {
  if (typeof returns === "string" || returns === null) return returns ?? "";
  if (!Array.isArray(returns)) return JSON.stringify(returns);
  return (returns as readonly Json[]).map((block) => textOrNone(isObject(block) ? block["text"] : block)).join("\n");
};

/** The reference's own limit (nanobot.md §10.3). */
const MAX_ITERATIONS = 200;

export const loopLimit = (given: JsonObject): number =>
  numberOf(given["max_iterations"] ?? MAX_ITERATIONS, "max_iterations");

/** A recorded run of the reference's loop, by the whole product. */
export async function agentLoopCase(input: Json): Promise<unknown> {
  const given = objectOf(input, "input");
  const tools = loopTools(given);
  const { result, requests, added, facts } = await runScripted({
    steps: responsesIn(given).map(stepOf),
    tools: tools.tools,
    setup: {
      maxIterations: loopLimit(given),
      failOnToolError: given["fail_on_tool_error"] === true,
      guardrails: { ...UNATTENDED.guardrails, hardStop: false },
    },
    user: "hi",
    during: injectionsBy(given).map((texts) =>
      texts.map(
        (text): Say =>
          (turn) =>
            turn.inject(text),
      ),
    ),
  });
  const counts = tools.tools.map(({ name }) => [name, tools.runs.filter(([ran]) => ran === name).length]);
  return {
    final_content: toldToPeople(result),
    stop_reason: STOPS.get(result.exit.reason) ?? result.exit.reason,
    llm_calls: requests.length,
    tools_offered_per_call: requests.map(({ body }) => body.tools !== undefined && body.tool_choice !== "none"),
    last_message_per_call: requests.map(({ body }) => lastOf(body)),
    new_messages: rowsOf(added.slice(1)),
    had_injections: facts.some(({ type }) => type === "injection-delivered"),
    checkpoints: checkpointsOf(facts),
    tool_run_counts: Object.fromEntries(counts),
    ...eventsOf(result),
  };
}

/** What the reference's provider layer calls an error is the end of its own tries: a refusal. */
const stepOf = (reply: JsonObject): Step =>
  reply["finish_reason"] === "error"
    ? refuse(400, { error: { message: reply["content"] || "no reason given" } })
    : replyStep(reply);

/**
 * Our inbox is not asked, it is filled: what the reference's n-th look finds is said while the reply is on its way behind
 * which it looks (nanobot.md §7.2, §10, §15).
 */
export function injectionsBy(given: JsonObject): readonly (readonly string[])[] {
  const groups = listOf(given["injections"] ?? [], "injections").map((group) =>
    listOf(group, "injection").map((text) => textOrNone(isObject(text) ? text["content"] : text)),
  );
  let looked = 0;
  let blanks = 0;
  let cuts = 0;
  return responsesIn(given).map((reply) => {
    const kind = lookKind(reply);
    blanks = kind === "blank" ? blanks + 1 : 0;
    cuts = kind === "cut" ? cuts + 1 : 0;
    const silent = (kind === "blank" && blanks < 3) || (kind === "cut" && cuts < 4);
    const looks = silent ? 0 : kind === "error" || kind === "blank" || kind === "refused" ? 2 : 1;
    looked += looks;
    return groups.slice(looked - looks, looked).flat();
  });
}

function lookKind({ content, finish_reason: finish, tool_calls: calls }: JsonObject): string {
  const blank = typeof content !== "string" || shownOf(content).shown.trim() === "";
  if (finish === "error") return "error";
  if (finish === "length") return "cut";
  if (finish === "refusal" || finish === "content_filter") return blank ? "refused" : "answer";
  if (Array.isArray(calls) && calls.length > 0) return "tools";
  return blank ? "blank" : "answer";
}

/** The reference's words for ends; those it does not know keep ours. */
export const STOPS: ReadonlyMap<string, string> = new Map([
  ["text_response", "completed"],
  ["max_iterations_reached", "max_iterations"],
  ["request_rejected", "error"],
  ["all_retries_exhausted_no_response", "error"],
  ["empty_response_exhausted", "empty_final_response"],
]);

function lastOf({ messages }: ChatBody): unknown {
  const last = messages.at(-1);
  return { role: last?.role, content: last?.content };
}

function rowsOf(messages: readonly Message[]): unknown[] {
  const names = new Map<string, string>();
  return messages.map((message) => {
    const { role } = message;
    const content = messageText(message);
    if (role === "tool") return { role, content, name: names.get(message.callId) };
    const calls = role === "assistant" ? callsOf(message) : [];
    for (const { callId, name } of calls) names.set(callId, name);
    return { role, content, ...(calls.length > 0 && { tool_calls: calls.map(({ name }) => name) }) };
  });
}

const eventsOf = ({ toolEvents }: TurnResult): Record<string, unknown> => ({
  tools_used: toolEvents.flatMap(({ name, status }) => (status === "ok" ? [name] : [])),
  tool_events: toolEvents.map(({ name, status }) => [name, status === "ok" ? "ok" : "error"]),
});

interface Checkpoint {
  readonly phase: string;
  readonly iteration: number;
  readonly completed: number;
  readonly pending: number;
}

/** Our journal is the checkpoint: the facts by which a resumed turn knows each of the reference's three phases. The grace call is no iteration. */
function checkpointsOf(facts: readonly Fact[]): Checkpoint[] {
  const found: Checkpoint[] = [];
  let iteration = -1;
  let asked = 0;
  let grace = false;
  for (const fact of facts) {
    if (fact.type === "attempt-start") {
      if (asked > 0) found.push({ phase: "tools_completed", iteration, completed: asked, pending: 0 });
      asked = 0;
      iteration = fact.iteration - 1;
      grace = fact.grace === true;
    }
    if (fact.type !== "assistant-message" || grace) continue;
    asked = callsOf(fact.message).length;
    found.push({ phase: asked > 0 ? "awaiting_tools" : "final_response", iteration, completed: 0, pending: asked });
  }
  return found;
}
