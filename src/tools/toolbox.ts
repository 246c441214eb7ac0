import type { KnownFile, ToolCallPart } from "../protocol/message.ts";
import type { Checkpoints } from "../protocol/checkpoint.ts";
import type { Inspector, RuleBook } from "../protocol/approval.ts";
import type { Seen, ToolPort } from "../protocol/ports.ts";
import type { ResultFiles } from "../protocol/result-file.ts";
import type { Inspection, Tool, ToolContext, ToolResult, ToolSpec } from "../protocol/tool.ts";
import { readBefore, taintIn } from "../protocol/taint.ts";
import type { Arguments } from "./arguments.ts";
import {
  type Asked,
  effectOf,
  inspectionOf,
  judgeCall,
  type Judged,
  notRun,
  type Ready,
  refused,
} from "./inspect-call.ts";
import { readCall, type Reading } from "./read-call.ts";
import { teller, type Teller } from "./results/tell-result.ts";
import { trustedIn } from "./trusted.ts";
import { withChanges } from "./with-changes.ts";

export interface Toolbox {
  /** What the model is told, in the order the tools were given. */
  readonly specs: readonly ToolSpec[];
  readonly port: ToolPort;
  /** What would run for this call, repairs included; undefined when nothing would. */
  readonly read: (call: ToolCallPart) => { readonly name: string; readonly input: Arguments } | undefined;
}

/** What providers accept as a function name. */
const LEGAL_NAME = /^[A-Za-z0-9_-]{1,64}$/;

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
export function createToolbox(tools: readonly Tool[], options: ToolboxOptions = {}): Toolbox {
  const { clean = asItIs, inspectors = [], rules, results, checkpoints } = options;
  const byName = register(tools);
  const isTrusted = trustedIn(byName);
  const tell = teller({ clean, files: results });
  const taintOf = (reading: Ready, history: Seen["history"]): string | undefined =>
    isLasting(reading) ? taintIn(history, isTrusted) : undefined;
  const judge = (reading: Ready, asked: Asked): Judged => judgeCall(reading, { inspectors, rules }, asked);
  const readRules = rules !== undefined && tools.some((tool) => tool.verdict !== undefined) ? rules : undefined;
  // By the call itself, so what was read goes when the turn forgets the call.
  const readings = new WeakMap<ToolCallPart, Reading>();
  // The call may have been looked at by another process, long ago (decision 0003).
  const readingOf = (call: ToolCallPart): Reading => readings.get(call) ?? readCall(call, byName);
  return {
    specs: tools.map(({ name, description, parameters }) => ({ name, description, parameters })),
    port: {
      async ready(): Promise<void> {
        // A tool that is not ready cannot say whether it needs a question: then a person is asked.
        await Promise.allSettled([...tools.map(async (tool) => tool.ready?.()), readRules?.ready()]);
      },
      inspect(call, seen): Inspection {
        const reading = readCall(call, byName);
        readings.set(call, reading);
        if (reading.type === "refuse") return refused(call, reading.why);
        const tainted = seen?.canAsk === true ? taintOf(reading, seen.history) : undefined;
        const asked = { sessionId: seen?.sessionId, byRules: seen?.byRules === true, tainted };
        return inspectionOf(call, reading, judge(reading, asked));
      },
      async run(call, context): Promise<ToolResult> {
        const reading = readingOf(call);
        if (reading.type === "refuse") throw new Error(reading.why);
        await Promise.all([reading.tool.ready?.(), readRules?.ready()]);
        if (isStarted(reading, context)) return runTool(reading, context, tell, "resume");
        const tainted = taintOf(reading, readBefore(context.history, call.callId));
        const { sessionId, byRules = false } = context;
        const asked = { sessionId, byRules, tainted };
        const judged = judge(reading, asked);
        const question = checkAgain(reading, judged, context);
        await noteUse(judged, rules);
        if (isLasting(reading) && holdsSecret(reading.input, clean)) throw new Error(HOLDS_SECRET);
        // Who has said yes to the call knew what had been read before it.
        const isAllowed = context.byPerson === true && context.approved === question;
        const own = { ...context, ...outlets(context, clean, results) };
        const whole = tainted === undefined || isAllowed ? own : { ...own, tainted };
        return withChanges(reading, whole, { checkpoints, run: () => runTool(reading, whole, tell) });
      },
    },
    read(call) {
      const reading = readingOf(call);
      return reading.type === "refuse" ? undefined : { name: reading.tool.name, input: reading.input };
    },
  };
}

/**
 * What is judged again, right before it runs: a yes allows the plan that was shown, or where there is none the question that
 * was asked, and nothing else. Returns the question as it is now; throws for what may not run.
 */
function checkAgain({ tool }: Ready, judged: Judged, context: ToolContext): string | undefined {
  if (judged.type === "deny") throw new Error(notRun(tool, judged.why));
  const { question, untainted, plan, rules } = judged;
  if (untainted === undefined || rules !== undefined) return question;
  const isAllowed =
    plan === undefined ? [question, untainted].includes(context.approved) : context.approvedPlan === plan.digest;
  if (!isAllowed) throw new Error(CHANGED);
  return question;
}

async function noteUse(judged: Judged, rules: RuleBook | undefined): Promise<void> {
  if (judged.type === "open" && judged.rules !== undefined) await rules?.used(judged.rules);
}

/** Whoever had started it had everybody's yes, and nothing is started now. */
const isStarted = (reading: Ready, { resumed }: ToolContext): boolean =>
  resumed === true && effectOf(reading) === "resumable";

/** What a tool says beside its result goes the same way. */
function outlets(context: ToolContext, clean: Clean, results: ResultFiles | undefined): Partial<ToolContext> {
  const output = (text: string): void => context.output(clean(text));
  if (results === undefined) return { output };
  return { output, keep: (text) => results.keep(clean(text), context) };
}

const asItIs: Clean = (text) => text;

/** Of a call that cannot be judged, the worse is taken. */
function isLasting({ tool, input }: Ready): boolean {
  if (typeof tool.outlives !== "function") return tool.outlives === true;
  try {
    return tool.outlives(input);
  } catch {
    return true;
  }
}

const CHANGED = "What this call touches changed after it was looked at, so it was not run. Call it again.";

const NOT_KNOWN =
  "This was started before the program was interrupted; what became of it is not known. It was not started again.";

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

/** Whatever comes of it, the model is told what was read otherwise than it was written. */
async function runTool(
  { tool, input, repairs }: Ready,
  context: ToolContext,
  tell: Teller,
  how: "run" | "resume" = "run",
): Promise<ToolResult> {
  context.signal.throwIfAborted();
  const told = { tool, context, note: repairs.length === 0 ? "" : `\n\n[${repairs.join(" ")}]` };
  try {
    const files: KnownFile[] = [];
    const own: ToolContext = { ...context, knows: (file) => files.push(file) };
    const given = await (how === "resume" ? (tool.resume?.(input, own) ?? NOT_KNOWN) : tool.run(input, own));
    const result = await tell.result(given, told);
    return files.length === 0 ? result : { ...result, files };
  } catch (error) {
    throw new Error(await tell.failure(error, told), { cause: error });
  }
}
