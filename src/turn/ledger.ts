import type { Purpose, Fact, RequestSize } from "../protocol/fact.ts";
import type { Failure, PartialReply } from "../protocol/failure.ts";
import {
  addBills,
  type Bill,
  billOf,
  type Cost,
  costOf,
  NO_BILL,
  type Price,
  rounded,
  spentUsd,
} from "../protocol/money.ts";
import { NO_USAGE, type Usage } from "../protocol/outcome.ts";
import { textTokens } from "../protocol/token-estimate.ts";
import { roughTokens } from "../protocol/window.ts";

/** How an attempt ended, as far as money goes. `lost`: its process died, or was stopped before anything came. */
export type ChargeEnd = "answered" | "empty" | "cut" | "failed" | "cancelled" | "stopped" | "lost";

/** What one attempt took, whatever came of it. */
export interface AttemptCharge {
  readonly type: "attempt";
  readonly attempt: number;
  readonly iteration: number;
  readonly model: string;
  readonly end: ChargeEnd;
  /** Undefined: nobody said. */
  readonly usage: Usage | undefined;
  readonly price: Price | undefined;
  readonly cost: Cost;
  readonly bill: Bill;
}

/** What was done beside the conversation, on its account. */
export interface AuxiliaryCharge {
  readonly type: "auxiliary";
  readonly purpose: Purpose;
  readonly model: string;
  readonly attempts: number;
  readonly usage: Usage;
  readonly bill: Bill;
}

export type Charge = AttemptCharge | AuxiliaryCharge;

type AttemptOpen = Pick<AttemptCharge, "attempt" | "iteration" | "model"> & { readonly size: RequestSize | undefined };

/** The account of attempts: what they took together, and the one whose end has not come. */
export interface Ledger {
  /** Of the newest attempt, as it was recorded with it. */
  price: Price | undefined;
  open: AttemptOpen | undefined;
  bill: Bill;
  /** What the newest attempt took that was not refused, US dollars. */
  lastUsd: number;
}

export const newLedger = (): Ledger => ({ price: undefined, open: undefined, bill: NO_BILL, lastUsd: 0 });

/** Enters what a fact says of money; returns what it brought to account, if anything. */
export function enter(ledger: Ledger, fact: Fact): Charge | undefined {
  switch (fact.type) {
    case "attempt-start": {
      const lost = close(ledger, { end: "lost" });
      const { attempt, iteration, model, size, price } = fact;
      if (price !== undefined) ledger.price = price ?? undefined;
      ledger.open = { attempt, iteration, model, size };
      return lost;
    }
    case "attempt-cancelled":
      return close(ledger, { end: "cancelled", usage: fact.usage });
    case "assistant-message":
      return close(ledger, { end: fact.message.interrupted === true ? "stopped" : "answered", usage: fact.usage });
    case "reply-empty":
      return close(ledger, { end: "empty", usage: fact.usage });
    case "reply-cut":
      return close(ledger, { end: "cut", usage: fact.usage, partial: fact.partial });
    case "model-failure":
      return close(ledger, { end: "failed", ...fact });
    case "turn-end":
      return close(ledger, { end: "lost" });
    case "auxiliary-run":
      return enterRun(ledger, fact);
    default:
      return undefined;
  }
}

function enterRun(ledger: Ledger, fact: Extract<Fact, { type: "auxiliary-run" }>): AuxiliaryCharge {
  const { purpose, model, attempts, usage, bill = billOf(costOf(undefined, undefined)) } = fact;
  ledger.bill = addBills(ledger.bill, bill);
  return { type: "auxiliary", purpose, model, attempts, usage, bill };
}

interface Close {
  readonly end: ChargeEnd;
  readonly usage?: Usage | undefined;
  readonly failure?: Failure;
  readonly partial?: PartialReply;
}

function close(ledger: Ledger, { end, usage, failure, partial }: Close): AttemptCharge | undefined {
  const { open, price } = ledger;
  if (open === undefined) return undefined;
  ledger.open = undefined;
  const { size, ...attempt } = open;
  const free = usage === undefined && partial === undefined && failure !== undefined && wasRefused(failure);
  const cost = free ? refusedCost(price) : costOf(usage, price);
  const bill = billOf(cost, usage === undefined ? guess(size, partial, price) : 0);
  ledger.bill = addBills(ledger.bill, bill);
  if (!free) ledger.lastUsd = spentUsd(bill);
  return { type: "attempt", ...attempt, end, usage, price, cost, bill };
}

/** No provider bills what it refused, or what never reached it. */
const wasRefused = ({ status, unsent }: Failure): boolean => status !== undefined || unsent === true;

const refusedCost = (price: Price | undefined): Cost =>
  price !== undefined && "included" in price
    ? costOf(NO_USAGE, price)
    : { usd: 0, status: "actual", source: "nothing is billed for what was refused" };

/** All that a limit counts, US dollars: also what a request took whose end nobody saw. */
export const drawnUsd = ({ bill, open, price }: Readonly<Ledger>): number =>
  rounded(spentUsd(bill) + (open === undefined ? 0 : guess(open.size, undefined, price)));

/** What a request of this size, and what was seen of its reply, may have taken. */
function guess(size: RequestSize | undefined, partial: PartialReply | undefined, price: Price | undefined): number {
  const seen = partial === undefined ? 0 : textTokens(partial.text) + textTokens(partial.reasoning);
  const usage: Usage = { ...NO_USAGE, input: roughTokens(size?.bytes ?? 0), output: seen };
  return costOf(usage, price).usd ?? 0;
}
