import { type EgressPurpose, EgressRefusal, type Fetch } from "../../protocol/egress.ts";
import { bodyOf, CODINGS } from "./body.ts";
import { refusal } from "./exchange.ts";
import { LIMITS, type Timer } from "./limits.ts";
import { leadsElsewhere } from "./redirect.ts";
import { type Answered, headersOf, type Send } from "./sending.ts";

/** Answers that have no body. */
const BODILESS = new Set([204, 205, 304]);

/**
 * A `fetch` for clients of protocols. How long an answer may take is theirs: an event stream stays open for hours, and
 * their signal ends it. A body that is no such stream ends at 5 MB, with an error: half of a message is of no use.
 */
export function fetchThrough(purpose: EgressPurpose, send: Send, timer: Timer): Fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    // What was given is judged as it was written.
    const url = typeof input === "string" ? input : request.url;
    const headers = { "accept-encoding": CODINGS, ...Object.fromEntries(request.headers) };
    const body = request.body === null ? undefined : new Uint8Array(await request.arrayBuffer());
    const answer = await send({
      hop: { url, method: request.method, headers, body },
      purpose,
      signal: request.signal,
      headersMs: undefined,
      manual: request.redirect !== "follow",
    });
    return responseOf(answer, request, timer);
  };
}

function responseOf(answered: Answered, request: Request, timer: Timer): Response {
  const { response, target, redirects } = answered;
  const status = response.statusCode ?? 0;
  const isEmpty = BODILESS.has(status) || request.method === "HEAD";
  const isRefused = request.redirect === "error" && leadsElsewhere(status);
  if (isEmpty || isRefused) response.destroy();
  if (isRefused) throw new EgressRefusal("blocked", `${target.host} leads elsewhere, which is not followed here.`);
  const answer = new Response(isEmpty ? null : ReadableStream.from(piecesOf(answered, request.signal, timer)), {
    status,
    statusText: response.statusMessage ?? "",
    headers: headersOf(response),
  });
  Object.defineProperty(answer, "url", { value: target.url.href });
  Object.defineProperty(answer, "redirected", { value: redirects > 0 });
  return answer;
}

async function* piecesOf(
  { response, target }: Answered,
  signal: AbortSignal,
  timer: Timer,
): AsyncGenerator<Uint8Array, void, undefined> {
  const isStream = /^text\/event-stream\b/iu.test(response.headers["content-type"] ?? "");
  let length = 0;
  try {
    for await (const chunk of bodyOf(response, target.host, { timer, idleMs: undefined })) {
      length += chunk.length;
      if (!isStream && length > LIMITS.bodyBytes)
        throw new EgressRefusal("failed", `${target.host} answers with more than ${LIMITS.bodyBytes / 1e6} MB.`);
      yield chunk;
    }
  } catch (error) {
    signal.throwIfAborted();
    throw refusal(error, target);
  }
}
