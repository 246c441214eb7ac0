import type { KnownFile, ToolCallPart } from "../protocol/message.ts";
import type { Checkpoints } from "../protocol/checkpoint.ts";
import type { Delegation } from "../protocol/delegation.ts";
import type { Inspector, RuleBook } from "../protocol/approval.ts";
import type { Seen, ToolPort } from "../protocol/ports.ts";
import type { ResultFiles } from "../protocol/result-file.ts";
import type { Inspection, Tool, ToolContext, ToolResult, ToolSpec } from "../protocol/tool.ts";
import { readBefore, taintIn } from "../protocol/taint.ts";
import type { KnownValues } from "../protocol/redact/known.ts";
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
import { outwardOf } from "./outward.ts";
import { readCall, type Reading } from "./read-call.ts";
import { type Knowing, redaction, type Redaction } from "./redaction.ts";
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

/** What stands around the tools of a session. */
export interface ToolboxOptions extends Knowing {
  /** Look at each call behind its tool's own verdict, in this order. */
  readonly inspectors?: readonly Inspector[];
  readonly rules?: RuleBook;
  readonly checkpoints?: Checkpoints;
  readonly results?: ResultFiles;
  /** Runs the child agents of its calls. */
  readonly delegation?: Delegation | undefined;
}

/**
 * The tools of one session (row E1), whose results are cleaned before anybody sees them. Throws for a name that is
 * illegal or given twice: that is a mistake of the program that lists its tools, never of a model.
 */
export function createToolbox(tools: readonly Tool[], options: ToolboxOptions = {}): Toolbox {
  const { known, learn, inspectors = [], rules, results, checkpoints, delegation } = options;
  const byName = register(tools);
  const isTrusted = trustedIn(byName);
  const secrets = redaction({ ...(known && { known }), ...(learn && { learn }) });
  const tell = teller({ clean: secrets.clean, files: results });
  const taintOf = (reading: Ready, history: Seen["history"]): string | undefined =>
    isLasting(reading) ? taintIn(history, isTrusted) : undefined;
  const outward = outwardOf(byName, isTrusted);
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
        const { sessionId, history = [] } = seen ?? {};
        const asked = { sessionId, byRules: seen?.byRules === true, tainted, outward: outward(reading, history) };
        return openly(inspectionOf(call, reading, judge(reading, asked)), known?.());
      },
      async run(call, context): Promise<ToolResult> {
        const reading = readingOf(call);
        if (reading.type === "refuse") throw new Error(reading.why);
        const ruled = context.byRules === true ? readRules?.ready() : undefined;
        await Promise.all([reading.tool.ready?.(), ruled, secrets.ready()]);
        const shown = secrets.pieces((text) => context.output(text));
        const given = delegation === undefined ? context : { ...context, delegation };
        const own = { ...given, output: shown.pass, ...keeping(context, secrets, results) };
        if (isStarted(reading, context)) return runTool(reading, own, tell, "resume").finally(shown.end);
        const before = readBefore(context.history, call.callId);
        const tainted = taintOf(reading, before);
        const { sessionId, byRules = false } = context;
        const judged = judge(reading, { sessionId, byRules, tainted, outward: outward(reading, before) });
        const question = checkAgain(reading, judged, context);
        await noteUse(judged, rules);
        checkSecrets(reading, secrets);
        // Who has said yes to the call knew what had been read before it.
        const isAllowed = context.byPerson === true && context.approved === question;
        const whole = tainted === undefined || isAllowed ? own : { ...own, tainted };
        const work = { checkpoints, asked: question !== undefined, run: () => runTool(reading, whole, tell) };
        return withChanges(reading, whole, work).finally(shown.end);
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

/** What was judged is shown and kept: what a shell fills in may hold a secret. The digest stays that of what would run. */
function openly(inspection: Inspection, known: KnownValues | undefined): Inspection {
  const { plan } = inspection;
  if (plan === undefined || known?.isIn(JSON.stringify(plan)) !== true) return inspection;
  const shown = JSON.parse(JSON.stringify(plan), (_key, value: unknown) =>
    typeof value === "string" ? known.redact(value) : value,
  ) as typeof plan;
  return { ...inspection, plan: { ...shown, digest: plan.digest } };
}

/** Whoever had started it had everybody's yes, and nothing is started now. */
const isStarted = (reading: Ready, { resumed }: ToolContext): boolean =>
  resumed === true && effectOf(reading) === "resumable";

/** What a tool keeps beside its result goes the same way. */
const keeping = (context: ToolContext, { clean }: Redaction, results: ResultFiles | undefined): Partial<ToolContext> =>
  results === undefined ? {} : { keep: (text) => results.keep(clean(text), context) };

/** A secret is not kept for later sessions, and no mark is written in the place of one. */
function checkSecrets(reading: Ready, { clean, holdsMark }: Redaction): void {
  const text = JSON.stringify(reading.input);
  if (isLasting(reading) && clean(text) !== text) throw new Error(HOLDS_SECRET);
  if (effectOf(reading) !== "pure" && holdsMark(text)) throw new Error(HOLDS_MARK);
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

const CHANGED = "What this call touches changed after it was looked at, so it was not run. Call it again.";

const NOT_KNOWN =
  "This was started before the program was interrupted; what became of it is not known. It was not started again.";

const HOLDS_SECRET =
  "This holds a key, which must not be kept for later sessions, so it was not run. Leave the key out.";

const HOLDS_MARK =
  "This holds a mark (‹redacted:…›) in the place of a secret, not the secret, so it was not run: the secret would be lost. " +
  "Leave that part as it is: name the variable or the file that holds the secret, or change other lines alone.";

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
