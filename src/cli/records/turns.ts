import type { Store, StoredTurn } from "../../protocol/store.ts";
import { costOfBill } from "../../protocol/money.ts";
import { cacheLines } from "../../session/cache/lines.ts";
import { cacheReport } from "../../session/cache/report.ts";
import { costLines, costReport } from "../../session/cost-report.ts";
import { accountsByDay, startOfDay } from "../../session/spending.ts";
import { accountWords, COST_WORDS, daysLimit } from "../../words/money.ts";
import { findTurn } from "../../session/find-turn.ts";
import { type Io, say, sayJson } from "../io.ts";
import { RefusalError, usageRefusal } from "../refusal.ts";
import { noSuchTurn, RECORD_WORDS, severalTurns } from "../../words/records.ts";
import { FIRST_TURN, LIST_TURNS } from "../../words/steps.ts";
import type { Asked } from "../context.ts";

export function showTurn(store: Store, io: Io, asked: string): void {
  const { turnId, sessionId, facts, after } = existingTurn(store, asked);
  sayJson(io, { turnId, sessionId, facts, ...(after.length > 0 && { after }) }, io.stdout.isTTY ? 2 : undefined);
}

/** The bodies as they left, with secrets masked. */
export function showRequests(store: Store, io: Io, asked: string): void {
  const { turnId } = existingTurn(store, asked);
  for (const { body } of store.requests(turnId)) say(io.stdout, body);
}

/** What a turn cost, request by request. */
export function tellCost(store: Store, asked: string, { io, json, language }: Asked): void {
  const report = costReport(existingTurn(store, asked));
  if (json) return say(io.stdout, JSON.stringify(report));
  for (const line of costLines(report, language)) say(io.stdout, line);
}

/** What a cache brought to each request of a turn, and what is to blame where that was less than it could have been. */
export function tellCache(store: Store, asked: string, { io, json, language }: Asked): void {
  const report = cacheReport(existingTurn(store, asked), store);
  if (json) return say(io.stdout, JSON.stringify(report));
  for (const line of cacheLines(report, language)) say(io.stdout, line);
}

const DAY_MS = 86_400_000;

/** What each of the last days cost, today included; a day on which nothing was asked has no line. */
export function tellDays(store: Store, days: string, { io, json, language }: Asked): void {
  if (!/^[1-9]\d{0,4}$/u.test(days)) throw new RefusalError({ reason: "usage_error", message: daysLimit(days) });
  const accounts = accountsByDay(store, startOfDay(Date.now() - (Number(days) - 1) * DAY_MS));
  for (const [ms, account] of accounts) {
    const day = isoDay(ms);
    const cost = costOfBill(account.bill);
    if (json) say(io.stdout, JSON.stringify({ day, ...account, bill: undefined, cost, knownUsd: account.bill.usd }));
    else say(io.stdout, `${day}  ${accountWords(account, language)}`);
  }
  if (accounts.size === 0 && !json) say(io.stdout, COST_WORDS.nothing[language]);
}

/** The day as it is called here, not in Greenwich. */
function isoDay(ms: number): string {
  const day = new Date(ms);
  const two = (part: number): string => String(part).padStart(2, "0");
  return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`;
}

/** By its id, the beginning of it, or `last`. */
export function existingTurn(store: Store, asked: string): StoredTurn {
  if (asked.trim() === "") throw usageRefusal(RECORD_WORDS.blankTurn);
  const found = findTurn(store, asked);
  switch (found.type) {
    case "found":
      return found.turn;
    case "several":
      throw usageRefusal(severalTurns(asked, found.ids), { code: "ambiguous" });
    case "none": {
      const isFirst = asked === "last";
      const message = isFirst ? RECORD_WORDS.noTurn : noSuchTurn(asked);
      const steps = [isFirst ? FIRST_TURN : LIST_TURNS];
      throw new RefusalError({ reason: "session_not_found", message, steps });
    }
  }
}
