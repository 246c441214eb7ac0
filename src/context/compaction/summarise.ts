import { type Compaction, shownHistory } from "../../protocol/projection/compaction.ts";
import type { Message } from "../../protocol/message.ts";
import type { Clock, Summarised, SummaryRequest } from "../../protocol/ports.ts";
import { project } from "../../protocol/projection/project.ts";
import { RecentMap } from "../../protocol/recent-map.ts";
import { messageTokens, textTokens } from "../../protocol/token-estimate.ts";
import { REPLY_TOKENS } from "../../protocol/window.ts";
import { openTodos } from "./open-todos.ts";
import { planSummary, type SummaryPlan } from "./plan-summary.ts";
import { prune } from "./prune.ts";
import { readSummary, type SummaryRead, type SummaryRun } from "./read-summary.ts";
import { rules } from "./rules.ts";
import { shortSummary } from "./short-summary.ts";
import { transcriptOf } from "./transcript.ts";
import { SUMMARY_SYSTEM, summaryPrompt } from "./words.ts";

/** One call for a summary. */
export interface SummaryAsk {
  readonly sessionId: string;
  readonly system: string;
  readonly prompt: string;
  /** Tokens. */
  readonly maxOutput: number;
}

/** A model that sums up. */
export interface Summariser {
  /** Its own window, tokens; undefined: nobody knows. Never rejects. */
  readonly window: () => Promise<number | undefined>;
  /** Never rejects. */
  readonly run: (ask: SummaryAsk, signal: AbortSignal) => Promise<SummaryRun>;
}

export interface SummaryPorts {
  /** The session's own model. */
  readonly own: Summariser;
  /** Another one that is asked before it; absent: there is none. */
  readonly other: Summariser | undefined;
  /** Takes secrets out of a text. */
  readonly clean: (text: string) => string;
  readonly clock: Pick<Clock, "elapsed">;
  /** Told why the other model was of no use. */
  readonly warn: (trouble: string, sessionId: string) => void;
}

/** How long nobody is asked again after a failure, ms; longer where there is no provider (hermes.md §13.4). */
const COOL_DOWN_MS = 60_000;
const NO_PROVIDER_MS = 600_000;

/** Sessions whose failures are remembered. */
const MOST_FAILED = 1_000;

/** Assumed where nobody knows the window, tokens. */
const UNKNOWN_WINDOW = 128_000;

/** What a reply may have beyond its budget, and room for a model that thinks first, tokens. */
const OVER_BUDGET = 1.3;

/** A shorter summary is never shortened, tokens. */
const SHORT_SUMMARY = 600;

/** Below the window, for what the estimates miss. */
const MARGIN = 0.9;

interface Failed {
  readonly untilMs: number;
  readonly trouble: string;
}

/** Sums up what is left out of histories, with a model; it remembers by session what has failed. */
export function summarising(
  ports: SummaryPorts,
): (request: SummaryRequest, signal: AbortSignal) => Promise<Summarised> {
  const failed = new RecentMap<string, Failed>(MOST_FAILED);
  let otherRestsUntilMs = -Infinity;

  const ask = async (asked: Telling, signal: AbortSignal): Promise<Answer> => {
    const { own, other, clock, warn } = ports;
    if (other === undefined || clock.elapsed() < otherRestsUntilMs) return askOne(own, asked, signal);
    const answer = await askOne(other, asked, signal);
    if (answer.read.type !== "trouble" || signal.aborted) return answer;
    otherRestsUntilMs = clock.elapsed() + NO_PROVIDER_MS;
    warn(answer.read.trouble, asked.request.sessionId);
    return askOne(own, asked, signal);
  };

  return async (request, signal) => {
    const { sessionId, asked = false } = request;
    const before = failed.get(sessionId);
    const waitMs = (before?.untilMs ?? -Infinity) - ports.clock.elapsed();
    if (before !== undefined && waitMs > 0 && !asked)
      return { trouble: `${before.trouble} (not asked again for ${Math.ceil(waitMs / 1000)} s)` };
    failed.delete(sessionId);
    const window = (await ports.own.window()) ?? UNKNOWN_WINDOW;
    const plan = planSummary(request, window);
    if (plan === undefined) return { trouble: "there is too little that could be summed up" };
    const { read, reason } = await ask({ request, plan, clean: ports.clean }, signal);
    if (signal.aborted) return { trouble: "it was stopped" };
    if (read.type === "trouble") {
      const restMs = reason === "no_provider" ? NO_PROVIDER_MS : COOL_DOWN_MS;
      failed.set(sessionId, { untilMs: ports.clock.elapsed() + restMs, trouble: read.trouble });
      return { trouble: read.trouble };
    }
    return smallEnough(request, compactionWith(read, request, plan), plan.budget);
  };
}

interface Telling {
  readonly request: SummaryRequest;
  readonly plan: SummaryPlan;
  readonly clean: (text: string) => string;
}

interface Answer {
  readonly read: SummaryRead;
  readonly reason: string;
}

async function askOne(model: Summariser, telling: Telling, signal: AbortSignal): Promise<Answer> {
  const { request, plan, clean } = telling;
  const maxOutput = Math.ceil(plan.budget * OVER_BUDGET) + REPLY_TOKENS;
  const room = ((await model.window()) ?? UNKNOWN_WINDOW) * MARGIN - maxOutput;
  const prompt = promptFor(telling, room);
  if (prompt === undefined) return { read: NO_ROOM, reason: "context_overflow" };
  const ask = { sessionId: request.sessionId, system: SUMMARY_SYSTEM, prompt, maxOutput };
  const run = await model.run(ask, signal);
  const read = readSummary(run);
  return { read: read.type === "summary" ? { ...read, text: clean(read.text) } : read, reason: run.reason };
}

const NO_ROOM: SummaryRead = { type: "trouble", trouble: "the window of the model that sums up is too small" };

/** The summary before, which may have been written for a larger window, leaves so much of the room to what is new. */
const OLD_SUMMARY = 0.5;

/** Undefined where not even the newest message has room. */
function promptFor({ request, plan, clean }: Telling, room: number): string | undefined {
  const { focus, compaction } = request;
  const before = compaction?.summary && within(compaction.summary, room * OLD_SUMMARY);
  const asked = { before, focus, budget: plan.budget };
  const frame = SUMMARY_SYSTEM + summaryPrompt({ ...asked, transcript: "", dropped: 1 });
  const transcript = transcriptOf(toldOf(request, plan), room - textTokens(frame), textTokens);
  if (transcript === undefined) return undefined;
  const { text, dropped } = transcript;
  return clean(summaryPrompt({ ...asked, transcript: text, dropped }));
}

/** Long outputs among so many of the newest messages are told at more length (hermes.md §13.1). */
const TOLD_AT_LENGTH = 20;

/** What nobody has said and no model is sent is not told either (COMP-09). */
function toldOf({ history }: SummaryRequest, { tellFrom, from }: SummaryPlan): Message[] {
  const told = history.slice(tellFrom, from).filter((message) => message !== undefined);
  const newer = Math.max(0, TOLD_AT_LENGTH - (history.length - from));
  return project(prune(told, Math.max(0, told.length - newer)));
}

function compactionWith(
  read: Exclude<SummaryRead, { type: "trouble" }>,
  { history, compaction: before }: SummaryRequest,
  { instruction, head, from }: SummaryPlan,
): Compaction {
  const { summary: old, summaryTo: _, todos: _todos, ...rest } = before ?? { cutBefore: 0 };
  const summary = read.type === "summary" ? read.text : old;
  const todos = openTodos(history);
  return {
    ...rest,
    through: history.length,
    from,
    instruction,
    ...(head > 0 && { head }),
    ...(summary !== undefined && { summary }),
    ...(todos !== undefined && { todos }),
  };
}

/** The beginning and the end of a summary that is of more tokens. */
function within(summary: string, most: number): string {
  const tokens = textTokens(summary);
  return tokens <= most ? summary : shortSummary(summary, Math.max(0, Math.floor((summary.length * most) / tokens)));
}

/** What is still too large without what was summed up goes by rules; so does what a summary says beyond its budget. */
function smallEnough(request: SummaryRequest, summed: Compaction, budget: number): Summarised {
  const { history, compaction: before, target } = request;
  const sizeOf = (of: Compaction | undefined): number =>
    project(shownHistory(history, of)).reduce((sum, message) => sum + messageTokens(message), 0);
  const summedSize = sizeOf(summed);
  if (summedSize >= sizeOf(before)) return { trouble: "what is sent would be no smaller with the summary" };
  if (summedSize <= target) return { compaction: summed };
  const { summary } = summed;
  const compaction =
    summary === undefined
      ? summed
      : { ...summed, summary: within(summary, Math.max(SHORT_SUMMARY, budget * OVER_BUDGET)) };
  const size = sizeOf(compaction);
  if (size <= target) return { compaction };
  const smaller = rules.compact({ history, compaction, share: target / size });
  return { compaction: smaller ?? compaction };
}
