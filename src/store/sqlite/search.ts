import type { DatabaseSync, StatementSync } from "node:sqlite";
import { cannotWrite, isBusy } from "./errors.ts";
import { visibleText } from "./search-find.ts";
import { indexedText } from "./search-text.ts";

/** New message rows after which the index is topped up even in the middle of a turn (decision 0016). */
const ROWS_BETWEEN = 1_024;
/** Rows, characters and merged pages of one step, so that none holds the event loop for more than some ms. */
const STEP_ROWS = 16;
const STEP_CHARACTERS = 32 * 1024;
const MERGE_PAGES = 16;
/** Steps before a search: what is left then is read row by row. */
const STEPS_BEFORE = 2;
/** Steps before the store is closed in a process that has searched and found much that was not indexed. */
const STEPS_BEHIND = 64;
/** Lets the end of a turn reach its user first. In ms. */
const PAUSE_MS = 20;

interface Row {
  readonly id: number;
  readonly part: number;
  readonly body: string;
  /** Of its session; null: people see it. */
  readonly purpose: string | null;
}

interface Statements {
  readonly progress: StatementSync;
  readonly advance: StatementSync;
  readonly newest: StatementSync;
  readonly pending: StatementSync;
  readonly words: StatementSync;
  readonly signs: StatementSync;
  readonly mergeWords: StatementSync;
  readonly mergeSigns: StatementSync;
}

/** What is taken out leaves no trace in the index, where it would else stay until the next merge. */
const SECURELY =
  "insert into words(words, rank) values('secure-delete', 1); insert into signs(signs, rank) values('secure-delete', 1)";

const prepare = (db: DatabaseSync): Statements => ({
  progress: db.prepare("select indexed from search_progress"),
  advance: db.prepare("update search_progress set indexed = ?"),
  newest: db.prepare("select max(id) as id from message"),
  pending: db.prepare(
    `select message.id, part, body, purpose from message join session on session.id = message.session
      where message.id > ? order by message.id limit ?`,
  ),
  words: db.prepare("insert into words(rowid, text) values(?, ?)"),
  signs: db.prepare("insert into signs(rowid, text) values(?, ?)"),
  mergeWords: db.prepare("insert into words(words, rank) values('merge', ?)"),
  mergeSigns: db.prepare("insert into signs(signs, rank) values('merge', ?)"),
});

/**
 * A derived index of what was said in sessions that people see: it may lag behind the messages and is filled outside the
 * commit path, a little at a time (decisions 0016, 0045).
 */
export class SearchIndex {
  private readonly db: DatabaseSync;
  private prepared: Statements | undefined;
  private rows = 0;
  private unmerged = false;
  private lags = false;
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

  /** What a search had to read row by row is indexed for the next one. */
  close(): void {
    clearTimeout(this.timer);
    if (!this.lags) return;
    try {
      this.steps(STEPS_BEHIND);
    } catch {
      // It only saves time; a fault is told to the one who searches next.
    }
  }

  /** Before a search: indexes some of what is missing, unless somebody writes or nothing can be written. Returns the last row that is indexed. */
  catchUp(): number {
    this.lags = this.steps(STEPS_BEFORE);
    if (this.lags) this.later();
    return Number(this.statements.progress.get()?.["indexed"]);
  }

  /** Indexes the next rows at once; false when none is left. */
  goOn(): boolean {
    if (!this.topUp()) return false;
    this.merge();
    return true;
  }

  /** Inside a transaction: takes what is indexed of a session out again, before its messages go. */
  forget(session: number): void {
    const indexed = Number(this.statements.progress.get()?.["indexed"]);
    const rows = this.db.prepare(
      `select message.id, part, body, purpose from message join session on session.id = message.session
        where session = ? and message.id <= ?`,
    );
    this.db.exec(SECURELY);
    const words = this.db.prepare("insert into words(words, rowid, text) values('delete', ?, ?)");
    const signs = this.db.prepare("insert into signs(signs, rowid, text) values('delete', ?, ?)");
    for (const row of rows.iterate(session, indexed)) enter(row as unknown as Row, words, signs);
  }

  /** Inside a transaction: the numbers of the newest rows that went are given out again. */
  shrink(): void {
    this.db.exec("update search_progress set indexed = min(indexed, (select coalesce(max(id), 0) from message))");
  }

  private get statements(): Statements {
    return (this.prepared ??= prepare(this.db));
  }

  /** Holds up no exit: what is missing then is added later. */
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

  /** So many steps at most; true when more is missing. */
  private steps(most: number): boolean {
    try {
      for (let step = 0; step < most; step++) {
        if (!this.goOn()) return false;
      }
    } catch (error) {
      if (!isBusy(error) && !cannotWrite(error)) throw error;
    }
    return true;
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
    this.statements.mergeSigns.run(MERGE_PAGES);
    this.unmerged = false;
  }

  private index(from: number): number {
    const { pending, words, signs } = this.statements;
    let upTo = from;
    let characters = 0;
    for (const each of pending.iterate(from, STEP_ROWS)) {
      const row = each as unknown as Row;
      enter(row, words, signs);
      upTo = row.id;
      characters += row.body.length;
      if (characters > STEP_CHARACTERS) break;
    }
    return upTo;
  }
}

/** Puts what people see of a row in, or takes it out with the same words. */
function enter({ id, part, body, purpose }: Row, words: StatementSync, signs: StatementSync): void {
  if (purpose !== null) return;
  const text = indexedText(visibleText(part, body));
  if (text.words !== "") words.run(id, text.words);
  if (text.signs !== "") signs.run(id, text.signs);
}
