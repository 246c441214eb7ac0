import type { Message } from "../../protocol/message.ts";
import type { ModelRequest } from "../../protocol/ports.ts";
import { type Reader, takes } from "../dialect.ts";
import { beginsWithThought } from "./blocks.ts";
import { BUDGETS, effortWord, maxOutputOf, type Thinking, thinkingOf } from "./models.ts";

/** Tokens that are left for the answer behind a budget for thinking. */
const ANSWER_TOKENS = 4_096;

/** The fewest a budget may be. */
const LEAST_BUDGET = 1_024;

const SILENT: Thinking = { by: "nothing" };

/** It is known to think at no level. */
const isSilent = ({ thinking }: Reader): boolean =>
  thinking !== undefined && Object.keys(thinking).every((level) => level === "off");

/** The API refuses what would not fit into the window together with the request (bug report ERR-11). */
const longest = ({ weight }: ModelRequest, reader: Reader): number =>
  Math.min(reader.maxOutput ?? maxOutputOf(reader.model), weight?.room ?? Infinity);

/** The longest reply, which the API wants to be told, and how much of it may be thought. */
export function encodeLimits(said: readonly Message[], request: ModelRequest, reader: Reader): string {
  const most = longest(request, reader);
  const asked = request.maxOutput ?? most;
  const { effort } = reader;
  const thinking = isSilent(reader) || !takes(reader, "thinking") ? SILENT : thinkingOf(reader.model);
  if (effort === undefined || thinking.by === "nothing") return `,"max_tokens":${asked}`;
  if (thinking.by === "effort") {
    const word = effortWord(effort, thinking.xhigh);
    const output = takes(reader, "output_config") ? `,"output_config":{"effort":"${word}"}` : "";
    return `,"max_tokens":${asked},"thinking":{"type":"adaptive","display":"summarized"}${output}`;
  }
  const budget = Math.min(BUDGETS[effort], most - ANSWER_TOKENS);
  if (budget < LEAST_BUDGET || !mayThink(said, request, reader)) return `,"max_tokens":${asked}`;
  const limit = Math.max(asked, budget + ANSWER_TOKENS);
  const temperature = takes(reader, "temperature") ? `,"temperature":1` : "";
  return `,"max_tokens":${limit},"thinking":{"type":"enabled","budget_tokens":${budget}}${temperature}`;
}

/**
 * With a budget the API insists that an answer whose calls are being answered began with a thought: one of another
 * model did not.
 */
function mayThink(said: readonly Message[], { history }: ModelRequest, reader: Reader): boolean {
  if (said.some(({ role }) => role === "assistant")) return true;
  const last = history.findLastIndex((message) => message?.role === "assistant");
  const asker = history[last];
  const answers = history.slice(last + 1).some((message) => message?.role === "tool");
  return !answers || asker?.role !== "assistant" || beginsWithThought(asker, reader);
}
