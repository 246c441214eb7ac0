import { type Compaction, shownHistory } from "../protocol/projection/compaction.ts";
import type { Message } from "../protocol/message.ts";
import { BETWEEN_PARTS, type BuiltPrompt, type PromptPart, type PromptState } from "../protocol/prompt.ts";
import { steerStatement } from "../protocol/steer-marker.ts";
import type { StoredPrompt, TimedFact } from "../protocol/store.ts";
import type { Fact } from "../protocol/fact.ts";
import { countMessage, countTool, type CountText, textTokens } from "../protocol/token-estimate.ts";
import { familyOf } from "../protocol/token-family.ts";
import type { ToolSpec } from "../protocol/tool.ts";

/** Messages, and about how many tokens they are. */
interface Amount {
  readonly messages: number;
  readonly tokens: number;
}

/** A part with about how many tokens it is. */
export interface ReportedPart extends Omit<PromptPart, "chars"> {
  readonly tokens: number;
}

/** What the next request of a session is made of; tokens are estimates unless they are said to be reported. */
export interface ContextReport {
  /** Null: a session that would begin now. */
  readonly sessionId: string | null;
  /** Null: none was found. */
  readonly model: string | null;
  readonly provider: string | null;
  /** All of it was counted with the tokenizer of the model. */
  readonly counted: boolean;
  readonly prompt: {
    /**
     * `kept`: as the session has it; `built`: as it would be built now; `rebuilt`: so too, as what the session has is for
     * another model or folder.
     */
    readonly state: "kept" | "built" | "rebuilt";
    readonly tokens: number;
    readonly parts: readonly ReportedPart[];
  };
  readonly tools: { readonly names: readonly string[]; readonly tokens: number };
  /** All that was said, and what of it is sent. */
  readonly history: Amount & { readonly sent: Amount };
  /** What is not sent of it, or shortened; null: all of it is sent. */
  readonly compaction: { readonly leftOut: number; readonly shortened: number; readonly summary: boolean } | null;
  /** Of the next request, before what is said next. */
  readonly tokens: number;
  /** What the newest request and its reply took, as the model's server reported it; null: nobody knows. */
  readonly reportedTokens: number | null;
  readonly contextWindow: number | null;
  /** How full the window is, from 0 to 1; null where it is not known. */
  readonly full: number | null;
}

export interface ContextAsked {
  /** Undefined: none was found. */
  readonly model: { readonly model: string; readonly provider: string } | undefined;
  readonly tools: readonly ToolSpec[];
  readonly contextWindow: number | undefined;
  /** What a session that began now would be told. */
  readonly newPrompt: () => Promise<BuiltPrompt>;
  /** Whether a stored prompt would be sent again; else why one is built. */
  readonly judgePrompt: (stored: StoredPrompt) => PromptState | "present";
  /** Counts with the tokenizer of the model; undefined: tokens are estimated. */
  readonly exact: CountText | undefined;
  /** Undefined: a session that would begin now. */
  readonly session:
    | {
        readonly sessionId: string;
        readonly history: readonly (Message | undefined)[];
        readonly facts: Iterable<TimedFact>;
        readonly prompt: StoredPrompt;
      }
    | undefined;
}

const STEERING = "what the user adds to results";

/** What the next request would be made of. */
export async function contextReport(asked: ContextAsked): Promise<ContextReport> {
  const { model = { model: null, provider: null }, tools: specs, contextWindow = null, session = NONE } = asked;
  const kept = keptOf(session.facts);
  const family = familyOf(model.model ?? "");
  const count = asked.exact ?? ((text: string): number => textTokens(text, family));
  const prompt = await promptOf(session.prompt, kept.parts, { ...asked, count });
  const tools = {
    names: specs.map(({ name }) => name),
    tokens: specs.reduce((sum, tool) => sum + countTool(tool, count), 0),
  };
  const sent = amountOf(shownHistory(session.history, kept.compaction), count);
  const tokens = prompt.tokens + tools.tokens + sent.tokens;
  return {
    sessionId: session.sessionId,
    model: model.model,
    provider: model.provider,
    counted: asked.exact !== undefined,
    prompt,
    tools,
    history: { ...amountOf(shownHistory(session.history, undefined), count), sent },
    compaction: kept.compaction === undefined ? null : compactionOf(kept.compaction),
    tokens,
    reportedTokens: kept.reported ?? null,
    contextWindow,
    full: contextWindow === null ? null : tokens / contextWindow,
  };
}

const NONE = { sessionId: null, history: [], facts: [], prompt: { state: "missing" } } as const;

async function promptOf(
  stored: StoredPrompt,
  kept: readonly PromptPart[] | undefined,
  { tools, newPrompt, judgePrompt, count }: ContextAsked & { readonly count: CountText },
): Promise<ContextReport["prompt"]> {
  const judged = judgePrompt(stored);
  const isKept = stored.state === "present" && judged === "present" && kept !== undefined;
  const own = partsIn(isKept ? { text: stored.text, parts: kept } : await newPrompt(), count);
  const steering = { tier: "volatile", name: STEERING, tokens: count(steerStatement("0".repeat(12))) } as const;
  const parts = tools.length === 0 ? own : [...own, steering];
  const tokens = parts.reduce((sum, part) => sum + part.tokens, 0);
  const state = isKept ? "kept" : judged === "stale_runtime" ? "rebuilt" : "built";
  return { state, tokens, parts };
}

function partsIn({ text, parts }: BuiltPrompt, count: CountText): ReportedPart[] {
  let at = 0;
  const counted = parts.map(({ chars, ...part }) => {
    const tokens = count(text.slice(at, at + chars));
    if (chars > 0) at += chars + BETWEEN_PARTS.length;
    return { ...part, tokens };
  });
  // Somebody else has written over what was kept: nobody knows its parts.
  const isWhole = at === (text === "" ? 0 : text.length + BETWEEN_PARTS.length);
  return isWhole ? counted : [{ tier: "stable", name: "all of it", tokens: count(text) }];
}

interface Kept {
  readonly parts?: readonly PromptPart[];
  readonly compaction?: Compaction;
  readonly reported?: number;
}

/** A fork sends what was sent at its place. */
const isCompacting = (fact: Fact): fact is Extract<Fact, { type: "history-compacted" | "session-forked" }> =>
  fact.type === "history-compacted" || fact.type === "session-forked";

/** The newest of each. */
function keptOf(facts: Iterable<TimedFact>): Kept {
  let kept: Kept = {};
  for (const { fact } of facts) {
    if (fact.type === "prompt-built") kept = { ...kept, parts: fact.parts };
    if (isCompacting(fact) && fact.compaction !== undefined) kept = { ...kept, compaction: fact.compaction };
    if (fact.type === "assistant-message" && fact.usage !== undefined)
      kept = { ...kept, reported: fact.usage.input + fact.usage.output };
  }
  return kept;
}

const amountOf = (messages: readonly Message[], count: CountText): Amount => ({
  messages: messages.length,
  tokens: messages.reduce((sum, message) => sum + countMessage(message, count), 0),
});

const compactionOf = ({ from, head = 0, cutBefore, summary }: Compaction): ContextReport["compaction"] => ({
  leftOut: Math.max(0, from - head),
  shortened: Math.max(0, cutBefore - from),
  summary: summary !== undefined,
});
