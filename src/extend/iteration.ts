import type { ExtendedTurn, HookContext, Step } from "../protocol/extension.ts";
import type { Fact } from "../protocol/fact.ts";
import { callsOf, textOf, type ToolMessage } from "../protocol/message.ts";
import { frozen, frozenHistory } from "./freeze.ts";

type Filled = Omit<HookContext, "sessionId" | "turnId" | "messages" | "signal">;

const blank = (iteration: number): Filled => ({
  iteration,
  response: undefined,
  usage: undefined,
  toolCalls: [],
  toolResults: [],
  finalContent: undefined,
  stopReason: undefined,
  error: undefined,
});

/** The iteration a turn is in, as hooks see it, filled from the facts as they come. */
export class Iteration {
  private readonly turn: ExtendedTurn;
  private filled: Filled;
  /** It has its reply. */
  private replied: boolean;
  /** Nothing of it was seen here: another process, or the time before it parked, had it. */
  private inherited: boolean;
  /** What the newest attempt asks for. */
  private asked = 0;
  private seen: Omit<HookContext, "signal"> | undefined;

  constructor(turn: ExtendedTurn) {
    this.turn = turn;
    this.filled = { ...blank(turn.iteration), ...batchIn(turn) };
    this.inherited = turn.iteration > 0;
    this.replied = this.inherited;
  }

  /** 0 before the first. */
  get number(): number {
    return this.filled.iteration;
  }

  /** The attempt that is about to leave belongs to a new iteration. */
  get isOver(): boolean {
    return this.replied || this.asked !== this.number;
  }

  begin(): void {
    this.filled = blank(this.asked);
    this.replied = false;
    this.inherited = false;
    this.seen = undefined;
  }

  /** Fields that no fact of the loop knows. */
  fill(fields: Pick<Partial<Filled>, "finalContent" | "stopReason" | "error">): void {
    this.filled = { ...this.filled, ...fields };
    this.seen = undefined;
  }

  observe(fact: Fact): void {
    this.seen = undefined;
    switch (fact.type) {
      case "attempt-start":
        this.asked = fact.iteration;
        if (this.inherited && fact.iteration === this.filled.iteration && fact.grace !== true) this.replied = false;
        return;
      case "assistant-message": {
        this.replied = true;
        const { message, usage } = fact;
        this.filled = { ...this.filled, response: message, usage, toolCalls: callsOf(message), toolResults: [] };
        return;
      }
      case "reply-empty":
      case "reply-cut":
        this.replied = true;
        this.filled = { ...this.filled, usage: fact.usage };
        return;
      case "receipt":
        this.filled = { ...this.filled, toolResults: [...this.filled.toolResults, fact.message] };
        return;
      default:
        return;
    }
  }

  context(signal: AbortSignal): HookContext {
    const { sessionId, turnId, history } = this.turn;
    const { iteration, ...filled } = frozen(this.filled);
    this.seen ??= { sessionId, turnId, iteration, messages: frozenHistory(history()), ...filled };
    return Object.freeze({ ...this.seen, signal });
  }

  /** What the tools of this iteration gave, for the step before the next. */
  get ran(): Step["previousTools"] {
    const { toolCalls, toolResults } = this.filled;
    const results = new Map(toolResults.map((receipt) => [receipt.callId, textOf(receipt)]));
    return frozen(
      toolCalls.map(({ callId, name, input }) => ({ name, arguments: input, result: results.get(callId) ?? "" })),
    );
  }
}

/** The newest reply of a turn that is taken up, with the receipts it has. */
function batchIn({ history, firstSeq }: ExtendedTurn): Partial<Filled> {
  const messages = history();
  const at = messages.findLastIndex((message) => message?.role === "assistant");
  const response = at > firstSeq ? messages[at] : undefined;
  if (response?.role !== "assistant") return {};
  const toolResults = messages.slice(at + 1).filter((message): message is ToolMessage => message?.role === "tool");
  return { response, toolCalls: callsOf(response), toolResults };
}
