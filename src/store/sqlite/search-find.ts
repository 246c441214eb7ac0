import type { DatabaseSync, StatementSync } from "node:sqlite";
import { type ContextPart, type Message, type SteerPart, textOf } from "../../protocol/message.ts";
import { holds, mayHold } from "./search-holds.ts";
import { type Alternative, isExact, signsMatch, wordsMatch } from "./search-query.ts";

/** So many places are weighed, the newest: of what stands everywhere nobody wants more. */
const WEIGHED = 1_000;
/** So many are looked up, the best, and more only where they are not of sessions enough. */
export const LOOKED_UP = 100;
/** Marks alone stand in no index: they are looked for in so many of the newest rows. */
const ROWS_READ = 1_000;

/** A place where it stands. */
export interface Place {
  readonly id: number;
  readonly session: number;
  readonly seq: number;
  readonly part: number;
  /** The smaller the better. */
  readonly rank: number;
}

/** Rows from one number to another, both included. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

export interface Where {
  /** The newest first. */
  readonly stretches: readonly Stretch[];
  readonly takes: (session: number) => boolean;
  /** The last row that is indexed. */
  readonly indexed: number;
  /** How many places of how many sessions are wanted. */
  readonly places: number;
  readonly sessions: number;
}

interface Ranked {
  readonly id: number;
  readonly rank: number;
}

interface Row {
  readonly id: number;
  readonly session: number;
  readonly seq: number;
  readonly part: number;
  readonly body: string;
}

/** Only what people see is found: text and what they steered, neither reasoning nor arguments nor context (row A11). */
export function visibleText(part: number, body: string): string {
  const value: unknown = JSON.parse(body);
  if (part === 0) return textOf(value as Message);
  const late = value as SteerPart | ContextPart;
  return late.type === "steer" ? late.text : "";
}

const RANGE = "rowid between ? and ?";
const OF_WORDS = `select rowid as id from words where words match ? and ${RANGE}`;
const OF_SIGNS = `select rowid as id from signs where signs match ? and ${RANGE}`;

/** Finds the places where a query holds; it takes no longer for a word that stands everywhere. */
export class Finder {
  private readonly ranked: StatementSync;
  private readonly byWords: StatementSync;
  private readonly bySigns: StatementSync;
  private readonly byBoth: StatementSync;
  private readonly row: StatementSync;
  private readonly place: StatementSync;
  private readonly rows: StatementSync;

  constructor(db: DatabaseSync) {
    this.ranked = db.prepare(
      `select rowid as id, bm25(words) as rank from words where words match ? and ${RANGE} order by rowid desc limit ${WEIGHED}`,
    );
    this.byWords = db.prepare(`${OF_WORDS} order by rowid desc`);
    this.bySigns = db.prepare(`${OF_SIGNS} order by rowid desc`);
    this.byBoth = db.prepare(`${OF_SIGNS} intersect ${OF_WORDS} order by id desc`);
    this.row = db.prepare("select part, body from message where id = ?");
    this.place = db.prepare("select id, session, seq, part from message where id = ?");
    this.rows = db.prepare(
      "select id, session, seq, part, body from message where id between ? and ? order by id desc limit ?",
    );
  }

  /** The best first. */
  find(query: readonly Alternative[], where: Where): Place[] {
    const found = new Map<number, Place>();
    for (const { from, to } of where.stretches) {
      const wanted = new Wanted(where);
      for (const place of this.read(query, { from, to }, where)) {
        found.set(place.id, place);
        if (wanted.isLast(place)) break;
      }
      for (const rows of this.indexed(query, { from, to: Math.min(to, where.indexed) }))
        for (const place of this.lookedUp(rows, where)) found.set(place.id, place);
    }
    return [...found.values()].sort((one, other) => one.rank - other.rank || other.id - one.id);
  }

  /** Reads the rows that no index holds, the newest first. */
  private *read(query: readonly Alternative[], { from, to }: Stretch, { takes, indexed }: Where): Generator<Place> {
    const onlyMarks = query.some(isMarks);
    const first = onlyMarks ? from : Math.max(from, indexed + 1);
    for (const each of this.rows.iterate(first, to, onlyMarks ? ROWS_READ : -1)) {
      const { body, ...place } = each as unknown as Row;
      if (!takes(place.session)) continue;
      const alternatives = query.filter((alternative) => mayHold(body, alternative));
      if (alternatives.length === 0) continue;
      const text = visibleText(place.part, body);
      if (alternatives.some((alternative) => holds(text, alternative))) yield { ...place, rank: -Infinity };
    }
  }

  /** Rows with the best first, each with a list of its own where they cannot be weighed against each other. */
  private *indexed(query: readonly Alternative[], stretch: Stretch): Generator<Iterable<Ranked>> {
    if (query.every(isWeighable)) {
      const match = query.flatMap((alternative) => wordsMatch(alternative) ?? []).join(" OR ");
      if (match === "") return;
      const rows = this.ranked.all(match, stretch.from, stretch.to) as unknown as Ranked[];
      yield rows.sort((one, other) => one.rank - other.rank);
      return;
    }
    for (const alternative of query) yield this.holding(alternative, stretch);
  }

  /** Rows that hold one alternative, the newest first. */
  private *holding(alternative: Alternative, { from, to }: Stretch): Generator<Ranked> {
    const exact = isExact(alternative);
    for (const each of this.matching(alternative, from, to)) {
      const { id } = each as { readonly id: number };
      if (!exact) {
        const { part, body } = this.row.get(id) as unknown as Row;
        if (!mayHold(body, alternative) || !holds(visibleText(part, body), alternative)) continue;
      }
      yield { id, rank: 0 };
    }
  }

  private matching(alternative: Alternative, from: number, to: number): Iterable<unknown> {
    const words = wordsMatch(alternative);
    const signs = signsMatch(alternative);
    if (words === undefined) return signs === undefined ? [] : this.bySigns.iterate(signs, from, to);
    if (signs === undefined) return this.byWords.iterate(words, from, to);
    return this.byBoth.iterate(signs, from, to, words, from, to);
  }

  private *lookedUp(rows: Iterable<Ranked>, where: Where): Generator<Place> {
    const wanted = new Wanted(where);
    for (const { id, rank } of rows) {
      const found = this.place.get(id) as unknown as Omit<Place, "rank"> | undefined;
      if (found === undefined || !where.takes(found.session)) continue;
      const place = { ...found, rank };
      yield place;
      if (wanted.isLast(place)) return;
    }
  }
}

/** How often a row of words stands somewhere is counted at a cost that a search has no time for. */
const isWeighable = (alternative: Alternative): boolean =>
  signsMatch(alternative) === undefined &&
  isExact(alternative) &&
  alternative.all.every(({ words }) => !words.includes(" "));

const isMarks = (alternative: Alternative): boolean =>
  wordsMatch(alternative) === undefined && signsMatch(alternative) === undefined;

/** Counts places until there are enough of them. */
class Wanted {
  private readonly where: Pick<Where, "places" | "sessions">;
  private readonly sessions = new Set<number>();
  private places = 0;

  constructor(where: Pick<Where, "places" | "sessions">) {
    this.where = where;
  }

  isLast({ session }: Place): boolean {
    this.places++;
    this.sessions.add(session);
    const { places, sessions } = this.where;
    return this.places >= Math.max(places, this.sessions.size >= sessions ? 0 : WEIGHED);
  }
}
