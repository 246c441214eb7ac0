import type { RuleBook } from "../protocol/approval.ts";
import type { Checkpoints } from "../protocol/checkpoint.ts";
import type { Delegation } from "../protocol/delegation.ts";
import type { KnownFile, ToolCallPart } from "../protocol/message.ts";
import type { ResultFiles } from "../protocol/result-file.ts";
import { whenWritten } from "../protocol/taint.ts";
import type { CallTool, ToolContext, ToolResult } from "../protocol/tool.ts";
import type { Hands, InnerCalls, Made } from "./inner-calls.ts";
import { type Asked, effectOf, type Judged, notRun, type Ready } from "./inspect-call.ts";
import { type Before, callsBefore } from "./outward.ts";
import type { Reading } from "./read-call.ts";
import type { Redaction } from "./redaction.ts";
import { isUntrusted } from "./results/fence.ts";
import type { Teller } from "./results/tell-result.ts";
import { type Keep, withChanges } from "./with-changes.ts";

/** What the calls of a session are run with. */
export interface Running {
  readonly readingOf: (call: ToolCallPart) => Reading;
  readonly inspect: Hands["inspect"];
  readonly judge: (reading: Ready, asked: Asked) => Judged;
  readonly taintOf: (reading: Ready, history: ToolContext["history"]) => string | undefined;
  readonly outward: (reading: Ready, said: Before) => () => readonly string[];
  readonly secrets: Redaction;
  readonly tell: Teller;
  readonly rules: RuleBook | undefined;
  /** The rules, where there is a tool that they could speak for. */
  readonly readRules: RuleBook | undefined;
  readonly checkpoints: Checkpoints | undefined;
  readonly results: ResultFiles | undefined;
  readonly delegation: Delegation | undefined;
}

type Run = (call: ToolCallPart, context: ToolContext, within?: Keep) => Promise<ToolResult>;

/** Runs calls as they are judged then; `within`: on behalf of a call that keeps what files are. Throws for a failed one. */
export function callRunner(running: Running): Run {
  const { readingOf, inspect, secrets, tell, readRules, checkpoints, results, delegation } = running;
  const find: Hands["find"] = async (call) => {
    const reading = readingOf(call);
    if (reading.type === "refuse") return undefined;
    const { tool } = reading;
    await Promise.all([tool.ready?.(), readRules?.ready()]);
    const outlives = effectOf(reading) === "resumable" || isLasting(reading);
    return { name: tool.name, outlives, untrusted: isUntrusted(tool) };
  };
  const run: Run = async (call, context, within) => {
    const reading = readingOf(call);
    if (reading.type === "refuse") throw new Error(reading.why);
    const ruled = context.byRules === true ? readRules?.ready() : undefined;
    await Promise.all([reading.tool.ready?.(), ruled, secrets.ready()]);
    const shown = secrets.pieces((text) => context.output(text));
    const given = delegation === undefined || within !== undefined ? context : { ...context, delegation };
    const own = { ...given, output: shown.pass, ...keeping(context, secrets, results) };
    if (isStarted(reading, context)) return runTool(reading, own, { tell, how: "resume" }).finally(shown.end);
    const { asked, tainted } = await mayRun(reading, call, { context, running });
    const whole = tainted === undefined ? own : { ...own, tainted };
    const around = { checkpoints, asked, within };
    return withChanges(reading, whole, around, async (keep) => {
      if (within !== undefined) return runTool(reading, whole, { tell, how: "inner" });
      const hands = { find, inspect, run: async (inner: ToolCallPart, its: ToolContext) => run(inner, its, keep) };
      return runTool(reading, whole, { tell, how: "run", hands });
    }).finally(shown.end);
  };
  return run;
}

const NOTHING_SAID: ReturnType<typeof whenWritten> = { before: [], reply: [] };

interface Now {
  readonly context: ToolContext;
  readonly running: Running;
}

/** Judged again, right before it runs. Throws for what may not. */
async function mayRun(
  reading: Ready,
  call: ToolCallPart,
  { context, running: { judge, taintOf, outward, rules, secrets } }: Now,
): Promise<{ readonly asked: boolean; readonly tainted: string | undefined }> {
  // The past of a long session is only looked at for calls that it matters to.
  const looksBack = isLasting(reading) || reading.tool.reaches !== undefined;
  const { before, reply } = looksBack ? whenWritten(context.history, call.callId) : NOTHING_SAID;
  const tainted = taintOf(reading, before);
  const { sessionId, byRules = false } = context;
  const beside = callsBefore(call, reply);
  const judged = judge(reading, { sessionId, byRules, tainted, outward: outward(reading, { before, beside }) });
  const question = checkAgain(reading, judged, context);
  await noteUse(judged, rules);
  checkSecrets(reading, secrets);
  // Who has said yes to the call knew what had been read before it.
  const isAllowed = context.byPerson === true && context.approved === question;
  return { asked: question !== undefined, tainted: isAllowed ? undefined : tainted };
}

/**
 * A yes allows the plan that was shown, or where there is none the question that was asked, and nothing else. Returns the
 * question as it is now; throws for what may not run.
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

/** What a tool keeps beside its result goes the same way. */
const keeping = (context: ToolContext, { clean }: Redaction, results: ResultFiles | undefined): Partial<ToolContext> =>
  results === undefined ? {} : { keep: (text) => results.keep(clean(text), context) };

/** A secret is not kept for later sessions, and no mark is written in the place of one. */
function checkSecrets(reading: Ready, { clean, holdsMark }: Redaction): void {
  const lasts = isLasting(reading);
  const changes = effectOf(reading) !== "pure";
  if (!lasts && !changes) return;
  const text = JSON.stringify(reading.input);
  if (lasts && clean(text) !== text) throw new Error(HOLDS_SECRET);
  if (changes && holdsMark(text)) throw new Error(HOLDS_MARK);
}

/** Of a call that cannot be judged, the worse is taken. */
export function isLasting({ tool, input }: Ready): boolean {
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

interface As {
  readonly tell: Teller;
  /** `inner`: on behalf of another call, which is told the bare result. */
  readonly how: "run" | "resume" | "inner";
  /** For calls on its behalf; absent: it cannot make any. */
  readonly hands?: Hands;
}

/** Whatever comes of it, the model is told what was read otherwise than it was written. */
async function runTool({ tool, input, repairs }: Ready, context: ToolContext, as: As): Promise<ToolResult> {
  context.signal.throwIfAborted();
  const note = repairs.length === 0 ? "" : `\n\n[${repairs.join(" ")}]`;
  const { tell, how, hands } = as;
  const files: KnownFile[] = [];
  const others = hands && callsBy(context, hands);
  const told = (made: Made) => {
    const fenced = how !== "inner" && (isUntrusted(tool) || made.untrusted);
    return { tool, context, note, fenced };
  };
  const own: ToolContext = { ...context, knows: (file) => files.push(file), ...(others && { call: others.call }) };
  const end = async (): Promise<Made> => (await others?.end()) ?? NOTHING;
  try {
    const given = await (how === "resume" ? (tool.resume?.(input, own) ?? NOT_KNOWN) : tool.run(input, own));
    const made = await end();
    const result = await tell.result(given, told(made));
    const known = [...files, ...made.files];
    return known.length === 0 ? result : { ...result, files: known };
  } catch (error) {
    throw new Error(await tell.failure(error, told(await end())), { cause: error });
  }
}

const NOTHING: Made = { files: [], untrusted: false };

/** Most calls make none. */
function callsBy(context: ToolContext, hands: Hands): InnerCalls {
  let opened: Promise<InnerCalls> | undefined;
  let isOver = false;
  const open = async (): Promise<InnerCalls> => (await import("./inner-calls.ts")).innerCalls(context, hands);
  const call: CallTool = async (...asked) => {
    if (isOver) throw new Error("The call on whose behalf this was to be done has ended.");
    return (await (opened ??= open())).call(...asked);
  };
  return {
    call,
    end: async () => {
      isOver = true;
      return (await opened)?.end() ?? NOTHING;
    },
  };
}
