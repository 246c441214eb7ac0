import { gzipSync } from "node:zlib";
import { refuses } from "../dialects/script.ts";
import { compacted, type Expected, type Family, type Fault, onlyIn, rejected, retried } from "./fault.ts";
import { answers, errorBody, html, status } from "./said.ts";

const ROTATED = ["rotate the key"];
const KEY_REFUSED: Expected = { ...rejected("auth", 77, /THERE_KEY/), keyed: ROTATED };
/** What an account may not do no key of it may. */
const FORBIDDEN: Expected = { ...KEY_REFUSED, keyed: [] };
const UNPAID: Expected = { ...rejected("billing", 79), keyed: ROTATED };

/** The first time the same key is sent again. */
const limited = (waits = "wait"): Expected => ({ ...retried("rate_limit", waits), keyed: [waits, ...ROTATED] });

export const ACCOUNT: Family = {
  name: "4xx: the account",
  rows: ["D1", "D7", "D11"],
  faults: [
    { name: "401 bad key", expected: KEY_REFUSED, act: () => refuses("bad_key") },
    {
      name: "401 with the key in its words",
      expected: KEY_REFUSED,
      act: (victim) => status(401, `Incorrect API key provided: ${victim.key}. You can find it on your page.`)(victim),
    },
    {
      name: "401 with the key in its code",
      expected: KEY_REFUSED,
      act: (victim) => status(401, "Refused.", { code: victim.key, headers: { "x-request-id": victim.key } })(victim),
    },
    { name: "401 page of a proxy with the key in it", expected: KEY_REFUSED, act: html(401, "Sign in") },
    {
      name: "402 credit is used up",
      expected: UNPAID,
      act: status(402, "Insufficient credits. Add more."),
    },
    {
      name: "403 not permitted",
      expected: FORBIDDEN,
      act: status(403, "You do not have permission to use this resource."),
    },
    { name: "403 page of a firewall", expected: FORBIDDEN, act: html(403, "Access denied") },
    {
      name: "403 spending limit",
      expected: UNPAID,
      act: status(403, "Your team has reached its monthly spending limit."),
    },
  ],
};

const wait = (name: string, waits: string, headers: Readonly<Record<string, string>>): Fault => ({
  name: `429 ${name}`,
  expected: limited(waits),
  act: status(429, "Too many requests.", { headers }),
});

/** Nobody waits that long unattended: the turn ends and says how long. */
const tooLong = (name: string, headers: Readonly<Record<string, string>>): Fault => ({
  name: `429 ${name}`,
  expected: { ...limited(), does: [], passes: false, keyed: ROTATED },
  lastsMs: 3_600_000,
  act: status(429, "Too many requests.", { headers }),
});

const inSeconds = (seconds: number): string => new Date(Date.now() + seconds * 1_000).toUTCString();

export const LIMITS: Family = {
  name: "429: limits",
  rows: ["D4", "D6", "D8", "D12"],
  faults: [
    { name: "429 without a wait", expected: limited(), act: status(429, "Too many requests.") },
    wait("Retry-After in seconds", "wait 7000", { "retry-after": "7" }),
    wait("Retry-After with a fraction", "wait 1500", { "retry-after": "1.5" }),
    wait("retry-after-ms", "wait 2500", { "retry-after-ms": "2500", "retry-after": "9" }),
    {
      name: "429 Retry-After as a date",
      expected: limited("wait 3000..9000"),
      act: (victim) => status(429, "Too many requests.", { headers: { "retry-after": inSeconds(9) } })(victim),
    },
    wait("Retry-After of a date that has passed", "wait", { "retry-after": "Thu, 01 Jan 2015 00:00:00 GMT" }),
    wait("Retry-After of zero", "wait", { "retry-after": "0" }),
    wait("Retry-After below zero", "wait", { "retry-after": "-5" }),
    wait("Retry-After that is no time", "wait", { "retry-after": "soon" }),
    tooLong("Retry-After of an hour", { "retry-after": "3600" }),
    tooLong("Retry-After of a month", { "retry-after": "2592000" }),
    // No time that anybody means.
    wait("Retry-After of a thousand years", "wait", { "retry-after": "31536000000" }),
    wait("reset of the requests in a header", "wait 6000", {
      "x-ratelimit-remaining-requests": "0",
      "x-ratelimit-reset-requests": "6s",
    }),
    {
      name: "429 the wait stands in the words",
      expected: limited("wait 7000"),
      act: status(429, "Rate limit reached. Please try again in 7s."),
    },
    {
      name: "429 the wait stands in the body",
      expected: limited("wait 7000"),
      act: status(429, "Too many requests.", { more: { retry_after: 7 } }),
      impossible: onlyIn(["chat_completions", "codex_responses"], "its errors have no such field"),
    },
    {
      name: "429 retryDelay",
      expected: limited("wait 7000"),
      act: () => refuses("rate_limit"),
      impossible: onlyIn(["gemini"], "only Google's errors have it"),
    },
    {
      name: "429 overloaded",
      expected: retried("overloaded"),
      act: status(429, "The service is overloaded, at capacity.", { code: null }),
    },
    {
      name: "429 long-context tier",
      expected: compacted("long_context_tier"),
      act: status(429, "Extra usage is required for long context requests."),
      impossible: onlyIn(["anthropic_messages"], "only Anthropic has the tier"),
    },
    { name: "429 page of a proxy", expected: limited(), act: html(429, "Too Many Requests") },
    {
      name: "429 compressed",
      expected: limited(),
      act: (victim) =>
        answers(429, "application/json", gzipSync(JSON.stringify(errorBody(victim.mode, 429, "Too many requests."))), {
          headers: { "content-encoding": "gzip" },
        }),
    },
  ],
};
