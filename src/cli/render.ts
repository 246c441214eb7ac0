import type { Fact, TurnEvent } from "../protocol/fact.ts";
import { callsOf, textOf, type ToolCallPart } from "../protocol/message.ts";

/** `answer` is the model's text, to be written as it is; `status` is a line of its own. */
export interface Shown {
  readonly channel: "answer" | "status";
  readonly text: string;
}

const DETAIL_CHARS = 60;

/** Turns events into what a person reads; remembers only the names of the calls it has seen. */
export class Renderer {
  private readonly calls = new Map<string, ToolCallPart>();

  render(event: TurnEvent): Shown[] {
    switch (event.type) {
      case "text-delta":
        return [{ channel: "answer", text: event.text }];
      case "assistant-message":
        for (const call of callsOf(event.message)) this.calls.set(call.callId, call);
        return [];
      case "segment-start":
        return event.callIds.map((callId) => status(`• ${this.describe(callId)}`));
      case "receipt":
        return [status(this.receiptLine(event))];
      case "model-failure":
        return [status(`! ${event.failure.message}`)];
      case "retry-scheduled":
        return [status(`… trying again in ${(event.delayMs / 1_000).toFixed(1)} s`)];
      case "attempt-start":
        return event.replaces === undefined ? [] : [status("… the reply broke off; asking again")];
      default:
        return [];
    }
  }

  private receiptLine({ message }: Extract<Fact, { type: "receipt" }>): string {
    const name = this.calls.get(message.callId)?.name ?? message.callId;
    const [line = ""] = textOf(message).trim().split("\n", 1);
    const mark = message.status === "ok" ? "✓" : "✗";
    return `${mark} ${name}: ${message.status === "ok" ? "" : `${message.status}: `}${short(line)}`;
  }

  /** A call as one line: its name and its arguments. */
  describe(callId: string): string {
    const call = this.calls.get(callId);
    return call === undefined ? callId : `${call.name} ${short(call.input)}`;
  }
}

const status = (text: string): Shown => ({ channel: "status", text: printable(text) });

const short = (text: string): string => (text.length > DETAIL_CHARS ? `${text.slice(0, DETAIL_CHARS - 1)}…` : text);

/** No control characters of a tool or a model reach the terminal. */
const printable = (text: string): string => text.replaceAll(/\p{Cc}/gu, " ");
