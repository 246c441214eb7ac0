import { agent } from "../../../src/index.ts";
import { failureOfStatus } from "../../../src/model/failure/refusal.ts";
import { retryAfterMs } from "../../../src/model/failure/retry-after.ts";
import { judgePrompt } from "../../../src/context/prompt/restore.ts";
import { withIdentity } from "../../../src/model/fallback/identity.ts";
import { mergeChain } from "../../../src/model/fallback/merge.ts";
import { isShared } from "../../../src/model/fallback/spare-model.ts";
import type { ModelChoice } from "../../../src/protocol/provider.ts";
import { duration } from "../../../src/words/durations.ts";
import { EndlessProvider } from "../../support/endless-provider.ts";
import { event, type Step, stream } from "../../support/wire-script.ts";
import { isObject, type Json, type JsonObject } from "../case-file.ts";
import { listOf, numberOf, objectOf, textOf } from "../input.ts";
import { replyStep } from "./scripted-reply.ts";

/** `{config: {fallback_providers, fallback_model}}`, each an entry or a list of them: the chain they make. */
export function fallbackChainMergeCase(input: Json): unknown {
  const { fallback_providers: list, fallback_model: legacy } = objectOf(objectOf(input, "input")["config"], "config");
  const entries = [list, legacy].flatMap((it) => (it === undefined ? [] : isObject(it) ? [it] : listOf(it, "entries")));
  return { chain: mergeChain(entries.map(choiceOf)).map(entryOf) };
}

function choiceOf(entry: Json): ModelChoice {
  const { provider, model, base_url: baseUrl } = objectOf(entry, "entry");
  const named = { provider: textOf(provider, "provider"), model: textOf(model, "model") };
  return baseUrl === undefined ? named : { ...named, baseUrl: textOf(baseUrl, "base_url") };
}

const entryOf = ({ provider, model, baseUrl }: ModelChoice): object => ({
  provider,
  model,
  ...(baseUrl !== undefined && { base_url: baseUrl }),
});

/** `{prompt, model, provider}`: the prompt for another model. It is given back; nobody is handed it to keep. */
export function identityRewriteCase(input: Json): unknown {
  const { prompt, ...name } = identityOf(input);
  return { prompt: withIdentity(prompt, name), persisted: false };
}

/** `{prompt, model, provider}`: whether a stored prompt is sent again to this model. */
export function promptStalenessCase(input: Json): unknown {
  const { prompt, ...model } = identityOf(input);
  return { matches: judgePrompt({ state: "present", text: prompt }, { model }) === "present" };
}

function identityOf(input: Json): { readonly prompt: string; readonly model: string; readonly provider: string } {
  const { prompt, model, provider } = objectOf(input, "input");
  return {
    prompt: textOf(prompt, "prompt"),
    model: textOf(model, "model"),
    provider: textOf(provider, "provider"),
  };
}

/** `{op, headers}` of a refusal for too many requests: how long its limit lasts, and whether others are told of it. */
export function nousRateGuardCase(input: Json): unknown {
  const { op, headers, seconds } = objectOf(input, "input");
  const given = (isObject(headers ?? null) ? headers : {}) as Readonly<Record<string, string>>;
  switch (op) {
    case "reset_seconds": {
      const ms = retryAfterMs(given, undefined, Date.now());
      return { seconds: ms === undefined ? null : ms / 1_000 };
    }
    case "is_genuine": {
      const refusal = { status: 429, headers: given, body: "", where: "h", nowMs: Date.now(), sent: NOTHING };
      return { genuine: isShared(failureOfStatus(refusal)) };
    }
    default:
      return {
        text: duration(numberOf(seconds, "seconds") * 1_000).replaceAll(/ (?<unit>[dhms])(?:in)?\b/gu, "$<unit>"),
      };
  }
}

const NOTHING = { provider: "nous", model: "m", tokens: 0, messages: 1, window: undefined } as const;

/** `{primary, fallbacks, turns}`: what each model answers; an error is told in words, without a status. */
export async function fallbackChainCase(input: Json): Promise<unknown> {
  const { primary, fallbacks, turns } = objectOf(input, "input");
  const servers = [primary, ...listOf(fallbacks, "fallbacks")].map(
    (replies) => new EndlessProvider(({ index }) => stepOf(listOf(replies, "replies"), index)),
  );
  for (const { server } of servers) await server.listen();
  const [first, ...rest] = servers.map(({ server }, at) => ({ baseUrl: server.baseUrl, model: `m${at}` }));
  try {
    await using bot = agent({ ...first, fallback: rest, clock: "fake" });
    const ended = [];
    for (let turn = 0; turn < numberOf(turns, "turns"); turn++) ended.push(await bot.run("hello", { sessionId: "s" }));
    const [asked, ...others] = servers.map(({ requests }) => requests.length);
    return {
      finals: ended.map(({ answer, error }) => answer ?? error?.message ?? null),
      finish: ended.map(({ failed }) => (failed ? "error" : "stop")),
      primary_calls: asked,
      fallback_calls: others,
    };
  } finally {
    for (const server of servers) await server.close();
  }
}

function stepOf(replies: readonly Json[], index: number): Step {
  const reply: JsonObject = objectOf(replies[index] ?? replies.at(-1), "reply");
  if (reply["finish_reason"] !== "error") return replyStep(reply);
  return stream([event({ error: { message: textOf(reply["content"], "content") } })]);
}
