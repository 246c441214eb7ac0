import type { Breach, BreachKind, Given } from "../../protocol/oracle.ts";
import { BREACHES } from "../../protocol/oracle.ts";
import type { Fact, TurnStart } from "../../protocol/fact.ts";
import type { Message } from "../../protocol/message.ts";
import type { AuditedFact, AuditedRow, AuditedSession } from "../../protocol/store-audit.ts";
import { apply } from "../../turn/apply.ts";
import { initialState, type TurnState, UNATTENDED, type View } from "../../turn/state.ts";
import { breachText } from "../../words/oracle.ts";
import { factTrouble, placesOf } from "../fact-check.ts";
import { reasonOf } from "../../protocol/reason-of.ts";

/** Something is wrong; `what`: with what, as a person finds it again. */
export type Tell = (kind: BreachKind, what: string) => void;

/** One fact of a session, and what was before it. */
export interface Moment {
  readonly fact: Fact;
  readonly row: Omit<AuditedRow, "facts">;
  /** The turn as its facts have made it so far; undefined where they cannot be folded. */
  readonly state: View | undefined;
}

/** Keeps an eye on one invariant while a session goes by. */
export interface Watch {
  fact(moment: Moment): void;
  /** What fills these places cannot be read, and the turn that it belongs to cannot be judged any more. */
  lost?(places: readonly string[]): void;
  /** Nothing more comes. */
  end?(state: View | undefined): void;
}

export type NewWatch = (tell: Tell, session: AuditedSession, given: Given) => Watch;

/** Collects what is wrong. */
export class Findings {
  readonly breaches: Breach[] = [];

  tell(kind: BreachKind, what: string, sessionId?: string, turnId?: string): void {
    const place = { ...(sessionId !== undefined && { sessionId }), ...(turnId !== undefined && { turnId }) };
    this.breaches.push({ invariant: BREACHES[kind], kind, ...place, detail: breachText(kind, what) });
  }
}

/** The role of the message that a fact points to. */
const ROLES: Partial<Readonly<Record<Fact["type"], Message["role"]>>> = {
  "turn-start": "user",
  "injection-delivered": "user",
  "redirect-delivered": "user",
  "assistant-message": "assistant",
  "closing-message": "assistant",
  receipt: "tool",
};

/** Leads a session past its watches, fact by fact, and folds it on the way: no more than one turn of it is held. */
export class SessionWalk {
  private readonly session: AuditedSession;
  private readonly findings: Findings;
  private readonly watches: readonly Watch[];
  private readonly history: (Message | undefined)[] = [];
  private state: TurnState | undefined;
  private turnId: string | undefined;
  /** It cannot be folded; it cannot be read. */
  private broken = false;
  private lost = false;

  constructor(session: AuditedSession, findings: Findings, given: Given, watches: readonly NewWatch[]) {
    this.session = session;
    this.findings = findings;
    this.history.length = session.parent?.shared ?? 0;
    const tell: Tell = (kind, what) => this.tell(kind, what);
    this.watches = watches.map((watch) => watch(tell, session, given));
  }

  walk(): void {
    for (const { facts, ...row } of this.session.rows) for (const each of facts) this.one(each, row);
    for (const watch of this.watches) watch.end?.(this.state);
  }

  private tell(kind: BreachKind, what: string): void {
    this.findings.tell(kind, what, this.session.sessionId, this.turnId);
  }

  private one(each: AuditedFact, row: Moment["row"]): void {
    if ("trouble" in each) {
      this.tell(each.trouble === "row" ? "row-unreadable" : "message-missing", `${each.what} (row ${row.id})`);
      return this.lose(each.places.map(({ seq, part }) => `${seq}/${part}`));
    }
    const { fact } = each;
    if (fact.type === "turn-start") {
      this.turnId = fact.turnId;
      this.lost = false;
    }
    if (this.lost || !this.isReadable(fact, row)) return this.lose(placesOf(fact));
    if (fact.type === "turn-start") this.begin(fact);
    const moment = { fact, row, state: this.state };
    const told = this.findings.breaches.length;
    for (const watch of this.watches) watch.fact(moment);
    this.fold(fact, row, this.findings.breaches.length > told);
  }

  /** Nothing can be said of what follows of this turn. */
  private lose(places: readonly string[]): void {
    this.state = undefined;
    this.broken = true;
    this.lost = true;
    for (const watch of this.watches) watch.lost?.(places);
  }

  private begin(start: TurnStart): void {
    this.broken = false;
    const before = this.state;
    if (before !== undefined) this.history.fill(undefined, before.firstSeq);
    this.history.length = start.seq;
    const { model, provider, maxIterations } = start;
    // Facts do not depend on the policies their turn ran under.
    const setup = { model, provider, maxIterations, approvals: "park", ...UNATTENDED } as const;
    this.state = initialState(setup, this.history, before);
  }

  private isReadable(fact: Fact, row: Moment["row"]): boolean {
    const role = ROLES[fact.type];
    const found = "message" in fact && typeof fact.message === "object" ? fact.message.role : role;
    if (role !== undefined && found !== role) {
      this.tell("role-illegal", `${fact.type} (row ${row.id}): ${String(found)}`);
      return false;
    }
    const trouble = factTrouble(fact);
    if (trouble !== undefined) this.tell("fact-malformed", `row ${row.id}: ${trouble.en}`);
    return trouble === undefined;
  }

  /** `told`: what is wrong with it was told already. */
  private fold(fact: Fact, row: Moment["row"], told: boolean): void {
    if (this.broken) return;
    this.state ??= initialState({ ...NO_TURN, ...UNATTENDED }, this.history);
    try {
      apply(this.state, fact);
    } catch (error) {
      if (!told) this.tell("fold-failed", `${fact.type} (row ${row.id}): ${reasonOf(error)}`);
      this.state = undefined;
      this.broken = true;
    }
  }
}

/** What is recorded before the first turn of a session. */
const NO_TURN = { model: "", provider: "", maxIterations: 0, approvals: "park" } as const;
