import { knownOverload } from "../../../src/model/failure/known-overload.ts";
import { backOff, longWait, MAX_OVERLOADED } from "../../../src/turn/recovery/wait-and-retry.ts";
import { UNATTENDED } from "../../../src/turn/state.ts";
import { refuse, say, type Step } from "../../support/wire-script.ts";
import type { Json, JsonObject } from "../case-file.ts";
import { listOf, numberOf, objectOf, textOf } from "../input.ts";
import { type Ran, runScripted } from "./scripted-agent.ts";

/** `{attempt, base_delay, max_delay, jitter_ratio}`: the shortest and the longest wait, seconds. */
export function backoffCase(input: Json): unknown {
  const { attempt, base_delay: base, max_delay: most, jitter_ratio: ratio } = objectOf(input, "input");
  const { delayMs } = backOff(
    { baseMs: numberOf(base, "base_delay") * 1_000 },
    numberOf(attempt, "attempt"),
    numberOf(most, "max_delay") * 1_000,
  );
  return { min: delayMs / 1_000, max: (delayMs * (1 + numberOf(ratio, "jitter_ratio"))) / 1_000 };
}

/** What became of a call, and the wait that would be usual: the one that there is; or how often it is tried. */
export function overloadBackoffCase(input: Json): unknown {
  const {
    base_url: url,
    model,
    status,
    message,
    attempt,
    default_wait: usual,
    op,
    configured,
  } = objectOf(input, "input");
  const failure = { status: numberOf(status, "status"), message: textOf(message, "message") };
  const overload = knownOverload(failure, { url: textOf(url, "base_url"), model: textOf(model, "model") });
  if (op === "retry_ceiling") return { max_retries: overload === undefined ? configured : MAX_OVERLOADED };
  const long = overload && longWait(overload, numberOf(attempt, "attempt"));
  if (long === undefined) return { min: usual, max: usual, label_suffix: overload === undefined ? null : "short" };
  const { delayMs, jitterMs } = long;
  return { min: delayMs / 1_000, max: (delayMs + jitterMs) / 1_000, label_suffix: "long" };
}

/** `{responses, retry_mode}`: how often a model was called, and the seconds between. */
export async function retryRunCase(input: Json): Promise<unknown> {
  const { responses } = objectOf(input, "input");
  const ran = await called(listOf(responses, "responses"));
  const { answer, error } = ran.result;
  const content = answer ?? (error?.message ?? "").replace(/^[^\n]*?: /u, "").replace(/\.$/u, "");
  return {
    calls: ran.requests.length,
    sleeps: sleepsOf(ran),
    final: { content, finish_reason: answer === null ? "error" : "stop" },
    progress_count: sleepsOf(ran).length,
  };
}

/** The same where nothing had been shown. */
export async function retryStreamCase(input: Json): Promise<unknown> {
  const { responses } = objectOf(input, "input");
  const ran = await called(listOf(responses, "responses"));
  const { requests, shown, result } = ran;
  const recoveries = ran.facts.filter((fact) => fact.type === "attempt-start" && fact.replaces !== undefined).length;
  return { calls: requests.length, deltas: shown, recoveries, sleeps: sleepsOf(ran), final: result.answer };
}

/** With the first wait of that reference. */
const called = (responses: readonly Json[]): Promise<Ran> =>
  runScripted({
    steps: responses.map((response) => stepOf(objectOf(response, "response"))),
    user: "go",
    setup: { retry: { ...UNATTENDED.retry, baseMs: 1_000 } },
  });

/** An error is told by its text, which begins with a status. */
function stepOf({ content, finish_reason: finish, error_retry_after_s: soon, retry_after: late }: JsonObject): Step {
  const text = textOf(content, "content");
  if (finish !== "error") return say(text);
  const headers = {
    ...(typeof soon === "number" && { "retry-after-ms": `${soon * 1_000}` }),
    ...(typeof late === "number" && { "retry-after": `${late}` }),
  };
  return refuse(Number.parseInt(text, 10), { error: { message: text } }, headers);
}

const sleepsOf = ({ facts }: Ran): readonly number[] =>
  facts.flatMap((fact) => (fact.type === "retry-scheduled" ? [fact.delayMs / 1_000] : []));
