import type { Scope } from "../protocol/approval.ts";
import type { ApprovalDecided, Fact, MoneyEnd } from "../protocol/fact.ts";
import { type MoneyLimit, rounded } from "../protocol/money.ts";
import type { WaitingCall } from "../protocol/outcome.ts";
import { drawnUsd } from "./ledger.ts";
import type { View } from "./state.ts";

/** What a turn may spend, and what was said about it (row X4). */
export interface Purse {
  /** US dollars: what was left when the turn began, and what a person has added. */
  readonly limitUsd: number;
  readonly warned: boolean;
  /** What a person was asked for, US dollars; and their answer. */
  readonly asked: { readonly moreUsd: number; readonly allow: boolean | undefined } | undefined;
  /** Nothing more is asked of a model, but for a last word. */
  readonly end: MoneyEnd | undefined;
}

/** The name under which a person answers: no call of a model is open when they are asked. */
const MONEY_CALL = "money";

/** Row X4: a warning at this share of the limit. */
const WARN_AT = 0.8;

/** What is due about money before the next request; undefined: it may leave. */
export type MoneyAction =
  | { readonly do: "warn-money"; readonly spentUsd: number; readonly limitUsd: number }
  | { readonly do: "ask-money"; readonly spentUsd: number; readonly limitUsd: number; readonly moreUsd: number }
  | { readonly do: "end-money"; readonly end: Omit<MoneyEnd, "type"> };

/**
 * A request may leave while it and a last word behind it fit, each as dear as the newest attempt was; of the first
 * nobody knows that yet. So a limit is passed by no more than one request.
 */
export function dueMoney(state: View): MoneyAction | undefined {
  const { purse, price, ledger } = state;
  if (purse === undefined || purse.end !== undefined) return undefined;
  if (price !== undefined && "included" in price) return undefined;
  const known = { spentUsd: drawnUsd(ledger), limitUsd: purse.limitUsd };
  if (price === undefined) return { do: "end-money", end: { why: "unknown-price", ...known } };
  const nextUsd = known.spentUsd + 2 * ledger.lastUsd;
  if (isSpent(nextUsd, purse)) return limitAction(state, known, nextUsd);
  const warns = !purse.warned && rounded(known.spentUsd) >= rounded(WARN_AT * purse.limitUsd);
  return warns ? { do: "warn-money", ...known } : undefined;
}

/** A turn that has spent nothing yet has nothing left only where its limit was used up before it. */
const isSpent = (usd: number, { limitUsd }: Purse): boolean =>
  usd === 0 ? limitUsd === 0 : rounded(usd) > rounded(limitUsd);

function limitAction(
  { purse, setup, limit }: View,
  known: { readonly spentUsd: number; readonly limitUsd: number },
  nextUsd: number,
): MoneyAction | undefined {
  if (setup.approvals !== "ask" || purse?.asked?.allow === false)
    return { do: "end-money", end: { why: "limit", ...known } };
  if (purse?.asked !== undefined || limit === undefined) return undefined;
  return { do: "ask-money", ...known, moreUsd: moreFor(nextUsd - known.limitUsd, limit) };
}

/** As much again, so many times that one yes is enough: a person is not asked twice for the same request. */
function moreFor(lackUsd: number, { usd, leftUsd }: MoneyLimit): number {
  const part = leftUsd === 0 ? usd : leftUsd;
  return rounded(part * Math.max(1, Math.ceil(rounded(lackUsd / part))));
}

/** A person was asked and has not answered. */
export const awaitsMoney = ({ purse }: View): boolean =>
  purse?.asked !== undefined && purse.asked.allow === undefined && purse.end === undefined;

/** The last word of a turn that is out of money is within its limit: it is asked for only where it fits. */
export function fitsLastWord({ purse, ledger, iteration }: View): boolean {
  if (purse?.end?.why !== "limit" || iteration === 0) return false;
  return !isSpent(drawnUsd(ledger) + ledger.lastUsd, purse);
}

/** What a person said, beside yes or no. */
export interface Said extends Pick<ApprovalDecided, "allow" | "atMs"> {
  readonly scope?: Scope | undefined;
}

/** What a person said to a question of `askedCalls`, as a fact: of money no call is open that it could be kept with. */
export const decisionOf = (state: View, callId: string, { allow, scope, atMs }: Said): Fact =>
  awaitsMoney(state)
    ? { type: "money-decided", allow }
    : {
        type: "approval-decided",
        callId,
        allow,
        ...(allow && scope !== undefined && { scope }),
        ...(atMs !== undefined && { atMs }),
      };

/** What of its limit a turn has left. */
export function leftOf({ limit, purse, ledger }: View): MoneyLimit | undefined {
  if (limit === undefined || purse === undefined) return undefined;
  return { ...limit, leftUsd: Math.max(0, rounded(purse.limitUsd - drawnUsd(ledger))) };
}

/** The question as it stands beside those about calls. */
export function moneyQuestion(state: View): WaitingCall[] {
  const { purse, turnId, ledger } = state;
  if (purse?.asked === undefined || !awaitsMoney(state)) return [];
  return [
    {
      // Each yes raises the limit: no two questions of a turn have the same one.
      approvalId: `${turnId.slice(0, 8)}-${MONEY_CALL}-${purse.limitUsd}`,
      callId: MONEY_CALL,
      name: "money limit",
      input: `spend up to $${purse.asked.moreUsd} more`,
      why: `$${drawnUsd(ledger)} of $${purse.limitUsd} is spent, and the next request would not fit`,
    },
  ];
}

/** Why a turn ended that was out of money. */
export function moneyText({ purse, model, provider }: View): string | undefined {
  const end = purse?.end;
  if (end === undefined) return undefined;
  if (end.why === "limit") return `Stopped: $${end.spentUsd} of the $${end.limitUsd} this turn may spend is spent.`;
  return `Stopped: nobody knows what ${provider}/${model} costs, so the limit of $${end.limitUsd} cannot be kept.`;
}
