import type { AttemptStart, CompactionFailed, Fact, HistoryCompacted } from "../protocol/fact.ts";
import type { Message } from "../protocol/message.ts";
import type { ModelName } from "../protocol/ports.ts";
import { messageTokens, textTokens } from "../protocol/token-estimate.ts";
import { type Family, familyOf } from "../protocol/token-family.ts";
import type { TurnState } from "./state.ts";

/** A compaction whose use is not known yet, in tokens. */
export interface Unjudged {
  readonly before: number;
  readonly after: number;
  /** `before` is what a server has counted. */
  readonly told: boolean;
  /** What the first request behind it weighed, but for what came since; undefined: none was counted yet. */
  readonly weighed: number | undefined;
}

/**
 * What the requests of a session weigh, in tokens: what servers have counted, and estimates where they have not. Lives as
 * long as the session is open; whoever opens it next begins with estimates.
 */
export interface Gauge {
  /** Of the messages below `through`, as they are sent; undefined: to be estimated from the beginning. */
  tokens: number | undefined;
  through: number;
  /** A server has counted most of them. */
  told: boolean;
  /** Whose count it is. */
  provider: string;
  model: string;
  /** What the newest request had by estimate, and what a server has counted of the one before it; 0: nothing. */
  asked: number | undefined;
  least: number;
  /** That estimate began with the first message, so that it shows how good estimates are. */
  scratch: boolean;
  /** As counted ÷ as estimated, by model. */
  factors: Readonly<Record<string, number>>;
  /** Windows that servers have named when they refused. */
  windows: Readonly<Record<string, number>>;
  /** Compactions for pressure since the newest reply. */
  passes: number;
  unjudged: Unjudged | undefined;
  /** A reply of this turn was given to less than what was sent, as far as is seen. */
  truncated: Truncated | undefined;
}

/** Tokens. */
export interface Truncated {
  readonly estimated: number;
  readonly told: number;
  /** It was recorded. */
  readonly said: boolean;
}

/** More compactions than this between two replies are no help (row A10). */
export const MAX_PASSES = 3;

/** A count below this share of what was sent is none (bug report COMP-10). */
const PLAUSIBLE = 0.6;
/** So many tokens must be missing before it is said. */
const WORTH_SAYING = 1_024;
/** No window is so small that less of a request is read: whoever counts less counts something else. */
const LEAST_READ = 1_024;
/** Estimates are never corrected by more. */
const [LEAST_FACTOR, LARGEST_FACTOR] = [0.5, 3] as const;

export const newGauge = (): Gauge => ({
  tokens: undefined,
  through: 0,
  told: false,
  provider: "",
  model: "",
  asked: undefined,
  least: 0,
  scratch: false,
  factors: {},
  windows: {},
  passes: 0,
  unjudged: undefined,
  truncated: undefined,
});

/** As it is kept for whoever runs a turn again; undefined: nothing is known yet. */
export function gaugeText(gauge: Readonly<Gauge>): string | undefined {
  const { asked, tokens, factors, windows, unjudged } = gauge;
  const isNew = [asked, tokens, unjudged].every((known) => known === undefined);
  return isNew && Object.keys({ ...factors, ...windows }).length === 0 ? undefined : JSON.stringify(gauge);
}

/** What `gaugeText` has written. */
export const gaugeIn = (text: string | undefined): Gauge =>
  text === undefined ? newGauge() : { ...newGauge(), ...(JSON.parse(text) as Partial<Gauge>) };

const nameOf = ({ provider, model }: ModelName): string => `${provider}/${model}`;

/** By how much estimates are wrong with this model, as far as is known. */
export const factorOf = ({ factors }: Readonly<Gauge>, name: ModelName): number => factors[nameOf(name)] ?? 1;

/** The window that a model has, where a server has said that it is smaller than what was known. */
export function windowOf(
  { windows }: Readonly<Gauge>,
  { contextWindow, ...name }: ModelName & { readonly contextWindow?: number | undefined },
): number | undefined {
  const told = windows[nameOf(name)];
  return told === undefined ? contextWindow : Math.min(told, contextWindow ?? told);
}

/** Enters what a fact says of how much is sent; called before the fact is applied. Constant cost. */
export function weigh(state: TurnState, fact: Fact): void {
  const { gauge } = state;
  switch (fact.type) {
    case "turn-start":
      gauge.passes = 0;
      gauge.truncated = undefined;
      return;
    case "attempt-start":
      return ask(state, fact);
    case "assistant-message":
      if (fact.message.interrupted !== true) count(state, fact, fact.seq + 1);
      return;
    case "reply-empty":
    case "reply-cut":
      return count(state, fact, state.history.length);
    case "model-failure":
      if (fact.failure.contextLimit !== undefined) narrow(state, fact.failure.contextLimit);
      return;
    case "model-switched":
      return forget(gauge);
    case "request-adjusted":
      // What is left out of the request does not weigh any more.
      if (!("maxOutput" in fact.adjustment)) forget(gauge);
      return;
    default:
      return weighCompaction(state, fact);
  }
}

function ask(state: TurnState, { tokens, grace, rung }: AttemptStart): void {
  const { gauge } = state;
  if (gauge.provider !== state.provider || gauge.model !== state.model) forget(gauge);
  gauge.scratch ||= gauge.tokens === undefined;
  // It may be without its tools, and weigh much less than what was before it.
  const isUnlike = grace === true || rung === "finalise";
  if (isUnlike) gauge.least = 0;
  gauge.asked = isUnlike ? undefined : tokens;
  if (tokens !== undefined) hold(state, tokens, state.history.length);
}

function weighCompaction(state: TurnState, fact: Fact): void {
  const { gauge } = state;
  switch (fact.type) {
    case "history-compacted":
      return weighLess(state, fact);
    case "compaction-failed":
      return weighTheSame(gauge, fact);
    case "compaction-judged":
      gauge.unjudged = undefined;
      return;
    case "request-truncated":
      gauge.truncated = { estimated: fact.estimated, told: fact.told, said: true };
      return;
    default:
  }
}

function weighLess(state: TurnState, { because, tokens }: HistoryCompacted): void {
  const { gauge } = state;
  const { before, told } = gauge.unjudged ?? { told: gauge.told, before: tokens?.before };
  forget(gauge);
  if (tokens !== undefined && before !== undefined) {
    // Several in a row are judged together.
    gauge.unjudged = { before, after: tokens.after, told, weighed: undefined };
    hold(state, tokens.after, state.history.length);
  }
  if (because !== "pressure") return;
  gauge.passes = tokens !== undefined && tokens.after >= tokens.before ? MAX_PASSES : gauge.passes + 1;
}

function weighTheSame(gauge: Gauge, { because, tokens }: CompactionFailed): void {
  if (because === undefined) return;
  gauge.passes = MAX_PASSES;
  // What leaves nothing out is of no use: that needs no request to be seen.
  if (tokens !== undefined) gauge.unjudged ??= { before: tokens, after: tokens, told: true, weighed: tokens };
}

function hold({ gauge, provider, model }: TurnState, tokens: number, through: number): void {
  gauge.tokens = tokens;
  gauge.through = through;
  gauge.provider = provider;
  gauge.model = model;
}

function forget(gauge: Gauge): void {
  gauge.tokens = undefined;
  gauge.told = false;
  gauge.scratch = false;
  gauge.least = 0;
}

function narrow(state: TurnState, limit: number): void {
  const { gauge, provider, model } = state;
  const window = Math.min(limit, state.contextWindow ?? limit);
  gauge.windows = { ...gauge.windows, [nameOf({ provider, model })]: window };
  state.contextWindow = window;
}

type Reply = Extract<Fact, { type: "assistant-message" | "reply-empty" | "reply-cut" }>;

/** What a server has counted is believed, unless it cannot be. `through`: the place behind the reply. */
function count(state: TurnState, reply: Reply, through: number): void {
  const { gauge } = state;
  const { usage } = reply;
  gauge.passes = 0;
  if (usage === undefined || usage.input <= 0 || isTooMuch(state, usage.input) || isTooLittle(state, usage.input))
    return judgeByEstimate(gauge);
  const { input, output } = usage;
  const { asked, unjudged } = gauge;
  correct(state, input);
  if (unjudged !== undefined && unjudged.weighed === undefined)
    gauge.unjudged = { ...unjudged, weighed: input - Math.max(0, (asked ?? 0) - unjudged.after) };
  // Thoughts do not all go back. Nothing is estimated where nobody asks for it.
  const back =
    state.contextWindow === undefined ? output : Math.min(output || Infinity, wordsOf(reply, familyOf(state.model)));
  hold(state, input + back, through);
  gauge.told = true;
  gauge.scratch = false;
  gauge.least = input;
}

/** An estimate of what of a reply goes back to the model. */
function wordsOf(reply: Reply, family: Family): number {
  if (reply.type === "assistant-message") return messageTokens(reply.message, family);
  return textTokens(reply.type === "reply-cut" ? reply.partial.text : (reply.reasoning?.text ?? ""), family);
}

/** A server that counts nothing lets nobody see whether a compaction has helped, and each may cost a summary. */
function judgeByEstimate(gauge: Gauge): void {
  const { unjudged } = gauge;
  if (unjudged !== undefined && unjudged.weighed === undefined)
    gauge.unjudged = { ...unjudged, told: false, weighed: unjudged.after };
}

/** Nobody answers what does not fit its window: whoever counts so much, of far less, counts something else. */
const isTooMuch = ({ gauge: { asked }, contextWindow: window }: TurnState, input: number): boolean =>
  asked !== undefined && window !== undefined && input > Math.max(window, asked * LARGEST_FACTOR);

function isTooLittle({ gauge, history }: TurnState, input: number): boolean {
  const { least, asked = least } = gauge;
  if (input >= PLAUSIBLE * Math.max(asked, least)) return false;
  if (!isPlain(history)) return input < PLAUSIBLE * least;
  // Half of a window stays where it is cut, and what was counted before was in it: whoever counts less counts otherwise.
  const isCut = input >= Math.max(LEAST_READ, least / 2) && asked - input >= WORTH_SAYING;
  if (isCut) gauge.truncated ??= { estimated: asked, told: input, said: false };
  return true;
}

/** An estimate of all that is sent shows how good estimates are. */
function correct({ gauge, provider, model, history }: TurnState, input: number): void {
  const { scratch, asked = 0 } = gauge;
  if (!scratch || asked === 0 || !isPlain(history)) return;
  const name = { provider, model };
  const factor = Math.min(Math.max((factorOf(gauge, name) * input) / asked, LEAST_FACTOR), LARGEST_FACTOR);
  gauge.factors = { ...gauge.factors, [nameOf(name)]: factor };
}

/** Thoughts may not be sent, and pictures weigh what a model makes of them: only texts are sure to be counted. */
const isPlain = (history: readonly (Message | undefined)[]): boolean =>
  history.every((message) => message?.parts.every(({ type }) => type !== "image" && type !== "reasoning") !== false);
