import type { ToolCallPart } from "../protocol/message.ts";
import type { Checkpoints } from "../protocol/checkpoint.ts";
import type { Delegation } from "../protocol/delegation.ts";
import type { Inspector, RuleBook } from "../protocol/approval.ts";
import type { Seen, ToolPort } from "../protocol/ports.ts";
import type { ResultFiles } from "../protocol/result-file.ts";
import type { Inspection, Tool, ToolSpec } from "../protocol/tool.ts";
import { type IsTrusted, taintIn } from "../protocol/taint.ts";
import type { KnownValues } from "../protocol/redact/known.ts";
import type { Arguments } from "./arguments.ts";
import { type Asked, inspectionOf, judgeCall, type Judged, type Ready, refused } from "./inspect-call.ts";
import { callsBefore, outwardOf } from "./outward.ts";
import { readCall, type Reading } from "./read-call.ts";
import { type Knowing, redaction } from "./redaction.ts";
import { teller } from "./results/tell-result.ts";
import { callRunner, isLasting } from "./run-call.ts";
import { trustedIn } from "./trusted.ts";

export interface Toolbox {
  /** What the model is told, in the order the tools were given. */
  readonly specs: readonly ToolSpec[];
  readonly port: ToolPort;
  readonly tools: readonly Tool[];
  readonly isTrusted: IsTrusted;
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
  const inspect: ToolPort["inspect"] = (call, seen) => {
    const reading = readCall(call, byName);
    readings.set(call, reading);
    if (reading.type === "refuse") return refused(call, reading.why);
    const tainted = seen?.canAsk === true ? taintOf(reading, seen.history) : undefined;
    const { sessionId, history: before = [], reply = [] } = seen ?? {};
    const outwardly = outward(reading, { before, beside: callsBefore(call, reply) });
    const asked = { sessionId, byRules: seen?.byRules === true, tainted, outward: outwardly };
    return openly(inspectionOf(call, reading, judge(reading, asked)), known?.());
  };
  const run = callRunner({
    readingOf,
    inspect,
    judge,
    taintOf,
    outward,
    secrets,
    tell,
    rules,
    readRules,
    checkpoints,
    results,
    delegation,
  });
  return {
    tools,
    isTrusted,
    specs: tools.map(({ name, description, parameters }) => ({ name, description, parameters })),
    port: {
      async ready(): Promise<void> {
        // A tool that is not ready cannot say whether it needs a question: then a person is asked.
        await Promise.allSettled([...tools.map(async (tool) => tool.ready?.()), readRules?.ready()]);
      },
      inspect,
      run: async (call, context) => run(call, context),
    },
    read(call) {
      const reading = readingOf(call);
      return reading.type === "refuse" ? undefined : { name: reading.tool.name, input: reading.input };
    },
  };
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
