import type { DatabaseSync, StatementSync } from "node:sqlite";
import { type ContextPart, type Message, type SteerPart, textOf } from "../../protocol/message.ts";
import type { SearchHit } from "../../protocol/store.ts";
import { isBusy } from "./errors.ts";
import { indexedText, likePattern, matches, parseQuery, type SearchPlan, snippetOf } from "./search-text.ts";

/** New message rows after which the index is topped up even in the middle of a turn (decision 0016). */
const ROWS_BETWEEN = 1_024;
/** Rows, characters and merged pages of one step, so that none holds the event loop for more than some ms. */
const STEP_ROWS = 16;
const STEP_CHARACTERS = 32 * 1024;
const MERGE_PAGES = 16;
/** Lets the end of a turn reach its user first. In ms. */
const PAUSE_MS = 20;
/** How long a search waits for another process that is writing, in ms. */
const PATIENCE_MS = 1_000;

interface Row {
  readonly id: number;
  readonly key: string;
  readonly seq: number;
  readonly part: number;
  readonly body: string;
}

interface Statements {
  readonly progress: StatementSync;
  readonly advance: StatementSync;
  readonly newest: StatementSync;
  readonly pending: StatementSync;
  readonly words: StatementSync;
  readonly trigrams: StatementSync;
  readonly mergeWords: StatementSync;
  readonly mergeTrigrams: StatementSync;
  readonly byWords: StatementSync;
  readonly byTrigrams: StatementSync;
  readonly byScan: StatementSync;
}

const HIT =
  "select message.id, key, seq, part, body from message join session on session.id = message.session and purpose is null";

/** What is taken out leaves no trace in the index, where it would else stay until the next merge. */
const SECURELY =
  "insert into words(words, rank) values('secure-delete', 1); insert into trigrams(trigrams, rank) values('secure-delete', 1)";

const prepare = (db: DatabaseSync): Statements => ({
  progress: db.prepare("select indexed from search_progress"),
  advance: db.prepare("update search_progress set indexed = ?"),
  newest: db.prepare("select max(id) as id from message"),
  pending: db.prepare("select id, part, body from message where id > ? order by id limit ?"),
  words: db.prepare("insert into words(rowid, text) values(?, ?)"),
  trigrams: db.prepare("insert into trigrams(rowid, text) values(?, ?)"),
  mergeWords: db.prepare("insert into words(words, rank) values('merge', ?)"),
  mergeTrigrams: db.prepare("insert into trigrams(trigrams, rank) values('merge', ?)"),
  byWords: db.prepare(`${HIT} join words on words.rowid = message.id where words match ? order by words.rank limit ?`),
  byTrigrams: db.prepare(
    `${HIT} where message.id in (select rowid from trigrams where trigrams match ?) order by message.id desc`,
  ),
  byScan: db.prepare(`${HIT} where body like ? escape '\\' order by message.id desc`),
});

/** Only what people see is found: text and what they steered, neither reasoning nor arguments nor context (row A11). */
function visibleText(part: number, body: string): string {
  const value: unknown = JSON.parse(body);
  if (part === 0) return textOf(value as Message);
  const late = value as SteerPart | ContextPart;
  return late.type === "steer" ? late.text : "";
}

/** A derived index: it may lag behind the messages, is filled outside the commit path and completed before a search. */
export class SearchIndex {
  private readonly db: DatabaseSync;
  private prepared: Statements | undefined;
  private rows = 0;
  private unmerged = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(db: DatabaseSync) {
    this.db = db;
  }

  noteRows(rows: number, turnEnded: boolean): void {
    this.rows += rows;
    if (!turnEnded && this.rows < ROWS_BETWEEN) return;
    this.rows = 0;
    this.later();
  }

  close(): void {
    clearTimeout(this.timer);
  }

  search(query: string, limit: number): SearchHit[] {
    const plan = parseQuery(query);
    if (plan === undefined || limit < 1) return [];
    this.db.exec(`pragma busy_timeout = ${PATIENCE_MS}`);
    try {
      while (this.topUp()) this.merge();
    } finally {
      this.db.exec("pragma busy_timeout = 0");
    }
    return this.find(plan, Math.floor(limit));
  }

  /** Inside a transaction: takes what is indexed of a session out again, before its messages go. */
  forget(session: number): void {
    const indexed = Number(this.statements.progress.get()?.["indexed"]);
    const rows = this.db.prepare("select id, part, body from message where session = ? and id <= ?");
    this.db.exec(SECURELY);
    const words = this.db.prepare("insert into words(words, rowid, text) values('delete', ?, ?)");
    const trigrams = this.db.prepare("insert into trigrams(trigrams, rowid, text) values('delete', ?, ?)");
    for (const row of rows.iterate(session, indexed)) {
      const { id, part, body } = row as unknown as Row;
      const text = indexedText(visibleText(part, body));
      if (text.words !== "") words.run(id, text.words);
      if (text.trigrams !== "") trigrams.run(id, text.trigrams);
    }
  }

  /** Inside a transaction: the numbers of the newest rows that went are given out again. */
  shrink(): void {
    this.db.exec("update search_progress set indexed = min(indexed, (select coalesce(max(id), 0) from message))");
  }

  private get statements(): Statements {
    return (this.prepared ??= prepare(this.db));
  }

  /** Holds up no exit: what is missing then is added before the next search. */
  private later(): void {
    this.timer ??= setTimeout(() => this.step(), PAUSE_MS).unref();
  }

  private step(): void {
    this.timer = undefined;
    try {
      if (this.unmerged) this.merge();
      else if (!this.topUp()) return;
      this.later();
    } catch (error) {
      // Another process writes: later. Any other fault is told to the one who searches; a commit never pays for it.
      if (isBusy(error)) this.later();
    }
  }

  /** Indexes the next few rows in a transaction of its own; false when none is left. */
  private topUp(): boolean {
    const { progress, advance, newest } = this.statements;
    if (Number(newest.get()?.["id"] ?? 0) <= Number(progress.get()?.["indexed"])) return false;
    this.db.exec("begin immediate");
    try {
      const from = Number(progress.get()?.["indexed"]); // another process may have been faster
      const upTo = this.index(from);
      if (upTo > from) advance.run(upTo);
      this.db.exec("commit");
      this.unmerged = true;
      return upTo > from;
    } catch (error) {
      if (this.db.isTransaction) this.db.exec("rollback");
      throw error;
    }
  }

  /** Keeps the parts of the index few: a little after each step instead of much at some. */
  private merge(): void {
    this.statements.mergeWords.run(MERGE_PAGES);
    this.statements.mergeTrigrams.run(MERGE_PAGES);
    this.unmerged = false;
  }

  private index(from: number): number {
    const { pending, words, trigrams } = this.statements;
    let upTo = from;
    let characters = 0;
    for (const row of pending.iterate(from, STEP_ROWS)) {
      const { id, part, body } = row as unknown as Row;
      const text = indexedText(visibleText(part, body));
      if (text.words !== "") words.run(id, text.words);
      if (text.trigrams !== "") trigrams.run(id, text.trigrams);
      upTo = id;
      characters += body.length;
      if (characters > STEP_CHARACTERS) break;
    }
    return upTo;
  }

  private find(plan: SearchPlan, limit: number): SearchHit[] {
    const { byWords, byTrigrams, byScan } = this.statements;
    switch (plan.by) {
      case "words":
        return this.hits(byWords.iterate(plan.match, limit), plan, limit);
      case "trigrams":
        return this.hits(byTrigrams.iterate(plan.match), plan, limit);
      case "scan":
        return this.hits(byScan.iterate(likePattern(plan.terms)), plan, limit);
    }
  }

  private hits(rows: Iterable<unknown>, plan: SearchPlan, limit: number): SearchHit[] {
    const hits: SearchHit[] = [];
    for (const row of rows) {
      const { key, seq, part, body } = row as Row;
      const text = visibleText(part, body);
      if (plan.by !== "words" && !matches(text, plan.terms)) continue;
      const role = part === 0 ? (JSON.parse(body) as Message).role : "tool";
      hits.push({ sessionId: key, seq, role, snippet: snippetOf(text, plan.terms) });
      if (hits.length === limit) break;
    }
    return hits;
  }
}
