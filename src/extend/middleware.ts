import type { ExtendedTurn, Middleware, ModelCall, ToolRequestAnswer } from "../protocol/extension.ts";
import { isObject, type JsonObject } from "../protocol/json.ts";
import { callsOf, type Message, type ToolCallPart } from "../protocol/message.ts";
import type { Usage } from "../protocol/outcome.ts";
import type { ModelReply, Seen, ToolPort } from "../protocol/ports.ts";
import { EXCLUSIVE, type ToolContext, type ToolResult } from "../protocol/tool.ts";
import { frozen } from "./freeze.ts";
import { type Guard, type Guest, guest } from "./guard.ts";

/** What would run for a call: its tool and arguments as they were understood. */
export type ReadCall = (call: ToolCallPart) => { readonly name: string; readonly input: JsonObject } | undefined;

export interface MiddlewareEntry {
  readonly who: Guest;
  readonly middleware: Middleware;
}

export const middlewareEntry = (middleware: Middleware): MiddlewareEntry => ({
  who: guest("middleware", { name: middleware.name }),
  middleware,
});

/** The model call with everything around it: the first entry is the outermost. */
export async function callThrough(
  entries: readonly MiddlewareEntry[],
  call: Omit<ModelCall, "signal"> & { readonly stop: AbortSignal },
  send: () => Promise<ModelReply>,
  guard: Guard,
): Promise<ModelReply> {
  const [entry, ...inner] = entries;
  if (entry === undefined) return send();
  const { who, middleware } = entry;
  let made: Promise<ModelReply> | undefined;
  const make = (): Promise<ModelReply> => (made ??= callThrough(inner, call, send, guard));
  if (middleware.modelCall === undefined) return make();
  const { stop, ...seen } = call;
  const reply = await guard.call({
    who,
    what: "modelCall",
    stop,
    work: async (signal, limit) => {
      const asking = async (): Promise<ModelReply> => {
        limit.pause();
        const got = frozen(await make());
        limit.go();
        return got;
      };
      const next = (): Promise<ModelReply> => {
        const got = asking();
        // Who does not wait for it still leaves no rejection behind; ours comes from `make`.
        got.catch(() => undefined);
        return got;
      };
      const answered: unknown = await middleware.modelCall?.(Object.freeze({ ...seen, signal }), next);
      return accepted(answered, await made, call.messages);
    },
  });
  return reply ?? make();
}

/** The reply of the model, or a message that can stand in its place; throws for anything else. */
function accepted(answered: unknown, made: ModelReply | undefined, history: readonly Message[]): ModelReply {
  if (made !== undefined && answered === made) return made;
  const message = isObject(answered) && answered["type"] === "message" ? answered["message"] : undefined;
  if (!isObject(message) || message["role"] !== "assistant" || !isParts(message["parts"]))
    throw new Error("it returned neither the reply of next() nor a message");
  // Ours from here on: whatever the guest does to its own copy later.
  const own = structuredClone({ role: "assistant", parts: message["parts"] } as const);
  const ids = idsOf(callsOf(own));
  const taken = new Set(history.flatMap((said) => (said.role === "assistant" ? idsOf(callsOf(said)) : [])));
  if (new Set(ids).size < ids.length || ids.some((id) => taken.has(id)))
    throw new Error("it returned a tool call with an id that is taken");
  return { type: "message", message: own, finish: ids.length > 0 ? "tool_calls" : "stop", ...usageOf(made) };
}

/** What the model took is paid, whatever stands in the place of its reply. */
function usageOf(made: ModelReply | undefined): { usage?: Usage } {
  const usage = made === undefined || made.type === "aborted" ? undefined : made.usage;
  return usage === undefined ? {} : { usage };
}

const idsOf = (calls: readonly ToolCallPart[]): string[] => calls.map((call) => call.callId);

type Parts = Extract<ModelReply, { type: "message" }>["message"]["parts"];

const isParts = (value: unknown): value is Parts => Array.isArray(value) && value.length > 0 && value.every(isPart);

function isPart(part: unknown): boolean {
  if (!isObject(part)) return false;
  const { type, text, callId, name, input } = part;
  if (type === "tool-call") return [callId, name, input].every((field) => typeof field === "string" && field !== "");
  return (type === "text" || type === "reasoning") && typeof text === "string";
}

/** The tools with everything that stands before them. */
export class GuardedTools implements ToolPort {
  private readonly entries: readonly MiddlewareEntry[];
  private readonly turn: ExtendedTurn;
  private readonly guard: Guard;
  private readonly read: ReadCall;

  constructor(
    entries: readonly MiddlewareEntry[],
    turn: ExtendedTurn,
    { guard, read }: { guard: Guard; read: ReadCall },
  ) {
    this.entries = entries.filter(({ middleware }) => middleware.toolRequest !== undefined);
    this.turn = turn;
    this.guard = guard;
    this.read = read;
  }

  /** Nobody knows yet which paths a call will touch that may run with other arguments: it runs alone. */
  inspect(call: ToolCallPart, seen?: Seen): ReturnType<ToolPort["inspect"]> {
    const inspection = this.turn.ports.tools.inspect(call, seen);
    if (this.entries.length === 0 || inspection.claim.mode !== "paths") return inspection;
    return { ...inspection, claim: EXCLUSIVE };
  }

  async run(call: ToolCallPart, context: ToolContext): Promise<ToolResult> {
    const current = await this.through(call, context);
    const { tools } = this.turn.ports;
    const screened = { ...context, screen: async (inner: ToolCallPart) => this.through(inner, context) };
    if (current === call) return tools.run(call, screened);
    const { approved: _, approvedPlan: _plan, byRules: _rules, ...unapproved } = screened;
    return tools.run(current, unapproved);
  }

  /** The call as it may run; throws for one that may not. */
  private async through(call: ToolCallPart, context: ToolContext): Promise<ToolCallPart> {
    let current = call;
    for (const entry of this.entries) {
      const answer = await this.ask(entry, current, context);
      if (answer === undefined) continue;
      if ("veto" in answer) throw new Error(`Not run: ${entry.who.label} refused it: ${answer.veto}`);
      current = { ...call, input: JSON.stringify(answer.arguments) };
    }
    return current;
  }

  private async ask(
    { who, middleware }: MiddlewareEntry,
    call: ToolCallPart,
    { signal: stop }: ToolContext,
  ): Promise<ToolRequestAnswer | undefined> {
    const understood = this.read(call);
    if (understood === undefined) return undefined;
    const { sessionId, turnId } = this.turn;
    const { name, input } = understood;
    const seen = { sessionId, turnId, callId: call.callId, name, arguments: frozen(structuredClone(input)) };
    return this.guard.call({
      who,
      what: "toolRequest",
      stop,
      work: async (signal) => answerOf(await middleware.toolRequest?.(Object.freeze({ ...seen, signal }))),
    });
  }
}

/** Copied, so that the guest cannot change it later; throws for what is no answer. */
function answerOf(answered: unknown): ToolRequestAnswer | undefined {
  if (answered === undefined) return undefined;
  if (isObject(answered) && typeof answered["veto"] === "string") return { veto: answered["veto"] };
  if (isObject(answered) && isObject(answered["arguments"]))
    return { arguments: JSON.parse(JSON.stringify(answered["arguments"])) as JsonObject };
  throw new Error("it returned neither arguments nor a veto");
}
