import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Learnt } from "../../protocol/adjustment.ts";
import type { Fact, TurnStart } from "../../protocol/fact.ts";
import type { Message } from "../../protocol/message.ts";
import type { Compaction } from "../../protocol/projection/compaction.ts";
import type {
  SessionSummary,
  StoredPrompt,
  StoredRequest,
  StoredSession,
  StoredTurn,
  TimedFact,
} from "../../protocol/store.ts";
import { RequestReading } from "./requests.ts";
import { type BodyAt, chargesOf, historyOf, type MessageRow, turnFacts } from "./rows.ts";
import { ENTRY, soundBodyAt, soundEntries, soundRows } from "./sums.ts";
import type { Holder } from "./lease-holder.ts";

const SUMMARIES = `select s.key as sessionId, s.created as createdMs, j.at as updatedMs, s.title,
    coalesce(s.shared, 0) + (select count(*) from message where session = s.id and part = 0) as messages,
    (select count(*) from turn where session = s.id) as turns,
    (select last is null from turn where session = s.id order by id desc limit 1) as unfinished,
    s.pinned, case when s.shared is not null then (select key from session where id = s.parent) end as forkOf, s.shared
  from session s left join journal j on j.id = (select max(id) from journal where session = s.id)
  where s.purpose is null
    and exists(select 1 from journal where session = s.id)
  order by j.id desc`;

const CHILDREN = SUMMARIES.replace(
  "where s.purpose is null",
  "where s.purpose = 'child' and s.parent = (select id from session where key = ?)",
).replace("order by j.id desc", "order by s.id");

/** The newest sessions, found before anything is counted. */
const RECENT = SUMMARIES.replace(
  "where s.purpose is null",
  `where s.id in (select session.id from session
      join journal on journal.id = (select max(id) from journal where session = session.id)
      where purpose is null order by journal.id desc limit ?)`,
);

const TURN = `select turn.id, session, session.key, name, first,
    coalesce(last, (select min(first) from turn later where later.session = turn.session and later.id > turn.id)) as last
  from turn join session on session.id = turn.session`;

const OPEN_TURNS = `select turn.id, session, session.key, name, first, last, title, owner, expires, purpose,
    (select key from session made where made.id = session.parent) as madeFor
  from turn join session on session.id = turn.session
  where last is null and turn.id = (select max(id) from turn newest where newest.session = turn.session)
  order by first desc`;

interface SummaryRow extends Omit<SessionSummary, "title" | "unfinished" | "pinned" | "forkOf"> {
  readonly title: string | null;
  readonly unfinished: number;
  readonly pinned: number | null;
  readonly forkOf: string | null;
  readonly shared: number | null;
}

export interface TurnRow {
  readonly id: number;
  readonly session: number;
  readonly key: string;
  readonly name: string;
  readonly first: number;
  readonly last: number | null;
}

interface OpenTurnRow extends TurnRow, Holder {
  readonly title: string | null;
  readonly purpose: string | null;
  readonly madeFor: string | null;
}

/** An unfinished turn, and the lease of its session as it stands in the store. */
export interface HeldTurn extends StoredTurn {
  readonly title: string;
  readonly madeFor?: { readonly sessionId: string; readonly purpose: string };
  readonly holder: Holder;
}

/** What a session keeps of itself beside its journal. */
type Notes = Pick<StoredSession, "compaction" | "strikes" | "prompt" | "learnt">;

export interface SessionContent extends Notes {
  readonly history: (Message | undefined)[];
  /** So many of them are its parent's. */
  readonly shared: number;
  /** A turn that never ended: its facts and the place of its first message. */
  readonly openTurn: { readonly seq: number; readonly facts: readonly Fact[] } | undefined;
}

/** Where a session stands behind its last turn that has ended. */
export interface SessionEnd extends Pick<SessionContent, "compaction" | "learnt"> {
  readonly id: number;
  readonly messages: number;
}

interface Parent {
  readonly parent: number | null;
  /** Null: it has no parent. */
  readonly shared: number | null;
}

/** Needs no lease. A session is there for readers from its first fact on. */
export class Reading {
  private readonly summaries: StatementSync;
  private readonly childSessions: StatementSync;
  private readonly newest: StatementSync;
  private readonly session: StatementSync;
  private readonly messages: StatementSync;
  private readonly length: StatementSync;
  private readonly body: StatementSync;
  private readonly entries: StatementSync;
  private readonly charges: StatementSync;
  private readonly turnById: StatementSync;
  private readonly turnByKey: StatementSync;
  private readonly turnOfAll: StatementSync;
  private readonly parent: StatementSync;
  private readonly reviewed: StatementSync;
  private readonly openTurn: StatementSync;
  readonly kept: RequestReading;
  private readonly notes: StatementSync;
  private readonly allOpen: StatementSync;

  constructor(db: DatabaseSync) {
    this.summaries = db.prepare(SUMMARIES);
    this.childSessions = db.prepare(CHILDREN);
    this.newest = db.prepare(
      "select key from session join journal on journal.session = session.id where purpose is null order by journal.id desc limit 1",
    );
    this.session = db.prepare(
      "select id from session where key = ? and exists(select 1 from journal where session = session.id)",
    );
    this.messages = db.prepare("select seq, part, body, sum from message where session = ? order by seq, part");
    this.length = db.prepare("select max(seq) + 1 as messages from message where session = ?");
    this.body = db.prepare("select body, sum from message where session = ? and seq = ? and part = ?");
    this.entries = db.prepare(`${ENTRY} where session = ? and id between ? and ? order by id`);
    this.charges = db.prepare(
      `${ENTRY} where id in (select journal from charge where session = ? and turn = ?) order by id`,
    );
    this.turnById = db.prepare(`${TURN} where name = ? order by turn.id desc limit 1`);
    this.turnByKey = db.prepare(`${TURN} where turn.key = ?`);
    this.turnOfAll = db.prepare(`${TURN} where purpose is null order by turn.id desc limit 1`);
    this.reviewed = db.prepare("select max(shared) as messages from session where purpose = 'review' and parent = ?");
    this.parent = db.prepare("select parent, shared from session where id = ?");
    this.allOpen = db.prepare(OPEN_TURNS);
    this.openTurn = db.prepare(`${TURN} where turn.id = (select max(id) from turn where session = ?) and last is null`);
    this.notes = db.prepare(
      `select compaction, learnt, strikes, prompt, exists(select 1 from journal where session = ?1) as begun
        from session where id = ?1`,
    );
    this.kept = new RequestReading(db);
  }

  list(): SessionSummary[] {
    return (this.summaries.all() as unknown as SummaryRow[]).map(summaryOf);
  }

  children(sessionId: string): SessionSummary[] {
    return (this.childSessions.all(sessionId) as unknown as SummaryRow[]).map(summaryOf);
  }

  reviewedThrough(sessionId: string): number {
    return this.reviewedIn(Number(this.session.get(sessionId)?.["id"] ?? 0));
  }

  /** What was looked at before a fork left is not looked at again. */
  private reviewedIn(session: number): number {
    const { parent = null, shared = null } = (this.parent.get(session) ?? {}) as Partial<Parent>;
    const before = parent === null || shared === null ? 0 : Math.min(shared, this.reviewedIn(parent));
    return Math.max(before, Number(this.reviewed.get(session)?.["messages"] ?? 0));
  }

  history(sessionId: string): (Message | undefined)[] | undefined {
    const id = this.session.get(sessionId)?.["id"];
    return id === undefined ? undefined : historyOf(this.rowsOf(Number(id)).rows);
  }

  /** What a session shares with the one it has left; of any other nothing. */
  sharedMessages(sessionId: string): readonly (Message | undefined)[] {
    const id = this.session.get(sessionId)?.["id"];
    const { shared } = id === undefined ? { shared: 0 } : this.rowsOf(Number(id));
    return shared === 0 ? [] : (this.history(sessionId) ?? []).slice(0, shared);
  }

  prompt(sessionId: string): StoredPrompt {
    const id = this.session.get(sessionId)?.["id"];
    return id === undefined ? { state: "missing" } : this.notesOf(Number(id)).prompt;
  }

  /** Undefined when there is no such session. */
  endOf(sessionId: string): SessionEnd | undefined {
    const id = this.session.get(sessionId)?.["id"];
    if (id === undefined) return undefined;
    const { compaction, learnt } = this.notesOf(Number(id));
    const openTurn = this.openTurnOf(Number(id));
    const messages = openTurn?.seq ?? this.lengthOf(Number(id));
    // What a running turn has made of it may speak of messages that are not shared.
    const holds = compaction !== undefined && compaction.through <= messages;
    return {
      id: Number(id),
      messages,
      compaction: holds ? compaction : undefined,
      learnt: openTurn === undefined ? learnt : undefined,
    };
  }

  /** Nothing but its own facts are read. */
  private openTurnOf(session: number): TurnStart | undefined {
    const row = this.openTurn.get(session) as unknown as TurnRow | undefined;
    const start = row && this.stored(row).facts[0]?.fact;
    return start?.type === "turn-start" ? start : undefined;
  }

  /** How many messages a session has, those of its parent among them. */
  private lengthOf(session: number): number {
    const { shared } = this.parent.get(session) as unknown as Parent;
    return Math.max(Number(this.length.get(session)?.["messages"] ?? 0), shared ?? 0);
  }

  /** The messages of a session, those that it shares with its parent first. */
  private rowsOf(session: number): { readonly shared: number; readonly rows: readonly MessageRow[] } {
    const own = soundRows(session, this.messages.all(session));
    const { parent, shared } = this.parent.get(session) as unknown as Parent;
    if (parent === null || shared === null) return { shared: 0, rows: own };
    const before = this.rowsOf(parent).rows.filter(({ seq }) => seq < shared);
    return { shared, rows: [...before, ...own] };
  }

  /** One message, of a session or of what it shares; as it began, without what came to it later. */
  messageAt(session: number, seq: number): Message | undefined {
    const body = soundBodyAt(this.body, session, { seq, part: 0 });
    if (body !== undefined) return JSON.parse(body) as Message;
    const { parent, shared } = this.parent.get(session) as unknown as Parent;
    return parent === null || shared === null || seq >= shared ? undefined : this.messageAt(parent, seq);
  }

  lastSession(): string | undefined {
    const key = this.newest.get()?.["key"];
    return key === undefined ? undefined : String(key);
  }

  turn(turnId: string): StoredTurn | undefined {
    const turn = this.turnRow(turnId);
    return turn === undefined ? undefined : this.stored(turn);
  }

  turnWithKey(key: string): StoredTurn | undefined {
    const turn = this.turnByKey.get(key) as unknown as TurnRow | undefined;
    return turn === undefined ? undefined : this.stored(turn);
  }

  openTurns(): HeldTurn[] {
    const rows = this.allOpen.all() as unknown as OpenTurnRow[];
    return rows.map((row) => ({ ...this.stored(row), title: row.title ?? "", ...madeFor(row), holder: row }));
  }

  stored(turn: TurnRow): StoredTurn {
    const bodyAt: BodyAt = (seq, part) => soundBodyAt(this.body, turn.session, { seq, part });
    const charges = soundEntries(turn.session, this.charges.all(turn.session, turn.name));
    return {
      turnId: turn.name,
      sessionId: turn.key,
      facts: this.factsOf(turn, bodyAt),
      after: chargesOf(charges, turn.name),
    };
  }

  *requests(turnId: string): Generator<StoredRequest> {
    const turn = this.turnRow(turnId);
    if (turn !== undefined) yield* this.kept.ofTurn(turn.session, turn.first);
  }

  turnRow(turnId: string): TurnRow | undefined {
    const row = turnId === "last" ? this.turnOfAll.get() : this.turnById.get(turnId);
    return row as TurnRow | undefined;
  }

  /** `past`: all that is in it, for one that has just begun. */
  content(session: number, past?: SessionContent["history"]): SessionContent {
    if (past !== undefined)
      return { ...this.notesOf(session), history: past, shared: past.length, openTurn: undefined };
    const row = this.openTurn.get(session) as unknown as TurnRow | undefined;
    const { shared, rows: messages } = this.rowsOf(session);
    const history = historyOf(messages);
    const notes = this.notesOf(session);
    if (row === undefined) return { ...notes, history, shared, openTurn: undefined };
    const bodies = new Map(messages.map(({ seq, part, body }) => [`${seq}/${part}`, body]));
    const facts = this.factsOf(row, (seq, part) => bodies.get(`${seq}/${part}`)).map(({ fact }) => fact);
    const [start] = facts;
    return {
      ...notes,
      history,
      shared,
      openTurn: start?.type === "turn-start" ? { seq: start.seq, facts } : undefined,
    };
  }

  private notesOf(session: number): Notes {
    const { compaction, learnt, strikes, prompt, begun } = this.notes.get(session) ?? {};
    return {
      strikes: Number(strikes ?? 0),
      prompt: storedPrompt(prompt, begun === 1),
      compaction: storedCompaction(compaction),
      learnt: storedObject(learnt) as Learnt | undefined,
    };
  }

  private factsOf({ session, name, first, last }: TurnRow, bodyAt: BodyAt): TimedFact[] {
    const rows = soundEntries(session, this.entries.all(session, first, last ?? Number.MAX_SAFE_INTEGER));
    return turnFacts(rows, name, bodyAt);
  }
}

export const recentSessions = (db: DatabaseSync, limit: number): SessionSummary[] =>
  (db.prepare(RECENT).all(limit) as unknown as SummaryRow[]).map(summaryOf);

const madeFor = ({ purpose, madeFor: sessionId }: OpenTurnRow): Pick<HeldTurn, "madeFor"> =>
  purpose === null || sessionId === null ? {} : { madeFor: { sessionId, purpose } };

/** A row that its index knows of and that is not there is told, not passed over. */
function summaryOf(row: SummaryRow): SessionSummary {
  if (row.updatedMs === null) throw new SyntaxError("the newest journal row of a session is missing");
  return summary(row);
}

const summary = ({ title, unfinished, pinned, forkOf, shared, ...row }: SummaryRow): SessionSummary => ({
  ...row,
  title: title ?? "",
  unfinished: unfinished === 1,
  pinned: pinned === 1,
  forkOf: forkOf === null ? null : { sessionId: forkOf, at: shared ?? 0 },
});

function storedPrompt(text: unknown, begun: boolean): StoredPrompt {
  if (typeof text !== "string") return { state: begun ? "null" : "missing" };
  return text.trim() === "" ? { state: "empty" } : { state: "present", text };
}

/** What only says how the archive is sent: where it cannot be read there is none, and the archive is sent whole. */
function storedObject(text: unknown): object | undefined {
  try {
    const value: unknown = typeof text === "string" ? JSON.parse(text) : undefined;
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const PLACES = ["through", "from", "instruction", "cutBefore"] as const;

function storedCompaction(text: unknown): Compaction | undefined {
  const found = storedObject(text) as Partial<Compaction> | undefined;
  const isPlace = (place: unknown): boolean => Number.isSafeInteger(place) && Number(place) >= 0;
  const holds = PLACES.every((key) => isPlace(found?.[key])) && typeof (found?.summary ?? "") === "string";
  return holds ? (found as Compaction) : undefined;
}
