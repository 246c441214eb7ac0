import {
  addBills,
  type Bill,
  type Caps,
  type LimitScope,
  type MoneyLimit,
  NO_BILL,
  rounded,
  spentUsd,
} from "../protocol/money.ts";
import { addUsage, NO_USAGE, type Usage } from "../protocol/outcome.ts";
import type { Store, StoredTurn, TimedFact } from "../protocol/store.ts";
import { type Charge, enter, newLedger } from "../turn/ledger.ts";

/** A charge, and when the fact was kept that brought it to account, ms since the epoch. */
export interface TimedCharge {
  readonly atMs: number;
  readonly charge: Charge;
}

/** What each attempt took, in order; the end of one that is open has not come. */
export function* chargesIn(facts: Iterable<TimedFact>): Generator<TimedCharge> {
  const ledger = newLedger();
  for (const { atMs, fact } of facts) {
    const charge = enter(ledger, fact);
    if (charge !== undefined) yield { atMs, charge };
  }
}

/** The same of one turn, with what was done on its account when it had ended. */
export const chargesOfTurn = ({ facts, after }: Pick<StoredTurn, "facts" | "after">): Generator<TimedCharge> =>
  chargesIn([...facts, ...after]);

/** Charges, added up. */
export interface Account {
  readonly attempts: number;
  readonly usage: Usage;
  readonly bill: Bill;
}

const NOTHING: Account = { attempts: 0, usage: NO_USAGE, bill: NO_BILL };

const withCharge = ({ attempts, usage, bill }: Account, charge: Charge): Account => ({
  attempts: attempts + (charge.type === "attempt" ? 1 : charge.attempts),
  usage: charge.usage === undefined ? usage : addUsage(usage, charge.usage),
  bill: addBills(bill, charge.bill),
});

export function accountOf(charges: Iterable<TimedCharge>): Account {
  let account = NOTHING;
  for (const { charge } of charges) account = withCharge(account, charge);
  return account;
}

/** The account of each day since then that has one, the oldest first. */
export function accountsByDay(store: Store, sinceMs: number): ReadonlyMap<number, Account> {
  const days = new Map<number, Account>();
  for (const { atMs, charge } of chargesSince(store, sinceMs)) {
    const day = startOfDay(atMs);
    days.set(day, withCharge(days.get(day) ?? NOTHING, charge));
  }
  return new Map([...days].toSorted(([a], [b]) => a - b));
}

function billOfAll(charges: Iterable<TimedCharge>): Bill {
  let bill = NO_BILL;
  for (const { charge } of charges) bill = addBills(bill, charge.bill);
  return bill;
}

/** What a whole session took, with what was done on its account beside it. */
const billOfSession = (store: Store, sessionId: string): Bill =>
  billOfAll(chargesIn(store.record(sessionId)?.facts ?? []));

/** What all sessions took since then. One that is hidden is on the account of the session it was made for. */
export function* chargesSince(store: Store, sinceMs: number): Generator<TimedCharge> {
  for (const { sessionId, updatedMs } of store.list()) {
    if (updatedMs < sinceMs) continue;
    for (const charge of chargesIn(store.record(sessionId)?.facts ?? [])) if (charge.atMs >= sinceMs) yield charge;
  }
}

/** Midnight here, ms since the epoch. */
export function startOfDay(ms: number): number {
  const day = new Date(ms);
  return day.setHours(0, 0, 0, 0);
}

interface Place {
  readonly store: Store;
  readonly sessionId: string;
  readonly nowMs: number;
}

/** The tightest of the limits that a turn which begins now is under; undefined: none. */
export function tightestLimit(caps: Caps, { store, sessionId, nowMs }: Place): MoneyLimit | undefined {
  const spent: Readonly<Record<LimitScope, () => number>> = {
    turn: () => 0,
    session: () => spentUsd(billOfSession(store, sessionId)),
    day: () => spentUsd(billOfAll(chargesSince(store, startOfDay(nowMs)))),
  };
  const limits = (["turn", "session", "day"] as const).flatMap((of): MoneyLimit[] => {
    const usd = caps[of];
    return usd === undefined ? [] : [{ of, usd, leftUsd: Math.max(0, rounded(usd - spent[of]())) }];
  });
  return tighter(...limits);
}

/** That of which the least is left. */
export const tighter = (...limits: readonly (MoneyLimit | undefined)[]): MoneyLimit | undefined =>
  limits
    .filter((limit) => limit !== undefined)
    .reduce<MoneyLimit | undefined>(
      (least, each) => (least === undefined || each.leftUsd < least.leftUsd ? each : least),
      undefined,
    );
