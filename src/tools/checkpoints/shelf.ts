import { chmodSync, closeSync, existsSync, mkdirSync, openSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import type { Difference, RawPath, Seen, StateText, Tree } from "./state.ts";

/** The file, below the folder of the checkpoints. */
export const SHELF_FILE = "checkpoints.db";
const FORMAT = 1;
/** How long another process may hold it, ms. */
const PATIENCE_MS = 5_000;

const SCHEMA = `
create table blob(hash text primary key, size integer not null, at integer not null, body blob not null);
create table root(path text primary key, at integer not null, tree blob not null);
create table step(id integer primary key, session text not null, turn text not null, iteration integer not null,
  root text not null, at integer not null, open integer not null, unique(session, turn, iteration, root));
create index step_turn on step(turn);
create index step_root on step(root);
create table change(id integer primary key, step integer not null references step(id) on delete cascade, path text not null,
  before text, after text, lost integer not null);
create index change_step on change(step);`;

/** Where a snapshot belongs; one for each of these. */
export interface StepKey {
  readonly sessionId: string;
  readonly turnId: string;
  readonly iteration: number;
}

export interface Step extends StepKey {
  readonly id: number;
  readonly root: RawPath;
  /** Nobody has said how the call ended that it was made for. */
  readonly open: boolean;
}

/** What a step knows to have changed, by absolute path. */
export interface StepChange extends Difference {
  /** It was seen later, by somebody else: the process that made the change had died. */
  readonly lost: boolean;
}

/**
 * What files were, in one SQLite file: contents by SHA-256, what folders looked like when they were seen last, and what was
 * changed step by step. Each method is one transaction and on the disk when it returns. Throws what SQLite says.
 */
export class Shelf {
  private readonly db: DatabaseSync;
  private readonly statements = new Map<string, StatementSync>();

  /** Makes the file where there is none, for this user alone. */
  constructor(folder: string) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const path = join(folder, SHELF_FILE);
    if (!existsSync(path)) closeSync(openSync(path, "a", 0o600));
    this.db = new DatabaseSync(path, { timeout: PATIENCE_MS });
    try {
      this.prepare();
      for (const name of [path, `${path}-wal`, `${path}-shm`]) if (existsSync(name)) chmodSync(name, 0o600);
    } catch (error) {
      this.db.close();
      throw error;
    }
  }

  private prepare(): void {
    this.db.exec("pragma auto_vacuum = incremental; pragma journal_mode = wal; pragma synchronous = full");
    // What is let go of is no more in the file.
    this.db.exec("pragma foreign_keys = on; pragma secure_delete = on");
    this.transact(() => {
      const version = this.db.prepare("pragma user_version").get()?.["user_version"];
      if (version === 0) this.db.exec(`${SCHEMA} pragma user_version = ${FORMAT}`);
      else if (version !== FORMAT) throw new Error("it was written by a newer version of this program");
    });
  }

  close(): void {
    this.db.close();
  }

  transact<T>(work: () => T): T {
    this.db.exec("begin immediate");
    try {
      const result = work();
      this.db.exec("commit");
      return result;
    } catch (error) {
      if (this.db.isTransaction) this.db.exec("rollback");
      throw error;
    }
  }

  keepContents(contents: ReadonlyMap<string, Buffer>, nowMs: number): void {
    if (contents.size === 0) return;
    const insert = this.sql(
      "insert into blob(hash, size, at, body) values(?1, ?2, ?3, ?4) on conflict(hash) do update set at = ?3",
    );
    this.transact(() => {
      for (const [hash, content] of contents) insert.run(hash, content.length, nowMs, content);
    });
  }

  content(hash: string): Buffer | undefined {
    const body = this.sql("select body from blob where hash = ?").get(hash)?.["body"];
    return body instanceof Uint8Array ? Buffer.from(body) : undefined;
  }

  /** As it was seen last; undefined: never. */
  tree(root: RawPath): Tree | undefined {
    const tree = this.sql("select tree from root where path = ?").get(root)?.["tree"];
    return tree instanceof Uint8Array ? treeIn(tree) : undefined;
  }

  /** Within a transaction. */
  putTree(root: RawPath, tree: Tree, nowMs: number): void {
    this.sql(
      "insert into root(path, at, tree) values(?1, ?2, ?3) on conflict(path) do update set at = ?2, tree = ?3",
    ).run(root, nowMs, treeBytes(tree));
  }

  step({ sessionId, turnId, iteration }: StepKey, root: RawPath): Step | undefined {
    const row = this.sql(`${STEP} where session = ? and turn = ? and iteration = ? and root = ?`).get(
      sessionId,
      turnId,
      iteration,
      root,
    );
    return row === undefined ? undefined : stepOf(row);
  }

  /** Of one turn, in the order they were made. */
  steps(turnId: string): Step[] {
    return this.sql(`${STEP} where turn = ? order by id`).all(turnId).map(stepOf);
  }

  openSteps(root: RawPath): Step[] {
    return this.sql(`${STEP} where root = ? and open = 1 order by id`).all(root).map(stepOf);
  }

  /** Of all turns. */
  openRoots(): RawPath[] {
    return this.sql("select distinct root from step where open = 1")
      .all()
      .map(({ root }) => String(root));
  }

  /** Within a transaction. Returns its id. */
  addStep({ sessionId, turnId, iteration }: StepKey, root: RawPath, nowMs: number): number {
    const insert = this.sql("insert into step(session, turn, iteration, root, at, open) values(?, ?, ?, ?, ?, 1)");
    return Number(insert.run(sessionId, turnId, iteration, root, nowMs).lastInsertRowid);
  }

  /** Within a transaction. */
  addChanges(step: number, changes: readonly StepChange[], done: "open" | "closed"): void {
    const insert = this.sql("insert into change(step, path, before, after, lost) values(?, ?, ?, ?, ?)");
    for (const { path, before, after, lost } of changes) insert.run(step, path, before, after, lost ? 1 : 0);
    if (done === "closed") this.sql("update step set open = 0 where id = ?").run(step);
  }

  /** Within a transaction: another call of the same iteration may change the same. */
  reopen(step: number): void {
    this.sql("update step set open = 1 where id = ?").run(step);
  }

  changes(step: number): StepChange[] {
    const rows = this.sql("select path, before, after, lost from change where step = ? order by id").all(step);
    return rows.map(({ path, before, after, lost }) => ({
      path: String(path),
      before: before as StateText | null,
      after: after as StateText | null,
      lost: lost === 1,
    }));
  }

  all(query: string, ...values: (string | number)[]): ReturnType<StatementSync["all"]> {
    return this.sql(query).all(...values);
  }

  run(query: string, ...values: (string | number)[]): void {
    this.sql(query).run(...values);
  }

  private sql(query: string): StatementSync {
    const known = this.statements.get(query) ?? this.db.prepare(query);
    this.statements.set(query, known);
    return known;
  }
}

const STEP = "select id, session, turn, iteration, root, open from step";

const stepOf = (row: Record<string, unknown>): Step => ({
  id: Number(row["id"]),
  sessionId: String(row["session"]),
  turnId: String(row["turn"]),
  iteration: Number(row["iteration"]),
  root: String(row["root"]),
  open: row["open"] === 1,
});

type Row = readonly [path: RawPath, state: StateText, size: number, mtimeMs: number, ctimeMs: number, ino: number];

const treeBytes = (tree: Tree): Buffer => {
  const rows = [...tree].map(([path, { state, size, mtimeMs, ctimeMs, ino }]): Row => [
    path,
    state,
    size,
    mtimeMs,
    ctimeMs,
    ino,
  ]);
  return deflateRawSync(JSON.stringify(rows), { level: 1 });
};

export function treeIn(bytes: Uint8Array): Tree {
  const rows = JSON.parse(inflateRawSync(bytes).toString()) as readonly Row[];
  return new Map(
    rows.map(([path, state, size, mtimeMs, ctimeMs, ino]): [RawPath, Seen] => [
      path,
      { state, size, mtimeMs, ctimeMs, ino },
    ]),
  );
}
