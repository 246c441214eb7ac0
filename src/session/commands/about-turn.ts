import type { Fact } from "../../protocol/fact.ts";
import type { StoredTurn } from "../../protocol/store.ts";
import type { View } from "../../turn/state.ts";
import { COMMAND_SAYS, sessionSize } from "../../words/commands.ts";
import { exitWords } from "../../words/exits.ts";
import type { Language } from "../../words/language.ts";
import { nextSteps } from "../../words/steps.ts";
import { accountLine } from "../../words/money.ts";
import { turnCounts } from "../../words/totals.ts";
import { waitingSentence } from "../../words/waiting.ts";
import { childrenOf } from "../picture/children-of.ts";
import { pictureLines } from "../picture/draw.ts";
import { pictureOf } from "../picture/picture-of.ts";
import { oneLine } from "../plain-text.ts";
import { latestTodos } from "../../protocol/todo.ts";
import { accountOf, chargesIn, chargesOfTurn, chargesSince, startOfDay, type TimedCharge } from "../spending.ts";
import { todoLines } from "../todo-lines.ts";
import { readTurn } from "../unfinished.ts";
import type { CommandContext } from "./command.ts";

/** The turn that runs or ran last in the session. */
function lastTurn({ store, turnId, sessionId, tell, language }: CommandContext): StoredTurn | undefined {
  const turn = store.turn(turnId ?? "last");
  if (turn?.sessionId === sessionId) return turn;
  tell(COMMAND_SAYS.noTurn[language]);
  return undefined;
}

/** `/why`: how the last turn ended, what it took, and what helps. */
export function why(context: CommandContext): void {
  const turn = lastTurn(context);
  if (turn === undefined) return;
  const { language, tell } = context;
  const { state, waiting } = readTurn(turn);
  tell(endSentence(state, language));
  if (state.outcome === undefined && waiting !== undefined) tell(waitingSentence(waiting, Date.now(), language));
  tell(turnCounts(countsOf(turn, state), language));
  const { outcome } = state;
  if (outcome?.failure !== undefined) tell(oneLine(outcome.failure.message));
  const words = outcome && exitWords(outcome.exit, { failure: outcome.failure, answered: outcome.answer !== null });
  for (const { text } of nextSteps(words?.next ?? [], turn.sessionId, language)) tell(`  ${text}`);
}

function endSentence({ outcome, failures }: View, language: Language): string {
  if (outcome === undefined) return COMMAND_SAYS.running[language];
  const { exit, failure, answer } = outcome;
  const words = exitWords(exit, { failure, tries: failures, answered: answer !== null });
  return `${words?.explain[language] ?? COMMAND_SAYS.answered[language]} (${exit})`;
}

function countsOf({ facts }: StoredTurn, { iteration }: View): Parameters<typeof turnCounts>[0] {
  const count = (type: Fact["type"]): number => facts.filter(({ fact }) => fact.type === type).length;
  const receipts = facts.flatMap(({ fact }) => (fact.type === "receipt" ? [fact] : []));
  const failed = receipts.filter((receipt) => receipt.failed === true || receipt.message.status === "error").length;
  const spanMs = (facts.at(-1)?.atMs ?? 0) - (facts[0]?.atMs ?? 0);
  return { iterations: iteration, retries: count("retry-scheduled"), calls: receipts.length, failed, spanMs };
}

/** `/turn`: its picture. */
export function picture(context: CommandContext): void {
  const turn = lastTurn(context);
  if (turn === undefined) return;
  const { language, page, tell } = context;
  const drawn = pictureOf(turn, { children: childrenOf(turn, context.store), nowMs: Date.now() });
  for (const line of pictureLines(drawn, { ...page, language })) tell(line);
}

/** `/cost`: tokens and money of the turn, of the conversation and of today. */
export function cost(context: CommandContext): void {
  const { store, turnId, sessionId, language, tell } = context;
  const turn = turnId === undefined ? undefined : store.turn(turnId);
  const account = (of: Parameters<typeof accountLine>[0], charges: Iterable<TimedCharge>): void =>
    tell(accountLine(of, accountOf(charges), language));
  if (turn !== undefined) account("turn", chargesOfTurn(turn));
  account("conversation", chargesIn(store.record(sessionId)?.facts ?? []));
  account("today", chargesSince(store, startOfDay(Date.now())));
}

/** `/cache`: as `turn cache`; loaded when somebody asks. */
export async function cache(context: CommandContext): Promise<void> {
  const turn = lastTurn(context);
  if (turn === undefined) return;
  const { store, language, tell } = context;
  const [{ cacheReport }, { cacheLines }] = await Promise.all([
    import("../cache/report.ts"),
    import("../cache/lines.ts"),
  ]);
  for (const line of cacheLines(cacheReport(turn, store), language)) tell(line);
}

/** `/status`. */
export async function status(context: CommandContext): Promise<void> {
  const { language, tell, model, cwd, sessionId } = context;
  const lane = await context.lane();
  tell(`${model.name} · ${model.provider} · ${cwd}`);
  tell(sessionSize(sessionId, lane.history.length)[language]);
  const { waiting } = lane;
  if (waiting !== undefined) return tell(waitingSentence(waiting, Date.now(), language));
  tell(COMMAND_SAYS[lane.compacting.isAsked ? "summarising" : "nothingRuns"][language]);
}

/** `/todo`. */
export async function todo(context: CommandContext): Promise<void> {
  const todos = latestTodos((await context.lane()).history);
  if (todos.length === 0) context.tell(COMMAND_SAYS.noTodos[context.language]);
  else for (const line of todoLines(todos)) context.tell(line);
}
