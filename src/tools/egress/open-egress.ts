import type { Agent } from "node:http";
import { type Allowance, type Egress, type EgressPurpose, EgressRefusal } from "../../protocol/egress.ts";
import type { EgressRequest, EgressResponse } from "../../protocol/egress.ts";
import { bodyOf, CODINGS } from "./body.ts";
import { checkedAgent, type Connect, type Dial } from "./connection.ts";
import { exchange, refusal } from "./exchange.ts";
import { fetchThrough } from "./fetch.ts";
import { judgeAddresses, judgeUrl } from "./judge-url.ts";
import { LIMITS, lateAfter, realTimer, type Timer } from "./limits.ts";
import { type Hop, leadsElsewhere, redirected } from "./redirect.ts";
import { lookUp, type Resolve } from "./look-up.ts";
import { type Answered, headersOf, type Send, type Sending } from "./sending.ts";

export interface EgressOptions {
  /** What its owner lets be reached of this machine and its network. */
  readonly allow?: readonly Allowance[];
  readonly ownPorts?: readonly number[];
  readonly resolve?: Resolve;
  readonly connect?: Connect;
  readonly clock?: Timer;
}

/** The one way out for requests of tools (security §3.5). */
export function openEgress(options: EgressOptions = {}): Egress {
  const timer = options.clock ?? realTimer;
  const send = sender(options, timer);
  return {
    request: (asked) => requested(asked, send, timer),
    fetchFor: (purpose) => fetchThrough(purpose, send, timer),
  };
}

function sender({ allow = [], ownPorts = [], resolve, connect }: EgressOptions, timer: Timer): Send {
  const agents = new Map<string, Agent>();
  const agentFor = (secure: boolean, purpose: EgressPurpose): Agent => {
    const key = `${purpose} ${secure}`;
    const recheck = (dial: Pick<Dial, "host" | "port">, remote: string): string | undefined =>
      judgeAddresses(dial, [remote], { purpose, allow, ownPorts });
    const agent = agents.get(key) ?? checkedAgent(secure, { timer, connect, recheck });
    agents.set(key, agent);
    return agent;
  };
  const step = async (hop: Hop, { purpose, signal, headersMs }: Sending): Promise<Omit<Answered, "redirects">> => {
    const judged = judgeUrl(hop.url, { purpose, allow, ownPorts });
    if (judged.type === "refused") throw new EgressRefusal("blocked", judged.why);
    const { target } = judged;
    const addresses = await lookUp(target, { resolve, timer, signal });
    const why = judgeAddresses(target, addresses, { purpose, allow, ownPorts });
    if (why !== undefined) throw new EgressRefusal("blocked", why);
    const agent = agentFor(target.secure, purpose);
    return { target, response: await exchange(target, hop, { addresses, agent, timer, signal, headersMs }) };
  };
  return async (sending) => {
    let { hop } = sending;
    for (let redirects = 0; ; redirects += 1) {
      const { target, response } = await step(hop, sending);
      const { location } = response.headers;
      const status = response.statusCode ?? 0;
      if (sending.manual === true || location === undefined || !leadsElsewhere(status))
        return { target, response, redirects };
      response.destroy();
      if (redirects === LIMITS.redirects)
        throw new EgressRefusal("blocked", `${target.host} leads on more than ${LIMITS.redirects} times.`);
      const next = redirected(hop, target.url, location, status);
      if (typeof next === "string") throw new EgressRefusal("blocked", next);
      hop = next;
    }
  };
}

async function requested(asked: EgressRequest, send: Send, timer: Timer): Promise<EgressResponse> {
  const over = new AbortController();
  const signal = AbortSignal.any([asked.signal, over.signal]);
  const forget = lateAfter(timer, LIMITS.totalMs, () =>
    over.abort(new EgressRefusal("failed", `The request took longer than ${LIMITS.totalMs / 1000} s.`)),
  );
  try {
    return await answered(asked, await send({ ...sendingOf(asked), signal }), { timer, signal });
  } finally {
    forget();
  }
}

function sendingOf({ url, method = "GET", headers = {}, body, purpose }: EgressRequest): Omit<Sending, "signal"> {
  const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  const hop = { url, method, headers: { "accept-encoding": CODINGS, ...Object.fromEntries(lower) }, body };
  return { hop, purpose, headersMs: LIMITS.headersMs };
}

async function answered(
  { most = LIMITS.bodyBytes }: EgressRequest,
  { response, target }: Answered,
  { timer, signal }: { readonly timer: Timer; readonly signal: AbortSignal },
): Promise<EgressResponse> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of bodyOf(response, target.host, { timer, idleMs: LIMITS.idleMs })) {
      chunks.push(chunk);
      length += chunk.length;
      if (length > most) break;
    }
  } catch (error) {
    signal.throwIfAborted();
    throw refusal(error, target);
  }
  return {
    status: response.statusCode ?? 0,
    url: target.url.href,
    headers: Object.fromEntries(headersOf(response)),
    body: Buffer.concat(chunks).subarray(0, most),
    ...(length > most && { cut: true as const }),
  };
}
