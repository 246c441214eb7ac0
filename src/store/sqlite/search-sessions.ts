import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Message } from "../../protocol/message.ts";
import type { FoundSession, SearchHit, SessionsAsked } from "../../protocol/session-search.ts";
import type { SearchIndex } from "./search.ts";
import { Finder, LOOKED_UP, type Place, type Stretch, visibleText, type Where } from "./search-find.ts";
import { parseQuery, type Alternative } from "./search-query.ts";
import { snippetOf } from "./search-text.ts";
import { soundBodyAt } from "./sums.ts";

interface SessionRow {
  readonly key: string;
  readonly title: string | null;
  readonly created: number;
  readonly parent: number | null;
  /** null: people see it. */
  readonly purpose: string | null;
}

interface Statements {
  readonly finder: Finder;
  readonly session: StatementSync;
  readonly family: StatementSync;
  readonly stretch: StatementSync;
  readonly body: StatementSync;
  readonly ends: StatementSync;
}

/** A session with all that it goes on from and all that goes on from it. */
const FAMILY = `with recursive root(id, parent) as (
    select id, parent from session where key = ?
    union all select session.id, session.parent from session join root on session.id = root.parent),
  family(id) as (
    select id from root where parent is null
    union all select session.id from session join family on session.parent = family.id)
  select id from family`;

/** A search jumps about in the file: with the usual 2 MB most of its pages would be read over and over. In KiB. */
const PAGES = 16_384;

const prepare = (db: DatabaseSync): Statements => ({
  finder: new Finder(db),
  session: db.prepare("select key, title, created, parent, purpose from session where id = ?"),
  family: db.prepare(FAMILY),
  stretch: db.prepare('select min(id) as "from", max(id) as "to" from message where session = ?'),
  body: db.prepare("select body, sum from message where session = ? and seq = ? and part = ?"),
  ends: db.prepare(
    `select (select at from journal where session = ?1 order by id desc limit 1) as updated,
      (select seq + 1 from message where session = ?1 order by seq desc limit 1) as messages`,
  ),
});

const ALL: Stretch = { from: 1, to: Number.MAX_SAFE_INTEGER };

/** What was said, found by place and by session. */
export class SessionsFound {
  private readonly db: DatabaseSync;
  private readonly index: SearchIndex;
  private prepared: Statements | undefined;

  constructor(db: DatabaseSync, index: SearchIndex) {
    this.db = db;
    this.index = index;
  }

  /** Places, the best first. */
  hits(query: string, limit: number): SearchHit[] {
    const asked = parseQuery(query);
    const most = Math.floor(limit);
    if (asked.length === 0 || !(most >= 1)) return [];
    const rows = new SessionRows(this.statements);
    const where = { stretches: [ALL], takes: rows.isSeen, places: most, sessions: 0 };
    return this.places(asked, where)
      .slice(0, most)
      .map((place) => this.hit(place, asked));
  }

  /** Sessions, the best first. */
  sessions({ query, sessions, hits, within, beside }: SessionsAsked): FoundSession[] {
    const asked = parseQuery(query);
    if (asked.length === 0) return [];
    const rows = new SessionRows(this.statements);
    const only = within === undefined ? undefined : this.familyOf(within);
    const out = new Set(beside === undefined ? [] : this.familyOf(beside));
    const places = this.places(asked, {
      stretches: only === undefined ? this.around(out) : this.stretchesOf(only),
      takes: (session) => rows.isSeen(session) && !out.has(session) && (only?.includes(session) ?? true),
      places: LOOKED_UP,
      sessions,
    });
    const groups = [...Map.groupBy(places, ({ session }) => rows.rootOf(session)).values()];
    return groups.slice(0, sessions).map((group) => {
      const [best] = group;
      const session = best === undefined ? 0 : best.session;
      const { key, title, created } = rows.of(session);
      const { updated, messages } = this.statements.ends.get(session) ?? {};
      return {
        sessionId: key,
        title: title ?? "",
        createdMs: created,
        updatedMs: Number(updated ?? created),
        messages: Number(messages ?? 0),
        hits: group.slice(0, hits).map((place) => this.hit(place, asked)),
        found: group.length,
      };
    });
  }

  private get statements(): Statements {
    if (this.prepared === undefined) this.db.exec(`pragma cache_size = -${PAGES}`);
    return (this.prepared ??= prepare(this.db));
  }

  private places(asked: readonly Alternative[], where: Omit<Where, "indexed">): Place[] {
    return this.statements.finder.find(asked, { ...where, indexed: this.index.catchUp() });
  }

  private hit(place: Place, asked: readonly Alternative[]): SearchHit {
    const { session, seq, part } = place;
    const body = soundBodyAt(this.statements.body, session, { seq, part }) ?? "";
    const role = part === 0 ? (JSON.parse(body) as Message).role : "user";
    const terms = asked.flatMap(({ all }) => all.map(({ text }) => text));
    const sessionId = String(this.statements.session.get(session)?.["key"]);
    return { sessionId, seq, role, snippet: snippetOf(visibleText(part, body), terms) };
  }

  private familyOf(sessionId: string): number[] {
    return this.statements.family.all(sessionId).map(({ id }) => Number(id));
  }

  private stretchesOf(sessions: readonly number[]): Stretch[] {
    const found = sessions.map((session) => this.statements.stretch.get(session) as unknown as Partial<Stretch>);
    const stretches = found.flatMap(({ from, to }) => (from && to ? [{ from, to }] : []));
    return stretches.sort((one, other) => other.from - one.from);
  }

  /** All rows, in two stretches, so that what is left out hides nothing that stands before it. */
  private around(out: ReadonlySet<number>): Stretch[] {
    const first = Math.min(...this.stretchesOf([...out]).map(({ from }) => from));
    if (!Number.isFinite(first)) return [ALL];
    return [
      { from: first, to: ALL.to },
      { from: ALL.from, to: first - 1 },
    ];
  }
}

/** Sessions as one search has read them. */
class SessionRows {
  private readonly read = new Map<number, SessionRow>();
  private readonly statement: StatementSync;

  constructor({ session }: Statements) {
    this.statement = session;
  }

  of(id: number): SessionRow {
    const known = this.read.get(id) ?? (this.statement.get(id) as unknown as SessionRow);
    this.read.set(id, known);
    return known;
  }

  isSeen = (id: number): boolean => this.of(id).purpose === null;

  rootOf(id: number): number {
    const { parent } = this.of(id);
    return parent === null ? id : this.rootOf(parent);
  }
}
