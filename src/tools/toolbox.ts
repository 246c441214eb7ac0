import type { ToolCallPart } from "../protocol/message.ts";
import type { Checkpoints } from "../protocol/checkpoint.ts";
import type { Inspector, RuleBook } from "../protocol/approval.ts";
import type { Seen, ToolPort } from "../protocol/ports.ts";
import type { ResultFiles } from "../protocol/result-file.ts";
import {
  EXCLUSIVE,
  SHARED,
  type Claim,
  type Inspection,
  type ResultJudgement,
  type Tool,
  type ToolContext,
  type ToolResult,
  type ToolSpec,
} from "../protocol/tool.ts";
import { reasonOf } from "../protocol/reason-of.ts";
import { readBefore, taintIn } from "../protocol/taint.ts";
import { withinLimit } from "../protocol/projection/receipts.ts";
import type { Arguments } from "./arguments.ts";
import { digestOf, rawSignature, signatureOf } from "./fingerprint.ts";
import { judgeResult } from "./judge-result.ts";
import { readCall, type Reading } from "./read-call.ts";
import { resultImages, resultText } from "./result-text.ts";
import { trustedIn } from "./trusted.ts";

export interface Toolbox {
  /** What the model is told, in the order the tools were given. */
  readonly specs: readonly ToolSpec[];
  readonly port: ToolPort;
  /** What would run for this call, repairs included; undefined when nothing would. */
  readonly read: (call: ToolCallPart) => { readonly name: string; readonly input: Arguments } | undefined;
}

/** What providers accept as a function name. */
const LEGAL_NAME = /^[A-Za-z0-9_-]{1,64}$/;

type Ready = Extract<Reading, { type: "ready" }>;

type Clean = (text: string) => string;

/** What stands around the tools of a session. */
export interface ToolboxOptions {
  /** Takes what nobody may see out of what tools say. */
  readonly clean?: Clean;
  /** Look at each call behind its tool's own verdict, in this order. */
  readonly inspectors?: readonly Inspector[];
  readonly rules?: RuleBook;
  readonly checkpoints?: Checkpoints;
  readonly results?: ResultFiles;
}

/**
 * The tools of one session (row E1), whose results are cleaned before anybody sees them. Throws for a name that is
 * illegal or given twice: that is a mistake of the program that lists its tools, never of a model.
 */
export function createToolbox(tools: readonly Tool[], { clean = asItIs }: ToolboxOptions = {}): Toolbox {
  const byName = register(tools);
  const isTrusted = trustedIn(byName);
  const taintOf = (reading: Ready, history: Seen["history"]): string | undefined =>
    isLasting(reading) ? taintIn(history, isTrusted) : undefined;
  // By the call itself, so what was read goes when the turn forgets the call.
  const readings = new WeakMap<ToolCallPart, Reading>();
  // The call may have been looked at by another process, long ago (decision 0003).
  const readingOf = (call: ToolCallPart): Reading => readings.get(call) ?? readCall(call, byName);
  return {
    specs: tools.map(({ name, description, parameters }) => ({ name, description, parameters })),
    port: {
      async ready(): Promise<void> {
        // A tool that is not ready cannot say whether it needs a question: then a person is asked.
        await Promise.allSettled(tools.map(async (tool) => tool.ready?.()));
      },
      inspect(call, seen): Inspection {
        const reading = readCall(call, byName);
        readings.set(call, reading);
        if (reading.type === "refuse") return refused(call, reading.why);
        const tainted = seen?.canAsk === true ? taintOf(reading, seen.history) : undefined;
        return inspectionOf(call, reading, questionOf(reading, tainted));
      },
      async run(call, context): Promise<ToolResult> {
        const reading = readingOf(call);
        if (reading.type === "refuse") throw new Error(reading.why);
        await reading.tool.ready?.();
        const read = taintOf(reading, readBefore(context.history, call.callId));
        const question = questionOf(reading, read);
        if (ownQuestion(reading) !== undefined && ![question, questionOf(reading)].includes(context.approved))
          throw new Error(CHANGED);
        if (isLasting(reading) && holdsSecret(reading.input, clean)) throw new Error(HOLDS_SECRET);
        // Who has said yes to the call knew what had been read before it.
        const isAllowed = context.byPerson === true && context.approved === question;
        const tainted = isAllowed ? undefined : read;
        const own = { ...context, output: (text: string): void => context.output(clean(text)) };
        return runTool(reading, tainted === undefined ? own : { ...own, tainted }, clean);
      },
    },
    read(call) {
      const reading = readingOf(call);
      return reading.type === "refuse" ? undefined : { name: reading.tool.name, input: reading.input };
    },
  };
}

const asItIs: Clean = (text) => text;

const refused = ({ input }: ToolCallPart, refuse: string): Inspection => ({
  claim: EXCLUSIVE,
  effect: "pure",
  refuse,
  signature: rawSignature(input),
});

function inspectionOf(call: ToolCallPart, reading: Ready, ask: string | undefined): Inspection {
  const { tool, input, certain } = reading;
  const claim = certain ? claimOf(tool, input) : EXCLUSIVE;
  const { effect, external, cosmetic } = tool;
  return {
    claim,
    effect,
    ...(ask !== undefined && { ask }),
    ...(tool.name !== call.name && { name: tool.name }),
    signature: signatureOf(call.input, input, cosmetic),
    ...(external === true && { external }),
  };
}

/** Of a call that cannot be judged, the worse is taken. */
function isLasting({ tool, input }: Ready): boolean {
  if (typeof tool.outlives !== "function") return tool.outlives === true;
  try {
    return tool.outlives(input);
  } catch {
    return true;
  }
}

/** Whoever reads this decides whether words of others are told to later sessions (security.md §3.9). */
const lastingQuestion = (tainted: string): string =>
  `What it writes is told to later sessions, and others' words were read in this one (${tainted}).`;

const CHANGED = "What this call touches changed after it was looked at, so it was not run. Call it again.";

const HOLDS_SECRET =
  "This holds a key, which must not be kept for later sessions, so it was not run. Leave the key out.";

function holdsSecret(input: Arguments, clean: Clean): boolean {
  const text = JSON.stringify(input);
  return clean(text) !== text;
}

function register(tools: readonly Tool[]): ReadonlyMap<string, Tool> {
  const byName = new Map<string, Tool>();
  for (const tool of tools) {
    if (!LEGAL_NAME.test(tool.name)) {
      throw new Error(`"${tool.name}" cannot be a tool name: use 1 to 64 letters, digits, "_" or "-".`);
    }
    if (byName.has(tool.name)) throw new Error(`Two tools are named "${tool.name}": give one of them another name.`);
    byName.set(tool.name, tool);
  }
  return byName;
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

/** Who is asked must know what would run, where that is not what the call says, and what it was written after. */
function questionOf(reading: Ready, tainted?: string): string | undefined {
  const why = [ownQuestion(reading), tainted && lastingQuestion(tainted)].filter((part) => part !== undefined);
  return why.length === 0 ? undefined : [...why, ...reading.repairs].join(" ");
}

function ownQuestion({ tool, input }: Ready): string | undefined {
  try {
    return tool.ask?.(input);
  } catch (error) {
    return `Whether ${tool.name} needs a question could not be decided: ${reasonOf(error)}`;
  }
}

/** Whatever comes of it, the model is told what was read otherwise than it was written. */
async function runTool({ tool, input, repairs }: Ready, context: ToolContext, clean: Clean): Promise<ToolResult> {
  context.signal.throwIfAborted();
  const note = repairs.length === 0 ? "" : `\n\n[${repairs.join(" ")}]`;
  try {
    const result = await tool.run(input, context);
    const text = clean(plain(resultText(tool.name, result)));
    const images = resultImages(result);
    const { failed, substance } = judged(tool, text);
    const digest = digestOf([substance, ...images.map(({ url }) => url)].join("\n"));
    const shown = images.length > 0 && { images };
    return { text: withinLimit(text) + note, digest, ...(failed && { failed }), ...shown };
  } catch (error) {
    throw new Error(withinLimit(clean(plain(reasonOf(error)))) + note, { cause: error });
  }
}

/** The call was made: a judge that throws does not take its result away. */
function judged(tool: Tool, text: string): ResultJudgement {
  try {
    return tool.judge?.(text) ?? judgeResult(text);
  } catch {
    return judgeResult(text);
  }
}

/** Most providers refuse lone surrogates and NUL; other control characters are for terminals, not for a model. */
const plain = (text: string): string => text.toWellFormed().replace(/[\p{Cc}--[\t\n\r]]/gv, "\uFFFD");
