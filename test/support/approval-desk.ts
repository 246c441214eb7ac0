import type { PlanPart, RuleBook, Verdict } from "../../src/protocol/approval.ts";
import type { Fact } from "../../src/protocol/fact.ts";
import { assistantText, type AssistantMessage } from "../../src/protocol/message.ts";
import type { Clock, Model } from "../../src/protocol/ports.ts";
import type { Store } from "../../src/protocol/store.ts";
import type { Tool, ToolContext } from "../../src/protocol/tool.ts";
import { Lane } from "../../src/session/lane.ts";
import { memoryStore } from "../../src/store/memory.ts";
import { openRuleBook } from "../../src/tools/approval/rule-book.ts";
import { createToolbox } from "../../src/tools/toolbox.ts";
import { type ApprovalPolicy, UNATTENDED } from "../../src/turn/state.ts";

/** What the one tool says of its one call. */
export type Kind = "auto" | "question" | "plan" | "never" | "deny";

export const SESSION = "s";
const GRANT = { tool: "act", program: "/bin/act", prefix: ["on"], folder: "/work" };

export const PART: PlanPart = { why: "it acts", words: ["on", "it"], grant: GRANT };

const verdictOf = (kind: Kind, digest: string): Verdict => {
  if (kind === "auto") return { type: "auto" };
  if (kind === "deny") return { type: "deny", why: "it must not be" };
  if (kind === "question") return { type: "ask", why: "it acts" };
  const { grant: _, ...unlearnable } = PART;
  return { type: "ask", why: "it acts", plan: { digest, shown: [], parts: [kind === "plan" ? PART : unlearnable] } };
};

export interface DeskOptions {
  /** The tool writes for later sessions. */
  readonly lasts?: boolean;
  /** Ids of the calls of each turn; one of its own when absent. */
  readonly calls?: readonly string[];
  /** How long a turn may take, which ends with `endTime`, ms. */
  readonly maxTimeMs?: number;
  /** The model calls the tool again, whatever came of it. */
  readonly insists?: boolean;
}

/** Sessions with one tool, a model that calls it once in each turn, and rules, all in memory. */
export class ApprovalDesk {
  /** Milliseconds since the epoch: about the time of whoever decides elsewhere. */
  nowMs: number = Date.now();
  /** What the call would run; another one by the time it runs is another call. */
  digest = "d";
  readonly ran: ToolContext[] = [];
  readonly rules: RuleBook;
  readonly store: Store = memoryStore();
  private text: string | undefined;
  private readonly kind: Kind;
  private readonly options: DeskOptions;
  private readonly time: AbortController = new AbortController();
  private ids = 0;

  constructor(kind: Kind, options: DeskOptions = {}) {
    this.kind = kind;
    this.options = options;
    const change = (how: (text: string | undefined) => string): Promise<void> =>
      Promise.resolve().then(() => void (this.text = how(this.text)));
    const file = { read: () => this.text, change };
    this.rules = openRuleBook(file, { cwd: "/work", now: () => this.nowMs, contentOf: () => undefined });
  }

  /** A process that works in the session under this policy. */
  async lane(approvals: ApprovalPolicy, sessionId: string = SESSION): Promise<Lane> {
    return new Lane({
      stored: await this.store.open(sessionId),
      setup: { model: "m", provider: "p", maxIterations: 5, approvals, ...UNATTENDED },
      about: { provider: "p", baseUrl: "", source: "test" },
      tools: createToolbox([this.tool()], { rules: this.rules }),
      open: () => ({ model: this.model() }),
      ports: {
        compactor: { compact: () => undefined },
        clock: this.clock(),
        random: () => 0,
      },
      newId: () => `id${this.ids++}`,
      log: () => {},
      rules: this.rules,
      maxTimeMs: this.options.maxTimeMs,
    });
  }

  /** The time of the turn is over. */
  endTime(): void {
    this.time.abort();
  }

  facts(): readonly Fact[] {
    return this.store.turn("last")?.facts.map(({ fact }) => fact) ?? [];
  }

  private clock(): Clock {
    return {
      now: () => this.nowMs,
      elapsed: () => this.nowMs,
      sleep: (ms, signal) => untilAborted(this.limited(ms, signal)),
    };
  }

  private limited(ms: number, signal: AbortSignal): AbortSignal {
    return ms === this.options.maxTimeMs ? AbortSignal.any([signal, this.time.signal]) : signal;
  }

  private tool(): Tool {
    return {
      name: "act",
      description: "Acts.",
      parameters: { type: "object" },
      effect: "effect",
      concurrency: "exclusive",
      trusted: true,
      ...(this.options.lasts === true && { outlives: true }),
      verdict: () => verdictOf(this.kind, this.digest),
      run: (_input, context) => `done ${this.ran.push(context)}`,
    };
  }

  private model(): Model {
    return {
      prepare: (request) => ({
        record: { continues: false, add: [Buffer.from("{")], tail: "}" },
        size: { messages: 1, bytes: 2 },
        send: () => {
          const last = request.history.at(-1);
          const message = last?.role === "user" || this.options.insists === true ? this.call() : assistantText("Done.");
          return Promise.resolve({ type: "message", message, finish: "stop" });
        },
      }),
    };
  }

  private call(): AssistantMessage {
    const { calls = [`c${this.ids++}`] } = this.options;
    // Two calls that are the same would count as one.
    const parts = calls.map(
      (callId) => ({ type: "tool-call", callId, name: "act", input: JSON.stringify({ callId }) }) as const,
    );
    return { role: "assistant", parts };
  }
}

const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
