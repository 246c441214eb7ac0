import { callsOf, type Message, textOf as messageText } from "../../../src/protocol/message.ts";
import type { TurnResult } from "../../../src/protocol/result.ts";
import { type Setup, UNATTENDED } from "../../../src/turn/state.ts";
import type { ReceivedRequest } from "../../support/fake-provider.ts";
import type { Step } from "../../support/wire-script.ts";
import { isObject, type Json, type JsonObject } from "../case-file.ts";
import { listOf, numberOf, objectOf, textOf } from "../input.ts";
import { type Ran, runScripted, toldToPeople } from "./scripted-agent.ts";
import { errorStep, noChoices, replyStep, strangeReplyKeys } from "./scripted-reply.ts";
import { type Said, type ScriptedTools, scriptedTools } from "./scripted-tools.ts";

const INPUT_KEYS = ["agent_defaults", "agent", "script", "tool_results", "history", "user", "fallbacks", "compress"];
const AGENT_KEYS = ["model", "provider", "max_iterations", "max_tokens", "tools", "api_max_retries"];
const STEP_KEYS = ["response", "error", "empty_choices"];
const ERROR_KEYS = ["status", "message", "type", "code", "headers", "body"];

/** Attempts of one call; the product has no setting for it. */
const ATTEMPTS = 3;

const EXPECT_KEYS =
  `api_calls model_calls budget_used completed failed partial interrupted turn_exit_reason early_return 
compaction_disabled compression_exhausted final_response error pending_steer response_previewed 
interrupt_message request_roles request_max_tokens models roles tool_results tools_run`.split(/\s+/u);

/** What of a recorded turn waits for a later part, or is not understood. */
export function turnUnsupported(input: Json, expect: Json): string | undefined {
  const given = objectOf(input, "input");
  const agent = agentOf(given);
  const results = Object.entries(objectOf(given["tool_results"] ?? {}, "tool_results"));
  const script = listOf(given["script"], "script");
  if (isNonEmpty(given["fallbacks"]) && !script.every(isPlain)) return "needs the fallback chain, a later part";
  if (compressorOf(given).some((what) => what !== "noop")) return "needs the summary by a model, a later part";
  if ((agent["api_max_retries"] ?? ATTEMPTS) !== ATTEMPTS && !script.every(isPlain))
    return "attempts per call are no setting";
  const strange = [
    ...strangers(given, INPUT_KEYS),
    ...strangers(agent, [...AGENT_KEYS, "compression_enabled"]),
    ...script.flatMap(strangeInStep),
    ...results.flatMap(([, result]) => (isKnownResult(result) ? [] : [JSON.stringify(result)])),
    ...(typeof (given["user"] ?? "") === "string" ? [] : ["a user message that is no text"]),
    ...strangers(objectOf(expect, "expect"), EXPECT_KEYS),
  ];
  return strange.length === 0 ? undefined : `the adapter does not know what is meant by ${strange.join(", ")}`;
}

export const agentOf = (given: JsonObject): JsonObject => ({
  ...objectOf(given["agent_defaults"] ?? {}, "agent_defaults"),
  ...objectOf(given["agent"] ?? {}, "agent"),
});

const compressorOf = (given: JsonObject): readonly Json[] => listOf(given["compress"] ?? [], "compress");

const isNonEmpty = (value: Json | undefined): boolean => Array.isArray(value) && value.length > 0;

/** A reply after which no reference thinks of trying again, here or elsewhere. */
function isPlain(step: Json): boolean {
  const { response } = objectOf(step, "script entry");
  if (response === undefined || !isObject(response)) return false;
  const { content, finish_reason: finish, tool_calls: calls } = response;
  const isGiven = (typeof content === "string" && content.trim() !== "") || isNonEmpty(calls);
  return isGiven && finish !== "length" && finish !== "content_filter";
}

const strangers = (given: JsonObject, known: readonly string[]): string[] =>
  Object.keys(given).filter((key) => !known.includes(key));

function strangeInStep(step: Json): string[] {
  const { response, error } = objectOf(step, "script entry");
  return [
    ...strangers(objectOf(step, "script entry"), STEP_KEYS),
    ...(response !== undefined && isObject(response) ? strangeReplyKeys(response) : []),
    ...(error !== undefined && isObject(error) ? strangers(error, ERROR_KEYS) : []),
  ];
}

const isKnownResult = (result: Json): boolean =>
  typeof result === "string" ||
  (isObject(result) && Object.keys(result).join() === "raise") ||
  (Array.isArray(result) && (result as readonly Json[]).every(isKnownResult));

/** A recorded turn, run by the whole product against a server that answers as the script says. */
export async function turnCase(input: Json): Promise<unknown> {
  const given = objectOf(input, "input");
  const agent = agentOf(given);
  const tools = toolsOf(given);
  const shrinks = agent["compression_enabled"] === true && given["compress"] === undefined;
  const ran = await runScripted({
    steps: listOf(given["script"], "script").map(stepOf),
    tools: tools.tools,
    setup: setupOf(agent),
    compactor: shrinks ? undefined : { compact: () => undefined },
    history: listOf(given["history"] ?? [], "history"),
    user: textOf(given["user"] ?? "hello", "user"),
  });
  return { ...resultOf(ran.result), ...requestsOf(ran.requests), ...messagesOf(ran), tools_run: tools.runs };
}

function stepOf(step: Json): Step {
  const { response = null, error } = objectOf(step, "script entry");
  if (response !== null) return replyStep(objectOf(response, "response"));
  return error === undefined ? noChoices : errorStep(objectOf(error, "error"));
}

export const toolsOf = (given: JsonObject): ScriptedTools =>
  scriptedTools(
    listOf(agentOf(given)["tools"] ?? [], "tools").map((name) => textOf(name, "tool")),
    answersOf(given),
  );

/** What the tools say: `ok` where nothing is written down, in turn where there is a list. */
export function answersOf(given: JsonObject): (name: string, before: number) => Said {
  const results = objectOf(given["tool_results"] ?? {}, "tool_results");
  return (name, before) => {
    const all = results[name] ?? "ok";
    const list = Array.isArray(all) ? (all as readonly Json[]) : [all];
    const result = list[before] ?? list.at(-1) ?? "";
    const failed = isObject(result);
    return { said: textOf(failed ? result["raise"] : result, "tool result"), failed };
  };
}

/** The reference leaves it to a setting whether its guardrails stop a turn. */
const setupOf = ({ model, max_iterations: iterations, max_tokens: tokens }: JsonObject): Partial<Setup> => ({
  model: textOf(model, "model"),
  maxIterations: numberOf(iterations, "max_iterations"),
  guardrails: { ...UNATTENDED.guardrails, hardStop: false },
  ...(typeof tokens === "number" && { maxOutput: tokens }),
});

/** The result in the words of the reference; no end of ours passes finalise by. */
function resultOf(result: TurnResult): Record<string, unknown> {
  const { iterations, completed, failed, partial, interrupted, error, pendingSteer } = result;
  return {
    api_calls: iterations.used,
    budget_used: iterations.used - iterations.refunded,
    completed,
    failed,
    partial,
    interrupted,
    turn_exit_reason: exitOf(result.exit),
    early_return: false,
    compaction_disabled: false,
    compression_exhausted: false,
    final_response: toldToPeople(result),
    error: error?.message ?? null,
    pending_steer: pendingSteer.join("\n"),
    response_previewed: result.previewed,
    interrupt_message: result.interruptMessage,
  };
}

function exitOf({ reason, detail }: TurnResult["exit"]): string {
  if (reason === "text_response") return `text_response(finish_reason=${String(detail?.["finishReason"])})`;
  if (reason !== "max_iterations_reached") return reason;
  return `max_iterations_reached(${String(detail?.["used"])}/${String(detail?.["limit"])})`;
}

const requestsOf = (requests: readonly ReceivedRequest[]): Record<string, unknown> => ({
  model_calls: requests.length,
  request_roles: requests.map(({ body }) => body.messages.map(({ role }) => role)),
  request_max_tokens: requests.map(({ body }) => body.max_tokens ?? body.max_completion_tokens ?? null),
  models: requests.map(({ body }) => body.model),
});

const messagesOf = ({ messages }: Ran): Record<string, unknown> => ({
  roles: messages.map(roleOf),
  tool_results: messages.filter(({ role }) => role === "tool").map(messageText),
});

const roleOf = (message: Message): string =>
  message.role === "assistant" && callsOf(message).length > 0 ? "assistant+tc" : message.role;

/** What is asked of a text without its words is written as rules for it. */
export function turnExpectation(expect: Json): Json {
  if (!isObject(expect)) return expect;
  const { final_response: final = null, error = null, tool_results: results, ...others } = expect;
  return {
    ...others,
    ...("final_response" in expect && { final_response: rulesOf(final) }),
    ...("error" in expect && { error: rulesOf(error) }),
    ...(Array.isArray(results) && { tool_results: (results as readonly Json[]).map(rulesOf) }),
  };
}

const rulesOf = (asked: Json): Json =>
  isObject(asked)
    ? Object.fromEntries(Object.entries(asked).map(([key, value]) => [`$${key.toUpperCase()}`, value]))
    : asked;
