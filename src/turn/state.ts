import type { Adjusted, Learnt } from "../protocol/adjustment.ts";
import type { EmptyRung, Finish, RequestSize, RetryMode, TurnStart } from "../protocol/fact.ts";
import type { InterruptSource } from "../protocol/exit.ts";
import type { Circumstances, Failure } from "../protocol/failure.ts";
import { type Guardrails, UNATTENDED_GUARDRAILS } from "../protocol/guardrails.ts";
import type { Message, ReasoningPart, ToolCallPart } from "../protocol/message.ts";
import type { MoneyLimit, Price } from "../protocol/money.ts";
import { NO_USAGE, type TurnOutcome, type Usage } from "../protocol/outcome.ts";
import type { Compaction } from "../protocol/projection/compaction.ts";
import type { ModelName } from "../protocol/ports.ts";
import type { Inspection } from "../protocol/tool.ts";
import { adjustedFor } from "./adjust.ts";
import { type IterationBudget, iterationBudget } from "./budget.ts";
import { type Gauge, newGauge, windowOf } from "./gauge.ts";
import { type Guard, type GuardSeen, newGuard } from "./guardrails.ts";
import { type Ledger, newLedger } from "./ledger.ts";
import { type ChangedFiles, type FilesSeen, newFiles } from "./files.ts";
import type { Purse } from "./purse.ts";

/**
 * What happens to a call that a person must agree to: `never` denies it, `rules` does so unless people have allowed its
 * like for good, `all` runs it, `park` ends the process's part of the turn until somebody decides, `ask` waits here for
 * the answer.
 */
export type ApprovalPolicy = "never" | "rules" | "all" | "park" | "ask";

/** Security §3.2. */
export const APPROVAL_MS = 600_000;

export interface RetryPolicy {
  readonly mode: RetryMode;
  /** First wait in ms; doubled for each further failure of the same iteration. */
  readonly baseMs: number;
  /** Longest computed wait in ms, before jitter. */
  readonly maxMs: number;
  /** A longer wait than this (ms) is not begun: the turn ends and names the time (row D4). */
  readonly maxWaitMs: number;
}

/** Waits of hermes.md §9.2 step 23; the 30 s limit of row D4 holds where nobody attends. */
export const UNATTENDED_RETRY: RetryPolicy = { mode: "standard", baseMs: 2_000, maxMs: 60_000, maxWaitMs: 30_000 };

/** What a turn runs under, fixed when it starts. */
export interface Setup {
  readonly model: string;
  readonly provider: string;
  /** Host and port of its server: what is learnt of it says nothing of a server elsewhere. Absent: nobody knows. */
  readonly host?: string;
  /** What the model costs; absent: nobody knows. */
  readonly price?: Price | undefined;
  /** Tokens that a request and its reply may have together; absent: nobody knows. */
  readonly contextWindow?: number | undefined;
  /** What every request has beside the messages: system prompt and tools, tokens. Absent: it was not estimated. */
  readonly overhead?: number | undefined;
  /** Its server stands here or near: such servers cut off what is too long without a word (row C15). */
  readonly local?: true;
  /** How many models the fallback chain has; absent: there is none. */
  readonly fallbacks?: number;
  /** The other runtime that turns are handed to whole (row B12); absent: the loop itself asks the model. */
  readonly runtime?: string;
  /** Others are asked, before its first request, what they add to the message (row A11). */
  readonly informed?: true;
  readonly maxIterations: number;
  /** How many calls of one reply may start child agents; `MAX_CHILDREN` when absent. */
  readonly children?: number;
  /** The longest reply to ask for, tokens; absent leaves it to the server until one was cut. */
  readonly maxOutput?: number;
  readonly approvals: ApprovalPolicy;
  /** A person sits there and answers what the model asks, whatever runs unasked. */
  readonly attended?: true;
  /** How long a yes holds until its call runs, ms; `APPROVAL_MS` when absent. */
  readonly approvalMs?: number;
  readonly retry: RetryPolicy;
  readonly guardrails: Guardrails;
  /** The first call that ends with an error ends the turn (row E6). */
  readonly failOnToolError: boolean;
}

/** What holds where nobody attends and nobody has said otherwise. */
export const UNATTENDED: Pick<Setup, "retry" | "guardrails" | "failOnToolError"> = {
  retry: UNATTENDED_RETRY,
  guardrails: UNATTENDED_GUARDRAILS,
  failOnToolError: false,
};

export interface OpenCall {
  readonly part: ToolCallPart;
  readonly seq: number;
  readonly inspection: Inspection;
  started: boolean;
  approval: "unasked" | "asked" | "allowed" | "denied";
  /** How often somebody was asked about it; absent: never. */
  asks?: number;
  /** What the user has said to its question. */
  answer?: string;
  /** When the answer came, ms since the epoch; undefined: nobody knows any more. */
  answeredMs?: number | undefined;
}

export interface Steer {
  readonly steerId: string;
  readonly text: string;
}

export interface Injection {
  readonly injectionId: string;
  readonly text: string;
}

export interface Redirect {
  readonly redirectId: string;
  readonly text: string;
}

/** A reply that is not whole yet: what its cut attempts have brought and shown. It becomes one message (row C8). */
export interface CutReply {
  readonly text: string;
  readonly reasoning: string;
  /** What cut it last. */
  readonly by: "length" | "network";
  /** Calls that were on their way at the last cut. */
  readonly droppedTools: readonly string[];
  readonly times: number;
  /** How many of the cuts were the output limit's, and how many of those let nothing through but thoughts. */
  readonly byLength: number;
  readonly onlyThought: number;
}

/** Failures in a row that said the same. */
export interface Alike {
  readonly said: string;
  readonly times: number;
}

export const NOT_ALIKE: Alike = { said: "", times: 0 };

/** Owned by one driver and changed by `apply` alone; everyone else sees it through `View`. */
export interface TurnState {
  readonly setup: Setup;
  /** The session's append-only log; a batch reserves the slots of its receipts, so they read in the order asked. */
  readonly history: (Message | undefined)[];
  readonly open: Map<string, OpenCall>;
  readonly steers: Steer[];
  readonly injections: Injection[];
  readonly redirects: Redirect[];
  readonly budget: IterationBudget;
  readonly guard: Guard;
  readonly ledger: Ledger;
  readonly files: ChangedFiles;
  readonly gauge: Gauge;
  turnId: string;
  /** Who is asked next; the set-up's until a switch. */
  provider: string;
  model: string;
  price: Price | undefined;
  contextWindow: number | undefined;
  overhead: number | undefined;
  /** What the turn may spend, as it was when it began, and what has become of that; undefined: no limit. */
  limit: MoneyLimit | undefined;
  purse: Purse | undefined;
  /** What came with the message that began the turn. */
  asked: Pick<TurnStart, "route" | "system" | "retry">;
  /** Place of the turn's first message in the history. */
  firstSeq: number;
  /** Plug-ins have said what they have to say about the user's message (row A11). */
  advised: boolean;
  /** Everything below this place was in a request that may have left. */
  sentThrough: number;
  /** The newest message is a reply without tool calls. */
  answered: boolean;
  finish: Finish;
  failure: Failure | undefined;
  /** What could be done about it, as it was then. */
  circumstances: Circumstances | undefined;
  /** No other key, or no other model, could be taken for it. */
  keysSpent: boolean;
  /** The key that was sent could not be renewed. */
  notRenewed: boolean;
  /** Keys that were given up in this iteration. */
  rotations: number;
  /** A rate limit has had its plain retry in this iteration. */
  limited: boolean;
  /** How often in this turn a key was renewed, by the fingerprint it has now. */
  refreshes: Readonly<Record<string, number>>;
  chainSpent: boolean;
  /** The models that were left because of what they did, since a person last chose one. */
  tried: readonly ModelName[];
  /** How the newest attempt ended, where that was not a message or is not settled: `broken` = behind visible text. */
  reply: "none" | "empty" | "cut" | "broken";
  cut: CutReply | undefined;
  /** The attempt whose thoughts and half calls stand on screens, and will be asked for again. */
  retract: number | undefined;
  /** What was thought in the newest empty reply. */
  thought: ReasoningPart | undefined;
  /** The rung of this iteration, and all taken since there was a reply with something in it. */
  rung: EmptyRung | undefined;
  rungs: readonly EmptyRung[];
  /** Text beside the newest batch that was housekeeping alone (row B13). */
  housekeeping: string | undefined;
  /** Replies in a row of which no call could run. */
  invalidRounds: number;
  /** Tokens that are left for output, as the server said in this iteration, and how often it had to in this turn. */
  room: number | undefined;
  smaller: number;
  /** What the model that is asked was found not to take. */
  adjusted: Adjusted;
  /** The same of each that was asked in this session, by its name. */
  learnt: Learnt;
  attempt: number;
  /** An attempt started and has no end yet: its request may be on its way. */
  attemptOpen: boolean;
  /** Whom the newest attempt asked. */
  attemptModel: string;
  /** Fingerprint of the key it was sent with, or the next one will be, where there is more than one. */
  key: string | undefined;
  iteration: number;
  /** The iteration has an attempt behind it and no reply yet. */
  iterationOpen: boolean;
  /** Failed attempts of this iteration. */
  failures: number;
  retries: number;
  /** The open attempt ends by itself after so long, in ms. */
  attemptLimitMs: number | undefined;
  /** The next attempt waits so long, and until then, ms since the epoch. */
  retryDelayMs: number;
  retryUntilMs: number | undefined;
  /** What the newest failures said, and how many in a row said the same. */
  alike: Alike;
  refunded: number;
  grace: boolean;
  /** Times the inbox was drained (row B10), and how many of its messages the drain that goes on has delivered. */
  drains: number;
  drained: number;
  /** Redirects that were accepted (row B14). */
  redirected: number;
  /** Ms; set once the turn's time is over. */
  timeUp: number | undefined;
  resumes: number;
  parked: boolean;
  /** What of the history is sent, of this session; undefined: all of it. */
  compaction: Compaction | undefined;
  /** How many compactions of the session in a row have not helped. */
  strikes: number;
  /** How often this turn has left something out because a request was too large. */
  compactions: number;
  /** Nothing more can be left out. */
  incompressible: boolean;
  /** A model was asked for a summary, and nothing has come of it yet. */
  summarising: boolean;
  /** This turn has found that compactions do not help: none is made for pressure any more in this session. */
  struckOut: boolean;
  /** Of the newest request. */
  size: RequestSize | undefined;
  /** How the history was closed where the model gave no last word. */
  closing: "none" | "placeholder" | "partial";
  bug: string | undefined;
  interruptedBy: InterruptSource | undefined;
  interruptedCall: boolean;
  interruptMessage: string | undefined;
  usage: Usage;
  outcome: TurnOutcome | undefined;
}

/** What everyone but `apply` sees. */
export type View = Readonly<
  Omit<
    TurnState,
    "history" | "open" | "steers" | "injections" | "redirects" | "budget" | "guard" | "ledger" | "files" | "gauge"
  >
> & {
  readonly history: readonly (Message | undefined)[];
  readonly open: ReadonlyMap<string, Readonly<OpenCall>>;
  readonly steers: readonly Steer[];
  readonly injections: readonly Injection[];
  readonly redirects: readonly Redirect[];
  readonly budget: Readonly<IterationBudget>;
  readonly guard: GuardSeen;
  readonly ledger: Readonly<Ledger>;
  readonly files: FilesSeen;
  readonly gauge: Readonly<Gauge>;
};

/** What a turn takes over from the turns of its session before it, beside the history. */
export interface Inherited {
  readonly learnt?: Learnt | undefined;
  readonly compaction?: Compaction | undefined;
  readonly strikes?: number | undefined;
  readonly gauge?: Gauge | undefined;
}

/** What is counted of attempts and iterations, before the first. */
const NOTHING_ASKED = {
  attempt: 0,
  attemptOpen: false,
  iteration: 0,
  iterationOpen: false,
  failures: 0,
  retries: 0,
  attemptLimitMs: undefined,
  retryDelayMs: 0,
  retryUntilMs: undefined,
  alike: NOT_ALIKE,
  refunded: 0,
  grace: false,
};

/** What ladders remember, before anything failed. */
const NOTHING_TRIED = {
  failure: undefined,
  circumstances: undefined,
  keysSpent: false,
  notRenewed: false,
  rotations: 0,
  limited: false,
  refreshes: {},
  chainSpent: false,
  tried: [],
  reply: "none",
  cut: undefined,
  retract: undefined,
  thought: undefined,
  rung: undefined,
  rungs: [],
  housekeeping: undefined,
  invalidRounds: 0,
  room: undefined,
  smaller: 0,
} as const;

/** The state of a turn before its first fact; it takes over `history` and appends to it. */
export const initialState = (
  setup: Setup,
  history: (Message | undefined)[],
  { learnt = {}, compaction, strikes = 0, gauge = newGauge() }: Inherited = {},
): TurnState => ({
  setup,
  history,
  open: new Map(),
  steers: [],
  injections: [],
  redirects: [],
  budget: iterationBudget(setup.maxIterations),
  guard: newGuard(),
  ledger: newLedger(),
  files: newFiles(),
  gauge,
  turnId: "",
  provider: setup.provider,
  model: setup.model,
  price: setup.price,
  contextWindow: windowOf(gauge, setup),
  overhead: setup.overhead,
  limit: undefined,
  purse: undefined,
  asked: {},
  firstSeq: history.length,
  advised: false,
  sentThrough: history.length,
  answered: false,
  finish: "stop",
  ...NOTHING_TRIED,
  adjusted: adjustedFor(setup, learnt),
  learnt,
  ...NOTHING_ASKED,
  attemptModel: setup.model,
  key: undefined,
  drains: 0,
  drained: 0,
  redirected: 0,
  timeUp: undefined,
  resumes: 0,
  parked: false,
  compaction,
  strikes,
  compactions: 0,
  incompressible: false,
  summarising: false,
  struckOut: false,
  size: undefined,
  closing: "none",
  bug: undefined,
  interruptedBy: undefined,
  interruptedCall: false,
  interruptMessage: undefined,
  usage: NO_USAGE,
  outcome: undefined,
});
