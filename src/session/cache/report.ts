import type { RequestPlace } from "../../protocol/replay.ts";
import { addBills, billOf, type Cost, costOf, costOfBill, NO_BILL, type Price, rounded } from "../../protocol/money.ts";
import type { Usage } from "../../protocol/outcome.ts";
import type { Store, StoredTurn } from "../../protocol/store.ts";
import { type Cause, causeOfDifference, causeOfSilence, modelSwitch, otherModel, type Pair } from "./cause.ts";
import { meet, type Sent, sentOf } from "./compare.ts";
import { type Asking, askingsIn, type Change } from "./course.ts";
import { type CacheRules, cacheRules, needsMarks, toleranceOf } from "./rules.ts";

export interface Differing {
  readonly cause: Cause;
  /** The first segment that is another one; null: none is. */
  readonly place: RequestPlace | null;
  /** What stands there now, from where it differs, as JSON, cut; empty: nothing does. */
  readonly text: string;
}

/** Tokens that were to be read from the cache and were not. */
export interface Miss extends Differing {
  readonly tokens: number;
  /** What they cost more than if they had been read. */
  readonly cost: Cost;
}

/** One request of a turn. Counts are tokens; null: nobody said. */
export interface CacheRow {
  readonly request: number;
  readonly model: string;
  readonly input: number | null;
  readonly read: number | null;
  readonly written: number | null;
  /** The request that it is held against; null: none was answered before it. */
  readonly before: { readonly turnId: string; readonly request: number } | null;
  /** What a cache could have, had nothing changed. */
  readonly predicted: number | null;
  /** What of it is byte for byte the same. */
  readonly equal: number | null;
  /** How many fewer are no miss. */
  readonly tolerance: number | null;
  /** Where it begins to differ, and why; null: what was sent before is all there. */
  readonly differs: Differing | null;
  readonly misses: readonly Miss[];
}

export interface CacheReport {
  readonly turnId: string;
  readonly sessionId: string;
  readonly rows: readonly CacheRow[];
  /** What was sent is there to be compared; it is not in sessions that were imported. */
  readonly kept: boolean;
  /** Models that have said nothing of a cache in this session: whether they read anything is unknown. */
  readonly silent: readonly string[];
  /** Tokens. */
  readonly missed: number;
  readonly cost: Cost;
}

type Reading = Pick<Store, "record" | "requests">;

/** What of each request of a turn a cache was to bring, what it brought, and what is to blame where that is less. */
export function cacheReport({ turnId, sessionId, facts }: StoredTurn, store: Reading): CacheReport {
  const askings = [...askingsIn(store.record(sessionId)?.facts ?? facts)];
  const telling = new Set(askings.flatMap(({ usage, provider }) => (tellsOfCache(usage) ? [provider] : [])));
  const mine = askings.filter((asking) => asking.turnId === turnId);
  const earlier = mine[0] === undefined ? [] : askings.slice(0, askings.indexOf(mine[0]));
  let { before, changes } = lastAnswered(earlier, store);
  const rows: CacheRow[] = [];
  let kept = false;
  for (const [now, sent] of withSent(mine, store)) {
    changes = [...changes, ...now.changes];
    kept ||= sent !== undefined;
    const told = telling.has(now.provider);
    rows.push(rowOf({ now, sent, told, before, changes }));
    if (now.usage === undefined || sent === undefined) continue;
    before = { asking: now, sent };
    changes = [];
  }
  const misses = rows.flatMap((row) => row.misses);
  return {
    turnId,
    sessionId,
    rows,
    kept,
    silent: [...new Set(mine.flatMap(({ provider, model }) => (telling.has(provider) ? [] : [model])))],
    missed: misses.reduce((sum, { tokens }) => sum + tokens, 0),
    cost: costOfBill(misses.reduce((bill, { cost }) => addBills(bill, billOf(cost)), NO_BILL)),
  };
}

const tellsOfCache = (usage: Usage | undefined): boolean =>
  usage !== undefined && (usage.cacheTold === true || usage.cacheRead > 0 || usage.cacheWrite > 0);

/** A request whose tokens are known: it was answered, and a cache may have it. */
interface Answered {
  readonly asking: Asking;
  readonly sent: Sent;
}

interface Held {
  readonly before: Answered | undefined;
  /** What was recorded since. */
  readonly changes: readonly Change[];
}

function lastAnswered(earlier: readonly Asking[], store: Reading): Held {
  const at = earlier.findLastIndex(({ usage }) => usage !== undefined);
  const asking = earlier[at];
  const changes = earlier.slice(at + 1).flatMap((later) => later.changes);
  if (asking === undefined) return { before: undefined, changes };
  for (const { attempt, body, head } of store.requests(asking.turnId))
    if (attempt === asking.attempt) return { before: { asking, sent: sentOf(body, head) }, changes };
  return { before: undefined, changes };
}

/** Requests one after the other, for all of them may be too large; undefined: it is not kept here. */
function* withSent(mine: readonly Asking[], store: Reading): Generator<readonly [Asking, Sent | undefined]> {
  const kept = store.requests(mine[0]?.turnId ?? "")[Symbol.iterator]();
  let next = kept.next();
  for (const asking of mine) {
    if (next.done === true || next.value.attempt !== asking.attempt) {
      yield [asking, undefined];
      continue;
    }
    const { body, head } = next.value;
    next = kept.next();
    yield [asking, sentOf(body, head)];
  }
}

interface Case extends Held {
  readonly now: Asking;
  readonly sent: Sent | undefined;
  /** The provider says what it read. */
  readonly told: boolean;
}

function rowOf({ now, sent, told, before, changes }: Case): CacheRow {
  const { usage, attempt: request, model } = now;
  const row = {
    request,
    model,
    input: usage?.input ?? null,
    read: told && usage !== undefined ? usage.cacheRead : null,
    written: told && usage !== undefined ? usage.cacheWrite : null,
    before: before === undefined ? null : { turnId: before.asking.turnId, request: before.asking.attempt },
  };
  if (before === undefined || sent === undefined) return { ...row, ...UNPREDICTED };
  const pair: Pair = { before: before.asking, sentBefore: before.sent, now, sent, changes };
  const prediction = predict(pair);
  const { predicted, equal, tolerance, differs } = prediction;
  const misses = told && usage !== undefined ? missesOf(pair, prediction, usage) : [];
  return { ...row, predicted, equal, tolerance, differs, misses };
}

const UNPREDICTED = { predicted: null, equal: null, tolerance: null, differs: null, misses: [] } as const;

type Prediction = Readonly<Record<"predicted" | "equal" | "readable" | "tolerance", number>> & {
  readonly differs: Differing | null;
  readonly rules: CacheRules;
};

function predict(pair: Pair): Prediction {
  const { before, now, sentBefore, sent } = pair;
  const { expected, equal, readable, difference } = meet(sentBefore, sent);
  const rules = cacheRules(now.model, sentBefore.hasMarks ? sentBefore.body().marks : undefined);
  const whole = before.usage?.input ?? 0;
  // A request that is shorter than the one before it cannot read more than it has.
  const most = Math.min(whole, now.usage?.input ?? whole);
  const isCached = sentBefore.hasMarks || !needsMarks(now.model);
  const tokensOf = (share: number): number => Math.min(Math.round(share * whole), most);
  const cached = (share: number): number => {
    const tokens = tokensOf(share);
    return isCached && tokens >= rules.minimum ? tokens : 0;
  };
  const predicted = cached(expected);
  const tolerance = toleranceOf(rules, predicted);
  if (otherModel(pair)) {
    const differs = { place: null, cause: modelSwitch(pair), text: "" };
    return { predicted, equal: 0, readable: 0, tolerance, differs, rules };
  }
  const differs = difference === undefined ? null : { ...difference, cause: causeOfDifference(pair, difference) };
  return { predicted, equal: tokensOf(equal), readable: cached(readable), tolerance, differs, rules };
}

/** What was not read because it is another text, and what was not read though it is the same. */
function missesOf(pair: Pair, { predicted, readable, tolerance, differs, rules }: Prediction, usage: Usage): Miss[] {
  const miss = (tokens: number, { place, cause, text }: Differing): Miss[] =>
    tokens > tolerance ? [{ place, cause, text, tokens, cost: costOfMiss(tokens, usage, pair.now.price) }] : [];
  const changed = differs === null ? 0 : predicted - Math.max(readable, usage.cacheRead);
  const unread = Math.min(predicted, readable) - usage.cacheRead;
  const silence = unread > tolerance ? { place: null, cause: causeOfSilence(pair, rules), text: "" } : undefined;
  return [...(differs === null ? [] : miss(changed, differs)), ...(silence === undefined ? [] : miss(unread, silence))];
}

/** What tokens cost more than if they had been read from the cache: as they were billed, most of them were written to it. */
function costOfMiss(tokens: number, usage: Usage, price: Price | undefined): Cost {
  if (price !== undefined && !("included" in price) && price.cacheRead === undefined)
    return costOf(undefined, undefined);
  const { costUsd: _said, ...counts } = usage;
  const written = Math.min(tokens, counts.cacheWrite);
  const hour = Math.max(
    0,
    (counts.cacheWrite1h ?? 0) - Math.max(0, written - (counts.cacheWrite - (counts.cacheWrite1h ?? 0))),
  );
  const read: Usage = {
    ...counts,
    cacheRead: counts.cacheRead + tokens,
    cacheWrite: counts.cacheWrite - written,
    cacheWrite1h: hour,
  };
  const [was, could] = [counts, read].map((each) => costOf(each, price));
  if (was?.usd === null || could?.usd === null || was === undefined || could === undefined)
    return costOf(undefined, undefined);
  return { ...was, usd: Math.max(0, rounded(was.usd - could.usd)) };
}
