import { anthropicMessages } from "../../src/model/anthropic_messages/index.ts";
import { bedrockConverse } from "../../src/model/bedrock_converse/index.ts";
import { chatCompletions } from "../../src/model/chat_completions/index.ts";
import { codexResponses } from "../../src/model/codex_responses/index.ts";
import { gemini } from "../../src/model/gemini/index.ts";
import { anthropicWire } from "./anthropic-wire.ts";
import { bedrockWire } from "./bedrock-wire.ts";
import { chatWire } from "./chat-wire.ts";
import type { Side } from "./client.ts";
import { geminiWire } from "./gemini-wire.ts";
import type { Mode } from "./script.ts";
import { responsesWire } from "./responses-wire.ts";

/** Every dialect of ours, each with the fake that it is held against. */
export const SUBJECTS: readonly Side[] = [
  { dialect: chatCompletions, wire: chatWire, model: "fake-1" },
  { dialect: anthropicMessages, wire: anthropicWire, model: "claude-fake-1" },
  { dialect: bedrockConverse, wire: bedrockWire, model: "us.anthropic.claude-fake-v1:0" },
  { dialect: codexResponses, wire: responsesWire, model: "gpt-fake-1" },
  { dialect: gemini, wire: geminiWire, model: "gemini-2.5-fake" },
];

/** The side of one dialect. */
export function sideOf(mode: Mode): Side {
  const side = SUBJECTS.find(({ wire }) => wire.mode === mode);
  if (side === undefined) throw new Error(`No side speaks ${mode}`);
  return side;
}
