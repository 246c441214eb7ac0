import type { Fact, TurnEvent } from "../../protocol/fact.ts";
import { isHousekeeping } from "../../protocol/housekeeping.ts";
import {
  type AssistantMessage,
  callsOf,
  isBlank,
  type Message,
  textOf,
  type ToolCallPart,
} from "../../protocol/message.ts";
import type { Inspection } from "../../protocol/tool.ts";
import { MAX_STRIKES } from "../../protocol/window.ts";
import { latestTodos, TODO, todosIn } from "../../protocol/todo.ts";
import { leftOutLine } from "../../session/left-out-line.ts";
import { oneLine } from "../../session/plain-text.ts";
import { toolHint } from "../../session/tool-hint.ts";
import { iterationLine } from "../../words/chat.ts";
import { duration } from "../../words/durations.ts";
import type { Language } from "../../words/language.ts";
import { moneyWarningLine } from "../../words/money.ts";
import { judgedLine, switchedLine, truncatedLine } from "../../words/timeline.ts";
import { todoLines } from "../../session/todo-lines.ts";

/** `answer` is the model's text, to be written as it is; `status` is a line of its own; so is an `aside`, of less weight. */
export interface Shown {
  readonly channel: "answer" | "status" | "aside";
  readonly text: string;
}

/** Of what a call works on, in its line. */
const HINT_CHARS = 70;

/** Turns events into what a person reads; remembers the calls it has seen and the failure that is not told yet. */
export class Renderer {
  private readonly streams: boolean;
  private readonly language: Language;
  /** The request that is being answered. */
  private asked = { iteration: 1, atMs: Date.now() };
  private readonly calls = new Map<string, ToolCallPart>();
  private failure = "";
  /** The attempt before was cancelled, and that was told. */
  private cancelled = false;
  /** The todo list as it was shown last. */
  private todos = "[]";
  /** What the user was to hear is said, and only housekeeping goes on behind it (row B13). */
  private muted = false;

  /** `streams`: texts are read as they arrive. */
  constructor(streams: boolean, language: Language) {
    this.streams = streams;
    this.language = language;
  }

  /** The calls of an earlier life of the turn. */
  know(history: readonly (Message | undefined)[]): void {
    for (const message of history)
      if (message?.role === "assistant") for (const call of callsOf(message)) this.calls.set(call.callId, call);
    this.todos = JSON.stringify(latestTodos(history));
  }

  render(event: TurnEvent): Shown[] {
    switch (event.type) {
      case "text-delta":
        return [{ channel: "answer", text: event.text }];
      case "assistant-message":
        this.hear(event.message, event.inspections);
        return this.iterationLines(event);
      case "segment-start":
        return (this.muted ? [] : event.callIds).map((callId) => status(`• ${this.hint(callId)}`));
      case "receipt":
        return this.receiptLines(event).map(status);
      case "model-failure":
        // Told with what is done about it; one that ends the turn is told by its result.
        this.failure = event.failure.message;
        return [];
      case "retry-scheduled":
        return [status(`! ${oneLine(this.failure)}`), status(waitLine(event.delayMs))];
      case "turn-start":
        this.failure = "";
        return [];
      case "model-switched":
        return this.switchLines(event);
      case "reply-cut":
        return [status("… the reply was cut off at the output limit; asking for the rest")];
      case "attempt-cancelled":
        this.cancelled = true;
        return [status("… dropped; asking again")];
      case "money-warning":
        return [status(moneyWarningLine(event.spentUsd, event.limitUsd)[this.language])];
      case "attempt-start":
        this.asked = { iteration: event.iteration, atMs: Date.now() };
        return this.againLines(event);
      default:
        return contextLines(event, this.language);
    }
  }

  /** What a person chose is told by whoever took it. */
  private switchLines({ provider, model, because }: Extract<Fact, { type: "model-switched" }>): Shown[] {
    if (because === undefined) return [];
    const why = this.failure === "" ? [] : [status(`! ${oneLine(this.failure)}`)];
    return [...why, status(switchedLine(`${provider}/${model}`, because)[this.language])];
  }

  private hint(callId: string): string {
    const call = this.calls.get(callId);
    return call === undefined ? oneLine(callId) : toolHint(call, HINT_CHARS);
  }

  /** Told by the name of the tool that runs, which the model may have written in another way. */
  private hear(message: AssistantMessage, inspections: readonly Inspection[] = []): void {
    const calls = callsOf(message).map((call, at) => ({ ...call, name: inspections[at]?.name ?? call.name }));
    for (const call of calls) this.calls.set(call.callId, call);
    const said = this.muted || (this.streams && !isBlank(textOf(message)));
    this.muted = said && isHousekeeping(calls.map(({ name }) => name));
  }

  /** One that asks for tools is worth a line: what the reply took, and what of it the provider had in its cache. */
  private iterationLines({ message, usage }: Extract<Fact, { type: "assistant-message" }>): Shown[] {
    if (callsOf(message).length === 0 || this.muted) return [];
    const spanMs = Date.now() - this.asked.atMs;
    const cached = usage === undefined || usage.input === 0 ? undefined : usage.cacheRead / usage.input;
    const text = iterationLine({ iteration: this.asked.iteration, spanMs, cached }, this.language);
    return [{ channel: "aside", text }];
  }

  private againLines({ replaces }: Extract<Fact, { type: "attempt-start" }>): Shown[] {
    const known = this.cancelled;
    this.cancelled = false;
    return replaces === undefined || known ? [] : [status("… the reply broke off; asking again")];
  }

  /** A todo list that changed is shown whole. */
  private receiptLines(event: Extract<Fact, { type: "receipt" }>): string[] {
    const { callId, status: ended } = event.message;
    if (this.muted && ended === "ok") return [];
    const isList = ended === "ok" && this.calls.get(callId)?.name === TODO;
    const todos = isList ? todosIn(textOf(event.message)) : undefined;
    const written = JSON.stringify(todos);
    if (todos === undefined || written === this.todos) return [this.receiptLine(event)];
    this.todos = written;
    return todoLines(todos);
  }

  private receiptLine({ message }: Extract<Fact, { type: "receipt" }>): string {
    const name = oneLine(this.calls.get(message.callId)?.name ?? message.callId);
    const [line = ""] = textOf(message).trim().split("\n", 1);
    const mark = message.status === "ok" ? "✓" : "✗";
    return `${mark} ${name}: ${message.status === "ok" ? "" : `${message.status}: `}${oneLine(line)}`;
  }
}

const status = (text: string): Shown => ({ channel: "status", text });

const waitLine = (delayMs: number): string =>
  delayMs === 0 ? "… the reply broke off; asking for the rest" : `… trying again in ${duration(delayMs)}`;

/** What a model is not told any more, and whether that helps. What a person asked for is told by whoever took it. */
function contextLines(event: TurnEvent, language: Language): Shown[] {
  switch (event.type) {
    case "history-compacted":
      return event.because === "pressure" || event.because === "too-large"
        ? [status(`… ${leftOutLine(event)[language]}`)]
        : [];
    case "compaction-judged": {
      const line = event.strikes < MAX_STRIKES ? undefined : judgedLine(event.tokens, event.strikes);
      return line === undefined ? [] : [status(`! ${line[language]}`)];
    }
    case "request-truncated":
      return [status(`! ${truncatedLine(event.estimated, event.told)[language]}`)];
    default:
      return [];
  }
}
