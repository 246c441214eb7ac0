import { type ClientRequest, type IncomingMessage, request as sendPlain } from "node:http";
import type { Agent } from "node:http";
import { request as sendSecure } from "node:https";
import { EgressRefusal } from "../../protocol/egress.ts";
import { checkedLookup } from "./connection.ts";
import type { Target } from "./judge-url.ts";
import { lateAfter, LIMITS, type Timer } from "./limits.ts";
import type { Hop } from "./redirect.ts";

interface Given {
  readonly addresses: readonly string[];
  readonly agent: Agent;
  readonly timer: Timer;
  readonly signal: AbortSignal;
  /** Undefined: as long as the signal lets it. */
  readonly headersMs: number | undefined;
}

/** What node sets itself, and what is between one connection and the next. */
const OWN_HEADERS =
  /^(?:host|connection|content-length|transfer-encoding|keep-alive|te|trailer|upgrade|expect|proxy-.*)$/u;

/** One request and the head of its answer. Rejects with EgressRefusal, or with the reason of the signal. */
export async function exchange(target: Target, hop: Hop, given: Given): Promise<IncomingMessage> {
  const { signal, timer, headersMs } = given;
  signal.throwIfAborted();
  const request = requestTo(target, hop, given);
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  request.on("error", reject);
  request.on("response", resolve);
  const late = (): void =>
    reject(new EgressRefusal("failed", `${target.host} did not answer within ${(headersMs ?? 0) / 1000} s.`));
  let forget = (): void => undefined;
  if (headersMs !== undefined) request.on("socket", () => (forget = lateAfter(timer, headersMs, late)));
  request.end(hop.body);
  try {
    const response = await promise;
    // Later trouble is told by the body, and by nobody else.
    request.on("error", () => undefined);
    if (response.rawHeaders.length > 2 * LIMITS.headers)
      throw new EgressRefusal("failed", `${target.host} answers with more than ${LIMITS.headers} headers.`);
    return response;
  } catch (error) {
    request.destroy();
    signal.throwIfAborted();
    throw refusal(error, target);
  } finally {
    forget();
  }
}

function requestTo({ url, host, port, secure }: Target, hop: Hop, { addresses, agent, signal }: Given): ClientRequest {
  const headers = Object.entries(hop.headers).filter(([name]) => !OWN_HEADERS.test(name));
  try {
    return (secure ? sendSecure : sendPlain)({
      host,
      port,
      agent,
      signal,
      method: hop.method,
      path: `${url.pathname}${url.search}`,
      lookup: checkedLookup(addresses),
      maxHeaderSize: LIMITS.headerBytes,
      headers: { host: url.host, ...lengthOf(hop), ...Object.fromEntries(headers) },
    });
  } catch (error) {
    throw new EgressRefusal("failed", "A header of the request holds characters that no header may hold.", {
      cause: error,
    });
  }
}

function lengthOf({ body, method }: Hop): Record<string, string> {
  if (body === undefined)
    return method === "GET" || method === "HEAD" || method === "DELETE" ? {} : { "content-length": "0" };
  return { "content-length": String(Buffer.byteLength(body)) };
}

/** What the system or the parser says, in a sentence. */
export function refusal(error: unknown, { host, port }: Target): unknown {
  if (error instanceof EgressRefusal || !(error instanceof Error)) return error;
  const code = "code" in error ? String(error.code) : error.name;
  return new EgressRefusal("failed", sentence(code, host, port), { cause: error });
}

function sentence(code: string, host: string, port: number): string {
  switch (code) {
    case "ECONNREFUSED":
      return `Nothing listens at ${host}:${port}.`;
    case "ECONNRESET":
    case "EPIPE":
    case "ERR_STREAM_PREMATURE_CLOSE":
      return `${host}:${port} broke the connection off.`;
    case "ENETUNREACH":
    case "EHOSTUNREACH":
    case "ETIMEDOUT":
      return `${host}:${port} cannot be reached (${code}).`;
    case "HPE_HEADER_OVERFLOW":
      return `${host} answers with more than ${LIMITS.headerBytes / 1024} KB of headers.`;
    default:
      if (code.startsWith("HPE_")) return `${host} does not answer in HTTP (${code}).`;
      if (code.startsWith("Z_") || code.startsWith("ERR_BROTLI") || code.startsWith("ZSTD"))
        return `${host} sent what cannot be unpacked (${code}).`;
      return `${host}:${port} could not be asked (${code}).`;
  }
}
