import { setTimeout as delay } from "node:timers/promises";
import { knownBefore } from "../protocol/known-files.ts";
import type { KnownFile, Message, ToolCallPart } from "../protocol/message.ts";
import type { Seen } from "../protocol/ports.ts";
import type { CallTool, Claim, Inspection, ToolContext, ToolResult } from "../protocol/tool.ts";

/** What calls on behalf of a call are made with. */
export interface Hands {
  /** The tool that would run; undefined: none would. Loads what inspecting it needs. */
  readonly find: (call: ToolCallPart) => Promise<Found | undefined>;
  readonly inspect: (call: ToolCallPart, seen: Seen) => Inspection;
  readonly run: (call: ToolCallPart, context: ToolContext) => Promise<ToolResult>;
}

interface Found {
  readonly name: string;
  /** It outlives the call that it is made for: nobody would be there to be told of it. */
  readonly outlives: boolean;
  /** Others' words may stand in what it gives. */
  readonly untrusted: boolean;
}

export interface InnerCalls {
  readonly call: CallTool;
  /** Stops what still runs: nothing is called from here on. Comes back in two seconds at most. */
  readonly end: () => Promise<Made>;
}

/** What came of all of them. */
export interface Made {
  /** Files that they have written. */
  readonly files: readonly KnownFile[];
  /** Others' words may have come with what they gave. */
  readonly untrusted: boolean;
}

/** ms; as long as a turn waits for a tool that was interrupted. */
const SETTLE_MS = 2_000;

/** Calls of other tools that a running call makes (hermes.md §16, execute_code). */
export function innerCalls(outer: ToolContext, hands: Hands): InnerCalls {
  const over = new AbortController();
  const before = knownBefore(outer.history, outer.callId);
  const made: Message[] = [];
  const files: KnownFile[] = [];
  const running = new Set<Promise<unknown>>();
  /** Those that run now: what one opens counts for the next, as with calls of one reply. */
  const beside = new Set<ToolCallPart>();
  const inOrder = sideBySide();
  const { sessionId, unasked } = outer;
  let count = 0;
  let untrusted = false;
  const history = (): ToolContext["history"] => [...before, ...made];

  const run = async (call: ToolCallPart, found: Found, signal: AbortSignal): Promise<ToolResult> => {
    signal.throwIfAborted();
    const reply = [...beside, call];
    const seen = { history: history(), reply, canAsk: true, byRules: unasked !== undefined, sessionId };
    const inspection = hands.inspect(call, seen);
    if (inspection.refuse !== undefined) throw new Error(inspection.refuse);
    const { approved: _, approvedPlan: _plan, byRules: _rules, byPerson: _person, resumed: _again, ...same } = outer;
    const own = { ...same, callId: call.callId, history: seen.history, sentFrom: Infinity, signal };
    untrusted ||= found.untrusted;
    const allowed = permission(inspection, found.name, unasked);
    beside.add(call);
    const result = await hands.run(call, { ...own, ...allowed }).finally(() => beside.delete(call));
    made.push(...asMessages(call, result));
    files.push(...(result.files ?? []).filter(({ shown }) => shown === undefined));
    return result;
  };

  const start: CallTool = async (name, input, until) => {
    const signal = AbortSignal.any([outer.signal, over.signal, ...(until === undefined ? [] : [until])]);
    signal.throwIfAborted();
    const callId = `${outer.callId}.${++count}`;
    const written: ToolCallPart = { type: "tool-call", callId, name, input: JSON.stringify(input) };
    const call = (await outer.screen?.(written)) ?? written;
    const found = await hands.find(call);
    if (found?.outlives === true) throw new Error(callDirectly(found.name, "what it does outlives the call"));
    const { claim } = hands.inspect(call, { history: [], canAsk: true });
    return inOrder(claim, async () => run(call, found ?? UNKNOWN, signal));
  };

  return {
    call: (...asked) => {
      const result = start(...asked);
      const settled = result.catch(() => undefined).finally(() => running.delete(settled));
      running.add(settled);
      return result;
    },
    end: async () => {
      over.abort();
      if (running.size > 0) await Promise.race([Promise.all(running), delay(SETTLE_MS, undefined, { ref: false })]);
      return { files, untrusted };
    },
  };
}

const UNKNOWN: Found = { name: "", outlives: false, untrusted: false };

type Permission = Pick<ToolContext, "approved" | "approvedPlan" | "byRules">;

/** Whoever could say yes was not shown this call: what needs one runs where that was said beforehand, or not at all. */
function permission({ ask, plan, rules }: Inspection, name: string, unasked: ToolContext["unasked"]): Permission {
  if (ask === undefined) return {};
  if (rules !== undefined) return { byRules: true };
  if (unasked === "all") return { approved: ask, ...(plan !== undefined && { approvedPlan: plan.digest }) };
  throw new Error(callDirectly(name, `it needs a person's yes (${ask})`));
}

const callDirectly = (name: string, why: string): string =>
  `${name} was not run: ${why}, and nobody can be asked from within another call. Call ${name} directly.`;

/** For who asks of a session what was said, read and written in it before. */
const asMessages = (call: ToolCallPart, { text, failed, files }: ToolResult): Message[] => [
  { role: "assistant", parts: [call] },
  {
    role: "tool",
    callId: call.callId,
    status: failed === true ? "error" : "ok",
    parts: [{ type: "text", text }],
    ...(files !== undefined && { files }),
  },
];

/** At once, as calls of one reply. */
const MOST = 8;

/** What only looks runs side by side; what may change something runs alone; everything in the order it came (row E4). */
function sideBySide(): <T>(claim: Claim, work: () => Promise<T>) => Promise<T> {
  let turn: Promise<unknown> = Promise.resolve();
  let looking: Promise<unknown>[] = [];
  return (claim, work) => {
    const looks = claim.mode === "shared" || (claim.mode === "paths" && claim.writes.length === 0);
    if (!looks || looking.length === MOST) {
      turn = Promise.all([turn, ...looking]);
      looking = [];
    }
    const done = turn.then(work);
    const settled = done.catch(() => undefined);
    if (looks) looking.push(settled);
    else turn = settled;
    return done;
  };
}
