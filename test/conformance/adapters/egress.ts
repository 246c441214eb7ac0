import type { IncomingMessage } from "node:http";
import { readAllowance } from "../../../src/protocol/allowance-text.ts";
import { type Allowance, EgressRefusal } from "../../../src/protocol/egress.ts";
import { isAllowed } from "../../../src/tools/egress/allowance.ts";
import { judgeUrl } from "../../../src/tools/egress/judge-url.ts";
import { recordedEgress } from "../../support/recorded-egress.ts";
import { isObject, type Json, type JsonObject } from "../case-file.ts";
import { flagOf, listOf, objectOf, textOf } from "../input.ts";

/** `{url, dns, whitelist, allow_loopback}`: the whitelist is of networks, and what cannot be read of it is left out. */
export async function ssrfUrlCase(input: Json): Promise<unknown> {
  const { url, dns, whitelist = [], allow_loopback: loopback } = objectOf(input, "input");
  const written = listOf(whitelist, "whitelist").map((one) => readAllowance(`tool ${textOf(one, "network")}`));
  const allow = written.filter((one) => one !== undefined);
  const here: Allowance[] = flagOf(loopback) ? [{ for: "tool", to: "localhost" }] : [];
  return { allowed: (await asked(textOf(url, "url"), { dns, allow: [...allow, ...here] })).type === "answered" };
}

/** `{url, dns?}`, `{redirects: [url…], send?}` or `{trusted_hosts, url}`. */
export async function urlCase(input: Json): Promise<unknown> {
  const given = objectOf(input, "input");
  if (given["trusted_hosts"] !== undefined) return trust(given);
  const hops = given["redirects"] === undefined ? [given["url"] ?? ""] : listOf(given["redirects"], "redirects");
  const send = isObject(given["send"] ?? null) ? objectOf(given["send"], "send") : {};
  const headers = Object.fromEntries(Object.entries(send).map(([name, value]) => [name, textOf(value, name)]));
  const urls = hops.map((hop) => textOf(hop, "url"));
  const found = await asked(urls[0] ?? "", { dns: given["dns"], hops: urls, headers });
  if (found.type === "answered") return { allowed: true, carries: found.carries };
  return { allowed: false, hop: found.hop };
}

export const urlUnsupported = (input: Json): string | undefined =>
  Object.keys(objectOf(input, "input")).every((name) => KNOWN_INPUTS.has(name))
    ? undefined
    : "says more of a request than is understood";

const KNOWN_INPUTS = new Set(["url", "dns", "redirects", "send", "trusted_hosts"]);

/** The sentences, as what `urlCase` makes of each. */
export function urlExpectation(expect: Json): Json {
  if (typeof expect !== "string") return expect;
  if (expect === "allow") return { allowed: true };
  if (expect.startsWith("allow without")) return { allowed: true, carries: false };
  if (expect.startsWith("allow with")) return { allowed: true, carries: true };
  const [, hop] = /^block at hop (\d+)$/u.exec(expect) ?? [];
  if (hop !== undefined) return { allowed: false, hop: Number(hop) };
  if (expect.startsWith("block")) return { allowed: false };
  return expect === "refused" ? "not trusted" : expect;
}

/** A host that is trusted is one the owner has named for tools, and by an equal name alone. */
function trust({ trusted_hosts: hosts, url }: JsonObject): string {
  const allow = listOf(hosts, "hosts").map((host) => readAllowance(`tool ${textOf(host, "host")} 443`));
  if (allow.includes(undefined)) return "config error";
  const leave = { purpose: "tool", allow: allow.filter((one) => one !== undefined) } as const;
  const judged = judgeUrl(textOf(url, "url").replace(/^socks:/u, "https://"), leave);
  return judged.type === "target" && isAllowed(judged.target, "10.0.0.1", leave) ? "trusted" : "not trusted";
}

interface Asked {
  readonly dns: Json | undefined;
  readonly allow?: readonly Allowance[];
  readonly hops?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
}

type Found =
  | { readonly type: "answered"; readonly carries: boolean }
  /** `hop`: the one that nothing was sent to. */
  | { readonly type: "refused"; readonly hop: number };

async function asked(url: string, { dns = {}, allow = [], hops = [url], headers = {} }: Asked): Promise<Found> {
  const names = objectOf(dns, "dns");
  const seen: IncomingMessage[] = [];
  const { egress } = recordedEgress(
    (request, response) => {
      seen.push(request);
      const location = hops[seen.length];
      if (location === undefined) response.end();
      else response.writeHead(307, { location }).end();
    },
    { allow, ownPorts: [8787], resolve: async (host) => addressesOf(names[host]) },
  );
  const body = Object.keys(headers).length > 0 ? ({ method: "POST", body: "said" } as const) : {};
  const signal = AbortSignal.timeout(5_000);
  try {
    await egress.request({ url, purpose: "tool", signal, headers, ...body });
    const last = seen.at(-1)?.headers ?? {};
    const carries = ["authorization", "cookie", "content-type"].some((name) => last[name] !== undefined);
    return { type: "answered", carries: carries || Number(last["content-length"]) > 0 };
  } catch (error) {
    if (error instanceof EgressRefusal && error.kind === "blocked") return { type: "refused", hop: seen.length + 1 };
    throw error;
  }
}

const addressesOf = (found: Json | undefined): string[] =>
  Array.isArray(found) ? found.map(String) : typeof found === "string" ? [found] : [];

/** Features that others had and that asked by themselves: none of ours sends anything but through the one way out. */
export async function egressCase(input: Json): Promise<unknown> {
  const found = await asked(textOf(objectOf(input, "input")["url"], "url"), { dns: {} });
  return found.type === "refused" ? "no socket opened" : "reached";
}

export const egressExpectation = (expect: Json): Json =>
  typeof expect === "string" && /^(?:block|no socket)/u.test(expect) ? "no socket opened" : expect;
