import { PNG } from "pngjs";
import { expect, test } from "vitest";
import type { Adjustment } from "../../src/protocol/adjustment.ts";
import type { AgentOptions } from "../../src/index.ts";
import { tool } from "../support/agent-in-folder.ts";
import { bot, NEW, refusal, repairsOf } from "./refusing.ts";
import { calls, type Mode, type RawAct, replies, says } from "./script.ts";
import type { Json } from "./shape.ts";
import { SUBJECTS, sideOf } from "./subjects.ts";
import { fakeDialect } from "./wire.ts";

const DATA = PNG.sync.write(new PNG({ width: 1_200, height: 300 })).toString("base64");
const PICTURE = { type: "image", url: `data:image/png;base64,${DATA}` } as const;

/** A tool that brings a picture, and whose parameters have words that some servers cannot read. */
const shoot = tool("shoot", () => [{ type: "text", text: "the screen:" }, PICTURE], {
  parameters: {
    type: "object",
    properties: { pattern: { type: "string", pattern: "^a+$" }, at: { type: "string", format: "date-time" } },
  },
});

const MODES: readonly Mode[] = SUBJECTS.map(({ wire }) => wire.mode);

interface Course {
  readonly adjustments: readonly unknown[];
  /** The requests of two turns: as it was refused, as it was answered, as the next turn's. */
  readonly sent: readonly Json[];
  readonly texts: readonly string[];
}

/** A request that is refused once, and then answered; the session goes on. */
async function refusedOnce(
  mode: Mode,
  refused: RawAct,
  { attachments = [], ...more }: Partial<AgentOptions> & { readonly attachments?: readonly (typeof PICTURE)[] } = {},
): Promise<Course> {
  await using server = await fakeDialect(sideOf(mode).wire, [refused, says("done", NEW), says("more")]);
  await using on = bot(mode, server, { tools: [shoot], ...more });
  expect(await on.run("go", { sessionId: "s", attachments })).toMatchObject({ answer: "done", retries: 0 });
  const adjustments = repairsOf(on);
  expect(await on.run("and?", { sessionId: "s" })).toMatchObject({ answer: "more" });
  return { adjustments, sent: server.requests.map(({ body }) => body), texts: server.requests.map(({ text }) => text) };
}

/** Whether each of the requests had it. */
const holding = ({ texts }: Course, what: RegExp): boolean[] => texts.map((text) => what.test(text));

test.each(MODES)("[D3] [C5] %s: pictures that are too large are sent smaller, once for the session", async (mode) => {
  const course = await refusedOnce(
    mode,
    refusal(400, { error: { message: "image exceeds max allowed size: 1000 pixels" } }),
    {
      attachments: [PICTURE],
    },
  );
  const limit = { base64: 4_194_304, side: 1_000 };
  expect(course.adjustments).toEqual([{ pictureLimit: limit }] satisfies Adjustment[]);
  expect(holding(course, /image\/png|"png"/)).toEqual([true, false, false]);
  expect(holding(course, /image\/jpeg|"jpeg"/)).toEqual([false, true, true]);
});

test.each(MODES)("[D3] [C5] %s: pictures in receipts are told in words, once for the session", async (mode) => {
  await using server = await fakeDialect(sideOf(mode).wire, [
    replies([calls("shoot", {})]),
    refusal(400, { error: { message: "tool message content must be a string" } }),
    says("done", NEW),
    says("more"),
  ]);
  await using on = bot(mode, server, { tools: [shoot] });
  expect(await on.run("go", { sessionId: "s" })).toMatchObject({ answer: "done", retries: 0 });
  expect(repairsOf(on)).toEqual([{ toolPictures: false }] satisfies Adjustment[]);
  await on.run("and?", { sessionId: "s" });
  const texts = server.requests.map(({ text }) => text);
  // Chat completions has no place for a picture in a receipt.
  expect(texts.map((text) => text.includes(DATA))).toEqual([false, mode !== "chat_completions", false, false]);
  expect(texts.map((text) => text.includes("this model takes no pictures from tools"))).toEqual([
    false,
    false,
    true,
    true,
  ]);
});

test.each(MODES)(
  "[D3] %s: words of schemas that a server cannot read are left out, once for the session",
  async (mode) => {
    const course = await refusedOnce(
      mode,
      refusal(400, { error: { message: "json-schema-to-grammar: error parsing grammar" } }),
    );
    expect(course.adjustments).toEqual([{ schemaWords: false }] satisfies Adjustment[]);
    expect(holding(course, /"pattern":"\^a|"format":"date/)).toEqual([true, false, false]);
    // A property of that name stays.
    expect(holding(course, /"pattern":\{/)).toEqual([true, true, true]);
  },
);

test("[D3] a server that cannot read tools without such words is not asked again for nothing", async () => {
  const grammar = refusal(400, { error: { message: "error parsing grammar" } });
  await using server = await fakeDialect(sideOf("chat_completions").wire, [grammar, grammar, grammar]);
  await using on = bot("chat_completions", server);
  await on.run("go", { sessionId: "s" });
  expect(repairsOf(on)).toEqual(["retry-scheduled", "retry-scheduled"]);
});

test("[D3] [C3] an account that may not use a beta is asked without, once for the session; a sign-in keeps its own", async () => {
  const words = "The long context beta is not yet available for this subscription.";
  for (const apiKey of ["key", "sk-ant-oat01-x"]) {
    await using server = await fakeDialect(sideOf("anthropic_messages").wire, [
      refusal(400, { type: "error", error: { type: "invalid_request_error", message: words } }),
      says("done"),
      says("more"),
    ]);
    await using on = bot("anthropic_messages", server, { apiKey, model: "claude-sonnet-4-5" });
    expect(await on.run("go", { sessionId: "s" })).toMatchObject({ answer: "done", retries: 0 });
    expect(repairsOf(on)).toEqual([{ betas: false }] satisfies Adjustment[]);
    await on.run("and?", { sessionId: "s" });
    const own = apiKey === "key" ? [] : ["oauth-2025-04-20"];
    expect(
      server.requests.map(({ headers }) =>
        String(headers["anthropic-beta"] ?? "")
          .split(",")
          .filter(Boolean),
      ),
    ).toEqual([["interleaved-thinking-2025-05-14", ...own], own, own]);
  }
});

const PARAMETERS: readonly (readonly [Mode, string, Partial<AgentOptions>])[] = [
  ["chat_completions", "stream_options", {}],
  ["chat_completions", "reasoning_effort", { effort: "high" }],
  ["anthropic_messages", "thinking", { effort: "high", model: "claude-sonnet-4-5" }],
  ["anthropic_messages", "output_config", { effort: "high", model: "claude-opus-4-6" }],
  ["anthropic_messages", "temperature", { effort: "high", model: "claude-sonnet-4-5" }],
  ["anthropic_messages", "cache_control", { model: "claude-sonnet-4-5" }],
  ["codex_responses", "include", {}],
  ["codex_responses", "reasoning", { effort: "high" }],
  ["codex_responses", "prompt_cache_key", {}],
  ["codex_responses", "max_output_tokens", { maxOutput: 1_000 }],
  ["gemini", "thinkingConfig", { effort: "high" }],
  ["gemini", "maxOutputTokens", { maxOutput: 1_000 }],
  ["bedrock_converse", "maxTokens", { maxOutput: 1_000 }],
  ["bedrock_converse", "cachePoint", { model: "us.anthropic.claude-sonnet-4-5-v1:0" }],
];

const LEVELS = {
  thinking: { low: "low", medium: "medium", high: "high" },
  quirks: [],
  provider: "there",
  model: "m",
} as const;

test.each(PARAMETERS)(
  "[D3] %s: %s, which is not taken, is left out, once for the session",
  async (mode, parameter, more) => {
    const words = `Unsupported parameter: '${parameter}' is not supported with this model.`;
    const facts = mode === "chat_completions" && "effort" in more ? { facts: LEVELS } : {};
    const course = await refusedOnce(mode, refusal(400, { error: { message: words } }), { ...facts, ...more });
    expect(course.adjustments).toEqual([{ without: parameter }]);
    expect(holding(course, new RegExp(`"${parameter}":`))).toEqual([true, false, false]);
  },
);

test("[D3] a limit that goes by another name is sent under that, and one that goes by none is left out", async () => {
  const no = (name: string): RawAct =>
    refusal(400, { error: { code: "unsupported_parameter", message: `Unsupported parameter: '${name}'.` } });
  await using server = await fakeDialect(sideOf("chat_completions").wire, [
    no("max_tokens"),
    no("max_completion_tokens"),
    says("done", NEW),
  ]);
  await using on = bot("chat_completions", server, { maxOutput: 1_000 });
  expect(await on.run("go", { sessionId: "s" })).toMatchObject({ answer: "done" });
  expect(server.requests.map(({ body }) => [body["max_tokens"], body["max_completion_tokens"]])).toEqual([
    [1_000, undefined],
    [undefined, 1_000],
    [undefined, undefined],
  ]);
});

test("[D3] a parameter that was not sent is no reason to ask again", async () => {
  const words = "Unsupported parameter: 'reasoning_effort' is not supported with this model.";
  await using server = await fakeDialect(sideOf("chat_completions").wire, [
    refusal(400, { error: { message: words } }),
  ]);
  await using on = bot("chat_completions", server);
  expect(await on.run("go", { sessionId: "s" })).toMatchObject({ attempts: 1, exit: { reason: "request_rejected" } });
});
