import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TurnResult } from "../../src/protocol/result.ts";
import { anthropicWire } from "../dialects/anthropic-wire.ts";
import { responsesWire } from "../dialects/responses-wire.ts";
import { type Act, refuses, says } from "../dialects/script.ts";
import { fakeDialect } from "../dialects/wire.ts";
import { Place, resultOf } from "./program.ts";

/** Everything that happened, as people and programs are told. */
export interface HardTurn {
  readonly result: TurnResult;
  /** What `turn explain` says of it. */
  readonly explained: string;
  /** What `turn cost` says of it. */
  readonly cost: string;
  /** What `auth status` says behind it. */
  readonly keys: string;
  /** The keys that the first provider was sent, in order. */
  readonly sent: readonly string[];
  /** How often the other provider was asked. */
  readonly others: number;
  /** All that was printed. */
  readonly printed: string;
}

export const KEYS = ["sk-first-aaaaaaaaaaaa1", "sk-first-bbbbbbbbbbbb2", "sk-first-cccccccccccc3"] as const;
/** What `turn explain` must say behind the question, line by line. */
export const STEPS: readonly RegExp[] = [
  /asking claude-fake-1 \(iteration 1, attempt 1\)/,
  /failed: auth .*HTTP 401/,
  /from here on key \w{8} is sent instead of \w{8}/,
  /asking claude-fake-1 \(iteration 1, attempt 2\)/,
  /failed: rate_limit .*HTTP 429/,
  /waiting 0\.2 s before the next attempt/,
  /asking claude-fake-1 \(iteration 1, attempt 3\)/,
  /failed: overloaded .*broke off its reply/,
  /waiting 0\.1 s before the next attempt/,
  /asking claude-fake-1 \(iteration 1, attempt 4\)/,
  /failed: overloaded .*broke off its reply/,
  /waiting 0\.1 s before the next attempt/,
  /asking claude-fake-1 \(iteration 1, attempt 5\)/,
  /failed: overloaded .*HTTP 529/,
  /from here on other\/gpt-fake-1 is asked, because the other one is overloaded/,
  /asking gpt-fake-1 \(iteration 1, attempt 6\)/,
  /failed: context_overflow .*HTTP 400/,
  /the request was too large: less of the conversation is sent from here on/,
  /asking gpt-fake-1 \(iteration 1, attempt 7\)/,
  /the model answers: The sum of the figures is forty-two\./,
  /ended: text_response/,
  /Unusual: 6 of 7 requests failed \(auth, rate_limit, overloaded, context_overflow\)/,
  /Unusual: other models took over \(other\/gpt-fake-1\)/,
  /It took: about \$0\.00023; 60 tokens in .*7 requests, iterations 1 \/ 500/,
];

const OTHER_KEY = "sk-other-dddddddddddd4";

/** The server is crowded in the middle of its reply. */
const brokenBehind = (text: string): Act => says([text, "…"], { broken: { after: 1, by: "overloaded" } });

/** An answer that is long enough to be left out later. */
const longAnswer = says(`It is ready. ${"And so it goes on, figure by figure. ".repeat(60)}`);

const CONFIG = (first: string, other: string): string => `
model: claude-fake-1
provider: first
fallback: [other/gpt-fake-1]
retry: { baseMs: 60, maxMs: 100 }
summary: { when: never }
providers:
  first: { baseUrl: "${first}", api: anthropic_messages, apiKey: { env: FIRST_KEY } }
  other: { baseUrl: "${other}", api: codex_responses, apiKey: { env: OTHER_KEY } }
models:
  first/claude-fake-1: { prices: { input: 3, output: 15 } }
  other/gpt-fake-1: { prices: { input: 2, output: 8 } }
`;

/**
 * One turn of the built program that meets a bad key, a limit with a time, a crowded server, and, at the model that takes
 * over in another dialect, a window that is too small; and answers.
 */
export async function playHardTurn(): Promise<HardTurn> {
  const first = await fakeDialect(anthropicWire, [
    longAnswer,
    longAnswer,
    refuses("bad_key"),
    refuses("rate_limit", { "retry-after-ms": "200" }),
    brokenBehind("The sum of "),
    brokenBehind("the figures is "),
    refuses("overloaded"),
  ]);
  const other = await fakeDialect(responsesWire, [refuses("context_too_long"), says("forty-two.", { newHead: true })]);
  const place = new Place();
  try {
    mkdirSync(place.home);
    writeFileSync(join(place.home, "config.yaml"), CONFIG(first.baseUrl, other.baseUrl));
    const env = { FIRST_KEY: KEYS[0], OTHER_KEY };
    let printed = "";
    const run = async (args: readonly string[], input = ""): Promise<string> => {
      const ended = await place.run(undefined, args, { env, input });
      printed += ended.stdout + ended.stderr;
      return ended.stdout;
    };
    await run(["-p", `Read the figures. ${"They are these. ".repeat(60)}`]);
    await run(["--resume", "last", "-p", "Check them, please."]);
    for (const key of KEYS.slice(1)) await run(["auth", "add", "first"], key);
    const result = await run(["--resume", "last", "-p", "What is their sum?", "--output", "json"]);
    return {
      result: resultOf({ code: 0, signal: null, stdout: result, stderr: "" }),
      explained: await run(["turn", "explain", "last"]),
      cost: await run(["turn", "cost", "last"]),
      keys: await run(["auth", "status"]),
      sent: first.requests.slice(2).map(({ headers }) => String(headers["x-api-key"])),
      others: other.requests.length,
      printed,
    };
  } finally {
    place.remove();
    await Promise.all([first.close(), other.close()]);
  }
}
