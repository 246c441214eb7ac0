import type { Learnt } from "../../protocol/adjustment.ts";
import type { Fact, TurnStart } from "../../protocol/fact.ts";
import {
  type ContextPart,
  type Message,
  type SteerPart,
  textOf,
  withContext,
  withSteer,
} from "../../protocol/message.ts";
import type { TurnOutcome } from "../../protocol/outcome.ts";
import type { Compaction } from "../../protocol/projection/compaction.ts";
import type { TimedFact } from "../../protocol/store.ts";

/** `part` 0 is the message itself; each steer or context that came to it later has a part of its own. */
export interface MessageRow {
  readonly seq: number;
  readonly part: number;
  readonly body: string;
}

export interface JournalRow {
  readonly at: number;
  readonly facts: string;
}

/** The newest text of the model and where it is stored. */
export interface Answer {
  readonly seq: number;
  readonly text: string;
}

/** A turn that starts. */
export type TurnMark = Pick<TurnStart, "turnId" | "idempotencyKey">;

/** What one session adds in one transaction. */
export interface Entry {
  readonly facts: string;
  readonly messages: readonly MessageRow[];
  /** Turns that start or end (null), in order. */
  readonly turns: readonly (TurnMark | null)[];
  /** Turns that have ended and are charged with something. */
  readonly charged: readonly string[];
  readonly answer: Answer | undefined;
  readonly title: string | undefined;
  readonly compaction: Compaction | undefined;
  readonly learnt: Learnt | undefined;
  readonly strikes: number | undefined;
}

interface Draft {
  readonly messages: MessageRow[];
  readonly turns: (TurnMark | null)[];
  readonly charged: string[];
  answer: Answer | undefined;
  title: string | undefined;
  compaction: Compaction | undefined;
  learnt: Learnt | undefined;
  strikes: number | undefined;
}

type Imported = Extract<Fact, { type: "history-imported" }>;
type Pointing = Extract<Fact, { seq: number; message: Message }>;
type TurnEnd = Extract<Fact, { type: "turn-end" }>;

/** Facts as they stand in a journal row: content is replaced by its place. */
export type BareFact =
  | Exclude<Fact, Imported | Pointing | TurnEnd | { type: "steer-placed" | "context-added" }>
  | (Pointing extends infer F ? (F extends Pointing ? Omit<F, "message"> : never) : never)
  | { readonly type: "steer-placed"; readonly seq: number; readonly part: number }
  | { readonly type: "context-added"; readonly seq: number; readonly part: number; readonly count: number }
  | { readonly type: "history-imported"; readonly seq: number; readonly count: number }
  | {
      readonly type: "turn-end";
      readonly outcome: Omit<TurnOutcome, "answer"> & Partial<TurnOutcome>;
      readonly answerAt?: number;
    };

const TITLE_LENGTH = 80;

/** One line of at most 80 characters. */
function titleOf(message: Message): string {
  const start = textOf(message)
    .trimStart()
    .slice(0, 4 * TITLE_LENGTH);
  const line = start.replace(/[\s\p{Cc}\p{Cs}]+/gu, " ").trim();
  const characters = Array.from(line);
  if (characters.length <= TITLE_LENGTH) return line;
  const kept = characters.slice(0, TITLE_LENGTH - 1).join("");
  return `${kept.trimEnd()}…`;
}

/** Content goes to message rows, once; facts keep its place. `answer` is the newest one stored before these facts. */
export function entryOf(facts: readonly Fact[], answer: Answer | undefined): Entry {
  const draft: Draft = {
    messages: [],
    turns: [],
    charged: [],
    answer,
    title: undefined,
    compaction: undefined,
    learnt: undefined,
    strikes: undefined,
  };
  const bare = facts.map((fact) => bareOf(fact, draft));
  return { ...draft, facts: JSON.stringify(bare) };
}

function bareOf(fact: Fact, draft: Draft): BareFact {
  switch (fact.type) {
    case "turn-start":
      draft.turns.push(fact);
      return pointing(fact, draft);
    case "assistant-message":
    case "receipt":
    case "injection-delivered":
    case "redirect-delivered":
    case "closing-message":
      return pointing(fact, draft);
    case "steer-placed":
      draft.messages.push({ seq: fact.seq, part: fact.part, body: JSON.stringify(fact.steer) });
      return { type: fact.type, seq: fact.seq, part: fact.part };
    case "context-added": {
      const { type, seq, part, contexts } = fact;
      contexts.forEach((context, n) => draft.messages.push({ seq, part: part + n, body: JSON.stringify(context) }));
      return { type, seq, part, count: contexts.length };
    }
    case "history-imported":
      fact.messages.forEach((message, index) => keep(message, fact.seq + index, draft));
      return { type: fact.type, seq: fact.seq, count: fact.messages.length };
    case "history-compacted":
      draft.compaction = fact.compaction;
      return fact;
    case "session-forked":
      draft.compaction = fact.compaction;
      draft.learnt = fact.learnt;
      return fact;
    case "compaction-judged":
      draft.strikes = fact.strikes;
      return fact;
    case "request-adjusted":
      draft.learnt = fact.learnt ?? draft.learnt;
      return fact;
    case "auxiliary-run":
      if (fact.turnId !== undefined) draft.charged.push(fact.turnId);
      return fact;
    case "turn-end": {
      draft.turns.push(null);
      const { answer, ...outcome } = fact.outcome;
      return draft.answer !== undefined && draft.answer.text === answer
        ? { type: fact.type, outcome, answerAt: draft.answer.seq }
        : fact;
    }
    default:
      return fact;
  }
}

function pointing(fact: Pointing, draft: Draft): BareFact {
  keep(fact.message, fact.seq, draft);
  const { message: _, ...bare } = fact;
  return bare;
}

function keep(message: Message, seq: number, draft: Draft): void {
  draft.messages.push({ seq, part: 0, body: JSON.stringify(message) });
  if (message.role === "assistant") draft.answer = { seq, text: textOf(message) };
  if (message.role === "user") draft.title ||= titleOf(message);
}

/** The archive as it reads: rows of one message folded together. Rows come ordered by place. */
export function historyOf(rows: readonly MessageRow[]): (Message | undefined)[] {
  const history: (Message | undefined)[] = [];
  for (const { seq, part, body } of rows) {
    while (history.length < seq) history.push(undefined);
    if (part === 0) history[seq] = messageIn(body);
    else history[seq] = completed(history[seq], JSON.parse(body) as SteerPart | ContextPart);
  }
  return history;
}

const messageIn = (body: string): Message => JSON.parse(body) as Message;

function completed(message: Message | undefined, part: SteerPart | ContextPart): Message {
  if (part.type === "steer" && message?.role === "tool") return withSteer(message, part);
  if (part.type === "context" && message?.role === "user") return withContext(message, [part]);
  throw new SyntaxError(`a ${part.type} stands on no message that can hold it`);
}

/** Of the messages from `from` on. */
export function newestAnswer(history: readonly (Message | undefined)[], from: number): Answer | undefined {
  const seq = history.findLastIndex((message, at) => at >= from && message?.role === "assistant");
  const message = history[seq];
  return message === undefined ? undefined : { seq, text: textOf(message) };
}

/** Finds a stored body by its place. */
export type BodyAt = (seq: number, part: number) => string | undefined;

/** On the account of a turn that had ended. */
const chargedTo = (fact: BareFact): string | undefined => (fact.type === "auxiliary-run" ? fact.turnId : undefined);

/** The facts of one turn as they were recorded, out of the journal rows it touches. */
export function turnFacts(rows: readonly JournalRow[], turnId: string, bodyAt: BodyAt): TimedFact[] {
  const facts: TimedFact[] = [];
  for (const { at, facts: text } of rows) {
    for (const bare of JSON.parse(text) as BareFact[]) {
      const starts = bare.type === "turn-start";
      if (facts.length === 0 ? !starts || bare.turnId !== turnId : starts) continue;
      if (chargedTo(bare) !== undefined) continue;
      facts.push({ atMs: at, fact: factOf(bare, bodyAt) });
      if (bare.type === "turn-end") return facts;
    }
  }
  return facts;
}

/** What the rows hold that was done on the account of a turn when it had ended. */
export const chargesOf = (rows: readonly JournalRow[], turnId: string): TimedFact[] =>
  rows.flatMap(({ at, facts }) =>
    (JSON.parse(facts) as BareFact[]).flatMap((bare) =>
      chargedTo(bare) === turnId ? [{ atMs: at, fact: bare as Fact }] : [],
    ),
  );

/** The facts of one journal row, whatever turn they belong to. */
export const factsIn = ({ at, facts }: JournalRow, bodyAt: BodyAt): TimedFact[] =>
  (JSON.parse(facts) as BareFact[]).map((bare) => ({ atMs: at, fact: factOf(bare, bodyAt) }));

/** A fact as it was recorded. Throws SyntaxError where content of it is missing. */
export function factOf(bare: BareFact, bodyAt: BodyAt): Fact {
  const body = (seq: number, part: number): string => {
    const found = bodyAt(seq, part);
    if (found === undefined) throw new SyntaxError(`${bare.type} points to a missing message`);
    return found;
  };
  switch (bare.type) {
    case "turn-start":
      // JSON has no Infinity: a turn without a limit is stored as null.
      return { ...bare, maxIterations: bare.maxIterations ?? Infinity, message: messageIn(body(bare.seq, 0)) } as Fact;
    case "assistant-message":
    case "receipt":
    case "injection-delivered":
    case "redirect-delivered":
    case "closing-message":
      return { ...bare, message: messageIn(body(bare.seq, 0)) } as Fact;
    case "steer-placed":
      return { ...bare, steer: JSON.parse(body(bare.seq, bare.part)) as SteerPart };
    case "context-added": {
      const { type, seq, part, count } = bare;
      const contexts = Array.from({ length: count }, (_, n) => JSON.parse(body(seq, part + n)) as ContextPart);
      return { type, seq, part, contexts };
    }
    case "history-imported": {
      const messages = Array.from({ length: bare.count }, (_, index) => messageIn(body(bare.seq + index, 0)));
      return { type: bare.type, seq: bare.seq, messages };
    }
    case "turn-end": {
      const { answerAt, outcome } = bare;
      const answer = answerAt === undefined ? (outcome.answer ?? null) : textOf(messageIn(body(answerAt, 0)));
      return { type: bare.type, outcome: { ...outcome, answer } };
    }
    default:
      return bare;
  }
}
