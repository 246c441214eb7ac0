import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { assertSound } from "../../../test/support/sound.ts";
import { faultOf, temporaryFolder } from "../../../test/support/store-world.ts";
import { KEPT_FORMATS, unpackStore } from "../../../test/support/stores-of-formats.ts";
import { MIGRATIONS } from "./migrations.ts";
import { formatOf, migrate } from "./schema.ts";
import { openSqliteStore } from "./store.ts";

const OLDER = MIGRATIONS.map((_, index) => index + 1).slice(0, -1);

const body = (role: string, text: string): string => JSON.stringify({ role, parts: [{ type: "text", text }] });

/** A session with so many turns of two messages, in the columns that every format has. */
function filled(path: string, format: number, turns: number): void {
  const db = new DatabaseSync(path);
  migrate(db, path, MIGRATIONS.slice(0, format));
  const message = db.prepare("insert into message(session, seq, part, body) values(1, ?, 0, ?)");
  const journal = db.prepare("insert into journal(session, at, facts) values(1, ?, ?)");
  const turn = db.prepare("insert into turn(session, name, first, last) values(1, ?, ?, ?)");
  db.exec("begin; insert into session(id, key, epoch, expires, created, title) values(1, 's', 1, 0, 5, 'question 0')");
  for (let at = 0; at < turns; at++) {
    const seq = 2 * at;
    message.run(seq, body("user", `question ${at}`));
    message.run(seq + 1, body("assistant", `answer ${at}`));
    const start = { type: "turn-start", turnId: `t${at}`, seq, model: "m", provider: "p", maxIterations: 5 };
    const rest = [
      { type: "attempt-start", attempt: 1, iteration: 1, model: "m" },
      { type: "assistant-message", seq: seq + 1, finish: "stop" },
      { type: "turn-end", outcome: { exit: "text_response" }, answerAt: seq + 1 },
    ];
    const first = journal.run(at, JSON.stringify([start])).lastInsertRowid;
    const last = journal.run(at, JSON.stringify(rest)).lastInsertRowid;
    turn.run(`t${at}`, first, last);
  }
  db.exec(`commit; pragma journal_mode = wal${format > 2 ? "; update session set nonce = 'abc'" : ""}`);
  db.close();
}

/** As a program of that time has written it, where one did. */
const older = (path: string, format: number): void =>
  KEPT_FORMATS.includes(format) ? unpackStore(format, path) : filled(path, format, 3);

test.each(OLDER)(
  "[R24][G1] before a store of format %d is brought up, a copy of it is kept for its owner alone",
  async (format) => {
    const path = join(temporaryFolder(), "evander.db");
    older(path, format);
    openSqliteStore({ path }).close();
    assertSound(path);
    const copy = `${path}.format-${format}`;
    expect(statSync(copy).mode & 0o777).toBe(0o600);
    const said = (file: string): unknown => {
      const db = new DatabaseSync(file, { readOnly: true });
      try {
        return [formatOf(db), db.prepare("select session, seq, part, body from message order by id").all()];
      } finally {
        db.close();
      }
    };
    expect(said(copy)).toEqual([format, (said(path) as [unknown, unknown])[1]]);
  },
);

test.each(OLDER)(
  "[R24] an upgrade from format %d that fails at any of its steps leaves the old store whole",
  (format) => {
    for (let step = format; step < MIGRATIONS.length; step++) {
      const path = join(temporaryFolder(), "evander.db");
      older(path, format);
      const db = new DatabaseSync(path);
      const broken = [...MIGRATIONS.slice(0, step), `${MIGRATIONS[step] ?? ""}; drop table no_such_table`];
      expect(() => migrate(db, path, broken)).toThrow("no_such_table");
      expect(formatOf(db)).toBe(format);
      expect(db.prepare("pragma integrity_check").get()?.["integrity_check"]).toBe("ok");
      db.close();
      openSqliteStore({ path }).close();
      assertSound(path);
    }
  },
);

test("[R24] a store of the first format with 10,000 messages is brought up and read", async () => {
  const path = join(temporaryFolder(), "evander.db");
  filled(path, 1, 5_000);
  const store = openSqliteStore({ path });
  onTestFinished(() => store.close());
  expect((await store.open("s")).history).toHaveLength(10_000);
  expect(existsSync(`${path}.format-1`)).toBe(true);
});

test("[R24] a program that knows no more than an older format refuses what a newer one has written", async () => {
  const path = join(temporaryFolder(), "evander.db");
  filled(path, 1, 1);
  openSqliteStore({ path }).close();
  for (const format of OLDER) {
    const db = new DatabaseSync(path);
    expect((await faultOf(() => migrate(db, path, MIGRATIONS.slice(0, format)))).fault).toBe("newer");
    db.close();
  }
});
