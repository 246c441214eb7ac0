import { readEnvironment } from "../../../src/config/given.ts";
import { resolveLayers } from "../../../src/config/resolve.ts";
import { settingsFrom } from "../../../src/config/settings.ts";
import { encodeTail } from "../../../src/model/chat_completions/encode.ts";
import { isLocalHost, isLoopbackHost } from "../../../src/model/endpoint.ts";
import { toMatch } from "../../../src/model/failure/facts.ts";
import { outputRoom } from "../../../src/model/failure/output-room.ts";
import { streamLimits } from "../../../src/model/stream-limits.ts";
import type { Json } from "../case-file.ts";
import { numberOf, objectOf, textOf } from "../input.ts";

/** `{value, model, base_url}`: the limit as it stands in the request. */
export function maxTokensCase(input: Json): unknown {
  const { value, model, base_url: url } = objectOf(input, "input");
  const request = {
    provider: "custom",
    model: textOf(model, "model"),
    maxOutput: numberOf(value, "value"),
    history: [],
    compaction: undefined,
    tail: [],
    noTools: false,
    continues: false,
    streaming: true,
  };
  const host = URL.parse(textOf(url, "base_url"))?.hostname ?? "";
  const reader = {
    provider: "custom",
    model: request.model,
    nonce: "",
    host,
    hasTools: false,
    hasSystem: false,
    maxOutput: undefined,
    calls: new Map<string, never>(),
  };
  return JSON.parse(`{"messages":[${encodeTail([], undefined, request, reader)}`);
}

/** `{message}`: how much output a server leaves room for. */
export const availableOutputCase = (input: Json): unknown => ({
  available: outputRoom(toMatch(textOf(objectOf(input, "input")["message"], "message"))) ?? null,
});

/** `{op, approx_tokens, configured, local_endpoint}`: after how many seconds of silence a call is given up. */
export function streamTimeoutCase(input: Json): unknown {
  const { op, approx_tokens: tokens, configured, local_endpoint: local } = objectOf(input, "input");
  const name = textOf(op, "op");
  const streaming = name === "stale_stream";
  const set = typeof configured === "number" ? configured * 1_000 : undefined;
  const limits = streamLimits(set === undefined ? {} : { [streaming ? "idleMs" : "nonStreamIdleMs"]: set }, {
    local: local === true,
    bodyBytes: numberOf(tokens, "approx_tokens") * 4,
    streaming,
  });
  return { seconds: limits.idleMs === Infinity ? null : limits.idleMs / 1_000 };
}

/** `{env}` in seconds, set in the environment: how long a hosted server may be silent between two pieces, or a refusal. */
export function idleTimeoutCase(input: Json): unknown {
  const seconds = textOf(objectOf(input, "input")["env"], "env");
  const asMs = seconds.replace(/.$/u, "$&000");
  const { entries, troubles } = resolveLayers([readEnvironment({ EVANDER_STREAM_IDLE_MS: asMs })]);
  const refused = troubles.find(({ severity }) => severity === "error");
  if (refused !== undefined) return { refused: refused.problem.type };
  const call = { local: false, bodyBytes: 0, streaming: true };
  return { seconds: streamLimits(settingsFrom(entries).stream, call).idleMs / 1_000 };
}

/** `{host}`: whether it is this machine alone. */
export const loopbackCase = (input: Json): unknown => ({
  loopback: isLoopbackHost(textOf(objectOf(input, "input")["host"], "host")),
});

/** `{url}`: an address on this machine or its private network. */
export function localEndpointCase(input: Json): unknown {
  const url = URL.parse(textOf(objectOf(input, "input")["url"], "url"));
  return { local: url !== null && isLocalHost(url.hostname.replace(/^\[(.*)\]$/u, "$1")) };
}
