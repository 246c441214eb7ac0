import { agent, type Message } from "../../src/index.ts";
import { tool } from "../support/agent-in-folder.ts";
import { anthropicWire } from "./anthropic-wire.ts";
import { geminiWire } from "./gemini-wire.ts";
import { responsesWire } from "./responses-wire.ts";
import { calls, replies, says, thinks } from "./script.ts";
import type { Json } from "./shape.ts";
import { fakeDialect } from "./wire.ts";

/** What came of a turn that was asked three ways. */
export interface ThreeWays {
  readonly answer: string | null;
  readonly messages: readonly Message[];
  /** The last body that each server was sent; whatever is illegal in one is thrown. */
  readonly sent: { readonly anthropic: Json; readonly gemini: Json; readonly responses: Json };
}

const MODELS = {
  anthropic: { provider: "anthropic", model: "claude-opus-4-6", api: "anthropic_messages" },
  gemini: { provider: "gemini", model: "gemini-2.5-pro", api: "gemini" },
  responses: { provider: "openai", model: "gpt-5.1", api: "codex_responses" },
} as const;

/** One turn that starts at Anthropic's wire, is switched to Gemini's by a tool, and to the responses API by the next. */
export async function threeWays(): Promise<ThreeWays> {
  await using anthropic = await fakeDialect(anthropicWire, [
    replies([thinks("First I look."), { type: "text", text: "Looking." }, calls("look", { path: "a" })]),
  ]);
  await using gemini = await fakeDialect(geminiWire, [
    replies([thinks("Then I read."), calls("read", { path: "a/b" }), calls("look", { path: "c" })]),
    replies([thinks("Once more."), calls("look", { path: "d" })]),
  ]);
  await using responses = await fakeDialect(responsesWire, [
    replies([thinks("Now I know."), calls("look", { path: "e" })]),
    says("All three have worked on this."),
  ]);
  const at = (which: keyof typeof MODELS, server: typeof anthropic, base: string) => ({
    ...MODELS[which],
    baseUrl: `${server.origin}${base}`,
    apiKey: "key",
  });
  let looked = 0;
  const look = tool("look", async () => {
    looked += 1;
    if (looked === 1) await turn.switchModel(at("gemini", gemini, geminiWire.base));
    if (looked === 3) await turn.switchModel(at("responses", responses, responsesWire.base));
    return `seen ${looked}`;
  });
  await using bot = agent({
    ...at("anthropic", anthropic, anthropicWire.base),
    tools: [look, tool("read", () => "text of a/b")],
  });
  const turn = bot.start("What is there?", { sessionId: "s" });
  const { answer, messages } = await turn;
  const last = (server: typeof anthropic): Json => server.requests.at(-1)?.body ?? {};
  return { answer, messages, sent: { anthropic: last(anthropic), gemini: last(gemini), responses: last(responses) } };
}
