import { callsOf, type Message } from "../../protocol/message.ts";
import type { ModelRequest, PreparedRequest } from "../../protocol/ports.ts";
import type { ToolSpec } from "../../protocol/tool.ts";
import { Head } from "../head.ts";
import { encodeMessage, encodeOpening, encodeTail, encodeText } from "./encode.ts";

export interface Encoded extends Pick<PreparedRequest, "record" | "size"> {
  readonly body: Buffer;
}

/** One conversation as bytes: the head of the last request, extended; built anew only when the model or the past changed. */
export class Conversation {
  readonly #system: string;
  readonly #tools: readonly ToolSpec[];
  #head: Head | undefined;
  #model = "";
  #messages = 0;
  #next = 0;
  #last: Message | undefined;
  /** Ids of the calls in the head: a reply must not use one again. */
  readonly callIds: Set<string> = new Set();

  constructor(system: string, tools: readonly ToolSpec[]) {
    this.#system = system;
    this.#tools = tools;
  }

  encode(request: ModelRequest): Encoded {
    const continued = this.#continued(request);
    const head = continued ?? this.#restart(request.model);
    const before = head.used;
    const opening = continued === undefined ? [head.since(0)] : [];
    this.#extend(head, request.history);
    const added = head.used > before ? [head.since(before)] : [];
    const tail = encodeTail(request, this.#tools.length > 0);
    const body = head.body(tail);
    return {
      body,
      record: { continues: continued !== undefined, add: [...opening, ...added], tail },
      size: { messages: this.#messages + (request.note === undefined ? 0 : 1), bytes: body.length },
    };
  }

  #extend(head: Head, history: ModelRequest["history"]): void {
    for (; this.#next < history.length; this.#next++) {
      const message = history[this.#next];
      if (message === undefined) throw new Error(`A request left while the call at ${this.#next} was open.`);
      const encoded = encodeMessage(message);
      if (encoded !== undefined) this.#append(head, encoded);
      if (message.role === "assistant") for (const call of callsOf(message)) this.callIds.add(call.callId);
      this.#last = message;
    }
  }

  #continued({ model, history }: ModelRequest): Head | undefined {
    const same = this.#model === model && (this.#next === 0 || history[this.#next - 1] === this.#last);
    return same ? this.#head : undefined;
  }

  #restart(model: string): Head {
    const head = new Head(encodeOpening(model, this.#tools));
    this.#head = head;
    this.#model = model;
    this.#messages = 0;
    this.#next = 0;
    this.#last = undefined;
    this.callIds.clear();
    if (this.#system.trim() !== "") this.#append(head, encodeText("system", this.#system));
    return head;
  }

  #append(head: Head, message: string): void {
    head.append(this.#messages++ === 0 ? message : `,${message}`);
  }
}
