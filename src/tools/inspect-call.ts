import type { InspectedCall, Inspector, Plan, RuleBook, Verdict } from "../protocol/approval.ts";
import { isObject } from "../protocol/json.ts";
import type { ToolCallPart } from "../protocol/message.ts";
import { reasonOf } from "../protocol/reason-of.ts";
import { EXCLUSIVE, SHARED, type Claim, type Effect, type Inspection, type Tool } from "../protocol/tool.ts";
import type { Arguments } from "./arguments.ts";
import { placeSignature, rawSignature, signatureOf } from "./fingerprint.ts";
import type { Reading } from "./read-call.ts";

export type Ready = Extract<Reading, { type: "ready" }>;

/** What a call is judged with, beside its tool. */
export interface Judges {
  readonly inspectors: readonly Inspector[];
  readonly rules: RuleBook | undefined;
}

/** When and for whom a call is judged. */
export interface Asked {
  readonly sessionId: string | undefined;
  /** What people have allowed for good counts. */
  readonly byRules: boolean;
  /** What brought others' words into a conversation that this call writes into later ones; undefined: nothing. */
  readonly tainted: string | undefined;
  /** What a person is asked because of where the call reaches to, and of what was read before; empty: nothing. */
  readonly outward: () => readonly string[];
}

/** What all who look at a call make of it. */
export type Judged =
  | { readonly type: "deny"; readonly why: string }
  | {
      readonly type: "open";
      /** All that a person is asked; undefined: it may run. */
      readonly question: string | undefined;
      /** The same without what others' words are the reason for. */
      readonly untainted: string | undefined;
      readonly plan: Plan | undefined;
      /** The rules that answer the tool's own question; undefined also where an inspector that was added has one. */
      readonly rules: readonly string[] | undefined;
    };

/**
 * In this order: the floor and the policy, which are the tool's own verdict; the rules, which answer that one question and
 * no other; others' words; and those that were added. The strictest counts. What was refused in the same turn is not asked
 * again: the turn knows that, and sees to it.
 */
export function judgeCall(reading: Ready, { inspectors, rules }: Judges, asked: Asked): Judged {
  const own = ownVerdict(reading);
  if (own.type === "deny") return own;
  const added = addedVerdicts(reading, own, inspectors, asked.sessionId);
  const refused = added.find((verdict) => verdict.type === "deny");
  if (refused !== undefined) return refused;
  const asks = added.filter((verdict) => verdict.type === "ask");
  const outward = asked.outward();
  const others = [...outward, ...asks.map(({ why }) => why)];
  const why = own.type === "ask" ? [own.why, ...others] : others;
  const { sessionId, byRules } = asked;
  const covers = byRules && own.type === "ask" && others.length === 0;
  return {
    type: "open",
    question:
      asked.tainted === undefined ? questionOf(reading, why) : questionOf(reading, tainted(own, asked.tainted, others)),
    untainted: questionOf(reading, why),
    plan: planIn([own, ...asks], outward.length > 0),
    rules: covers && own.plan !== undefined ? rules?.covers(own.plan.parts, sessionId) : undefined,
  };
}

const tainted = (own: Verdict, source: string, others: readonly string[]): string[] => [
  ...(own.type === "ask" ? [own.why] : []),
  lastingQuestion(source),
  ...others,
];

/** A rule does not speak for words that it has not read: none can be learned from a question that they are the reason for. */
function planIn(verdicts: readonly Verdict[], isOutward: boolean): Plan | undefined {
  const asking = verdicts.find((verdict) => verdict.type === "ask" && verdict.plan !== undefined);
  const plan = asking?.type === "ask" ? asking.plan : undefined;
  if (plan === undefined || !isOutward) return plan;
  return { ...plan, parts: plan.parts.map(({ why, words }) => ({ why, words })) };
}

/** Whoever reads this decides whether words of others are told to later sessions (security.md §3.9). */
const lastingQuestion = (source: string): string =>
  `What it writes is told to later sessions, and others' words were read in this one (${source}).`;

/** Who is asked must know what would run, where that is not what the call says. */
const questionOf = ({ repairs }: Ready, why: readonly string[]): string | undefined =>
  why.length === 0 ? undefined : [...why, ...repairs].join(" ");

function ownVerdict({ tool, input }: Ready): Verdict {
  try {
    if (tool.verdict !== undefined) return understood(tool.verdict(input));
    const why = tool.ask?.(input);
    return why === undefined ? { type: "auto" } : { type: "ask", why };
  } catch (error) {
    return { type: "ask", why: `Whether ${tool.name} needs a question could not be decided: ${reasonOf(error)}` };
  }
}

/** One that throws, or says what nobody understands, means that a person is asked. */
function addedVerdicts(
  { tool, input }: Ready,
  own: Verdict,
  inspectors: readonly Inspector[],
  sessionId: string | undefined,
): Verdict[] {
  const verdicts: Verdict[] = [];
  for (const inspector of inspectors) {
    const verdict = strictest([own, ...verdicts]);
    const call: InspectedCall = {
      name: tool.name,
      // What an inspector does to its own copy changes nothing in what runs.
      input: structuredClone(input),
      ...(sessionId !== undefined && { sessionId }),
      verdict,
    };
    try {
      const made = inspector.inspect(call);
      if (made !== undefined) verdicts.push(understood(made));
    } catch (error) {
      verdicts.push({ type: "ask", why: `${inspector.name} could not look at it: ${reasonOf(error)}` });
    }
  }
  return verdicts;
}

const STRICT: Readonly<Record<Verdict["type"], number>> = { auto: 0, ask: 1, deny: 2 };

const strictest = (verdicts: readonly Verdict[]): Verdict =>
  verdicts.reduce((worst, verdict) => (STRICT[verdict.type] > STRICT[worst.type] ? verdict : worst), {
    type: "auto",
  });

/** Throws for what is none: others write tools and inspectors too. */
function understood(verdict: unknown): Verdict {
  const type = isObject(verdict) ? verdict["type"] : undefined;
  const hasWhy = isObject(verdict) && typeof verdict["why"] === "string";
  if (type === "auto" || (hasWhy && (type === "ask" || type === "deny"))) return verdict as Verdict;
  throw new Error("it gave no verdict that can be understood");
}

/** The inspection of a call that will not run, whoever says yes. */
export const refused = ({ input }: ToolCallPart, refuse: string): Inspection => ({
  claim: EXCLUSIVE,
  effect: "pure",
  refuse,
  signature: rawSignature(input),
});

/** What is recorded with the call. */
export function inspectionOf(call: ToolCallPart, reading: Ready, judged: Judged): Inspection {
  const { tool, input, certain } = reading;
  const name = tool.name !== call.name && { name: tool.name };
  if (judged.type === "deny") return { ...refused(call, notRun(tool, judged.why)), ...name, ...outsideOf(reading) };
  const { question, untainted, plan } = judged;
  // A rule does not speak for words that it has not read.
  const rules = question === untainted ? judged.rules : undefined;
  const claim = certain ? claimOf(tool, input) : EXCLUSIVE;
  const { external, cosmetic } = tool;
  return {
    claim,
    effect: effectOf(reading),
    ...(question !== undefined && { ask: question, ...(plan && { plan }), ...(rules && { rules }) }),
    ...name,
    signature: signatureOf(call.input, input, cosmetic),
    ...(external === true && { external }),
    ...questionTo(reading),
    // What a verdict lets run has nothing to do with what lies outside.
    ...((question !== undefined || tool.verdict === undefined) && outsideOf(reading)),
  };
}

/** One that cannot be read asks nobody: the tool says what is wrong with it. */
function questionTo({ tool, input }: Ready): Pick<Inspection, "question"> {
  const asked = tool.question?.(input);
  return asked === undefined ? {} : { question: asked };
}

/** What cannot be told is no place. */
function outsideOf({ tool, input }: Ready): Pick<Inspection, "outside"> {
  try {
    const path = tool.outside?.(input);
    return path === undefined ? {} : { outside: placeSignature(path) };
  } catch {
    return {};
  }
}

/** What a model is told of a call that is refused in every mode. */
export const notRun = ({ name }: Tool, why: string): string => `${name} was not run: ${why}`;

/** An effect that cannot be told is the careful one. */
export function effectOf({ tool, input }: Ready): Effect {
  if (typeof tool.effect !== "function") return tool.effect;
  try {
    return tool.effect(input);
  } catch {
    return "effect";
  }
}

/** A claim that cannot be told is the careful one (design §5.5). */
function claimOf(tool: Tool, input: Arguments): Claim {
  if (tool.concurrency === "shared") return SHARED;
  if (tool.concurrency === "exclusive" || tool.claim === undefined) return EXCLUSIVE;
  try {
    const claim = tool.claim(input);
    // Written anew: what a tool hands out may hold what no journal takes.
    if (claim.mode === "paths") return { mode: "paths", reads: [...claim.reads], writes: [...claim.writes] };
    return claim.mode === "shared" ? SHARED : EXCLUSIVE;
  } catch {
    return EXCLUSIVE;
  }
}
