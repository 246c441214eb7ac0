import type { Delta, Finish } from "../../protocol/fact.ts";
import type { Failure, PartialReply } from "../../protocol/failure.ts";
import type { AssistantMessage, Provenance, ToolCallPart } from "../../protocol/message.ts";
import type { Usage } from "../../protocol/outcome.ts";
import type { ModelReply } from "../../protocol/ports.ts";
import { sseReader, type SseReader } from "../sse.ts";
import { ThinkFilter } from "../think-filter.ts";
import { CallAssembler, type WireCall } from "./calls.ts";
import { contentBlocked, failureOfError, failureOfReply } from "./failure.ts";
import { usageOf } from "./usage.ts";

interface WireDelta {
  readonly content?: unknown;
  readonly reasoning_content?: unknown;
  readonly reasoning?: unknown;
  readonly refusal?: unknown;
  readonly tool_calls?: unknown;
}

/** One event of a stream, or a whole reply: servers differ only in `delta` or `message`. Nothing in it is sure. */
interface WireChunk {
  readonly choices?: readonly ({
    readonly delta?: WireDelta | null;
    readonly message?: WireDelta | null;
    readonly finish_reason?: unknown;
  } | null)[];
  readonly usage?: unknown;
  readonly error?: unknown;
}

export interface DecoderOptions {
  readonly provenance: Provenance;
  /** Ids of calls that the conversation has already. */
  readonly takenIds: ReadonlySet<string>;
  /** Host and port, for sentences. */
  readonly where: string;
  /** Hides secrets that a server may have echoed. */
  readonly mask: (text: string) => string;
  /** The wall clock, ms. */
  readonly now: () => number;
}

/** How far a streamed reply is: its finish reason was read, then its `[DONE]`. */
export type Progress = "open" | "finished" | "done";

type Shape = "unknown" | "events" | "json" | "page";

/** Folds one reply, streamed or whole. `feed` takes network chunks; `take` hands out what became visible since the last time. */
export class ReplyDecoder {
  readonly #options: DecoderOptions;
  readonly #filter = new ThinkFilter();
  readonly #calls = new CallAssembler();
  readonly #events: SseReader = sseReader((data) => this.#onData(data));
  #shape: Shape = "unknown";
  #held = "";
  #text = "";
  #reasoning = "";
  #refusal = "";
  #finish: string | undefined;
  #done = false;
  #choices = false;
  #life = false;
  #usage: Usage | undefined;
  #failure: Failure | undefined;

  constructor(options: DecoderOptions) {
    this.#options = options;
  }

  /** Set as soon as the reply itself says that it failed: nothing that follows counts. */
  get failure(): Failure | undefined {
    return this.#failure;
  }

  get progress(): Progress {
    if (this.#done) return "done";
    return this.#finish === undefined ? "open" : "finished";
  }

  /** Returns whether there was content: comments, pings and empty deltas are not life. */
  feed(chunk: string): boolean {
    this.#life = false;
    if (this.#shape === "events") this.#events.feed(chunk);
    else this.#feedWhole(chunk);
    return this.#life;
  }

  /** A server that was asked for a stream may answer with plain JSON, or is no API at all. */
  #feedWhole(chunk: string): void {
    this.#held += chunk;
    if (this.#shape !== "unknown") {
      this.#life = true;
      return;
    }
    const first = /[^\s\uFEFF]/.exec(this.#held)?.[0];
    if (first === undefined) return;
    this.#shape = first === "{" || first === "[" ? "json" : first === "<" ? "page" : "events";
    if (this.#shape !== "events") return;
    const held = this.#held;
    this.#held = "";
    this.#events.feed(held);
  }

  #onData(data: string): void {
    if (this.#failure !== undefined) return;
    if (data.trim() === "[DONE]") {
      this.#done = true;
      return;
    }
    let chunk: WireChunk;
    try {
      chunk = JSON.parse(data) as WireChunk;
    } catch {
      this.#failure = failureOfReply(`${this.#options.where} sent an event that is not JSON.`);
      return;
    }
    if (typeof chunk === "object" && chunk !== null) this.#onChunk(chunk, data);
  }

  #onChunk(chunk: WireChunk, data: string): void {
    if (chunk.error !== undefined && chunk.error !== null) {
      const { mask, where, now } = this.#options;
      const { error } = JSON.parse(mask(data)) as WireChunk;
      this.#failure = failureOfError(error, where, now());
      return;
    }
    if (chunk.usage) this.#usage = usageOf(chunk.usage) ?? this.#usage;
    const choice = chunk.choices?.[0];
    if (choice === undefined || choice === null) return;
    this.#choices = true;
    const delta = choice.delta ?? choice.message;
    if (delta !== undefined && delta !== null) this.#onDelta(delta);
    if (typeof choice.finish_reason === "string" && choice.finish_reason !== "") {
      this.#finish = choice.finish_reason;
      this.#life = true;
    }
  }

  #onDelta(delta: WireDelta): void {
    const { content, reasoning_content: native, reasoning, refusal, tool_calls: calls } = delta;
    if (typeof native === "string" && native !== "") this.#onReasoning(native);
    else if (typeof reasoning === "string" && reasoning !== "") this.#onReasoning(reasoning);
    if (typeof content === "string") {
      if (content !== "") this.#onText(content);
    } else if (Array.isArray(content)) {
      this.#onParts(content);
    }
    if (typeof refusal === "string" && refusal !== "") this.#refusal += refusal;
    if (Array.isArray(calls) && calls.length > 0) {
      this.#life = true;
      for (const call of calls as WireCall[]) this.#calls.add(call);
    }
  }

  #onText(text: string): void {
    this.#life = true;
    this.#filter.feed(text);
  }

  #onReasoning(text: string): void {
    this.#life = true;
    this.#filter.reasoning += text;
  }

  /** Some servers send content as a list of parts. */
  #onParts(parts: readonly unknown[]): void {
    for (const part of parts) {
      if (typeof part !== "object" || part === null) continue;
      const { text, thinking } = part as { readonly text?: unknown; readonly thinking?: unknown };
      if (typeof text === "string") this.#onText(text);
      if (typeof thinking === "string") this.#onReasoning(thinking);
      else if (Array.isArray(thinking)) this.#onReasoning(thinking.map(textOfPart).join(""));
    }
  }

  /** What became visible since the last call, at most one delta of a kind. */
  take(): Delta[] {
    const { reasoning } = this.#filter;
    // A reply is shown from its first visible character on.
    const text = this.#text === "" ? this.#filter.text.trimStart() : this.#filter.text;
    this.#filter.text = this.#filter.reasoning = "";
    const deltas: Delta[] = [];
    if (reasoning !== "") deltas.push({ type: "reasoning-delta", text: reasoning });
    if (text !== "") deltas.push({ type: "text-delta", text });
    this.#reasoning += reasoning;
    this.#text += text;
    return deltas;
  }

  /** The reply has ended; releases what was held back. Call `take` before `reply`, so that what is stored was shown. */
  end(): void {
    if (this.#shape === "json") this.#onWhole();
    else if (this.#shape === "events") this.#events.end();
    this.#filter.end();
  }

  #onWhole(): void {
    const whole = this.#held;
    this.#done = true;
    this.#onData(whole);
    if (!this.#choices && this.#failure === undefined) {
      // An error that a server did not put under "error" still has words.
      this.#failure = failureOfError(safeParse(this.#options.mask(whole)), this.#options.where, this.#options.now());
    }
  }

  aborted(): ModelReply {
    return { type: "aborted", text: this.#text, reasoning: this.#reasoning };
  }

  broken(failure: Failure): ModelReply {
    const shown = this.#text !== "" || this.#reasoning !== "" || this.#calls.size > 0;
    const partial: PartialReply = { text: this.#text, reasoning: this.#reasoning, droppedTools: this.#calls.names() };
    return { type: "failure", failure, ...(shown && { partial }), ...(this.#usage && { usage: this.#usage }) };
  }

  reply(): ModelReply {
    const { where } = this.#options;
    if (this.#failure !== undefined) return this.broken(this.#failure);
    if (this.#shape === "page") {
      return this.broken(failureOfReply(`${where} sent a web page instead of a reply; check the base URL.`));
    }
    if (!this.#choices) return this.broken(failureOfReply(`${where} ended its reply without sending anything.`));
    const finish = finishOf(this.#finish);
    if (finish === "content_filter" || (this.#refusal.trim() !== "" && this.#text === "" && this.#calls.size === 0)) {
      return this.broken(contentBlocked(this.#refusal.trim()));
    }
    const cut = this.#calls.cutOff(
      this.#done ? finish !== "length" : this.#finish !== undefined && finish !== "length",
    );
    if (cut && this.#finish === undefined) {
      return this.broken(failureOfReply(`${where} ended its reply in the middle of a tool call.`));
    }
    // A call that may have been cut is never run.
    return this.#message(finish, finish === "length" && cut ? [] : this.#calls.finish(this.#options.takenIds));
  }

  #message(finish: Finish, calls: readonly ToolCallPart[]): ModelReply {
    const usage = this.#usage && { usage: this.#usage };
    if (this.#text === "" && calls.length === 0) return { type: "empty", finish, ...usage };
    const parts: AssistantMessage["parts"][number][] = [];
    if (this.#reasoning !== "") {
      parts.push({ type: "reasoning", text: this.#reasoning, provenance: this.#options.provenance });
    }
    if (this.#text !== "") parts.push({ type: "text", text: this.#text });
    parts.push(...calls);
    // Complete tool calls decide, whatever word the server used (row C4).
    return {
      type: "message",
      message: { role: "assistant", parts },
      finish: calls.length > 0 ? "tool_calls" : finish,
      ...usage,
    };
  }
}

const FINISH: ReadonlyMap<string, Finish> = new Map([
  ["length", "length"],
  ["max_tokens", "length"],
  ["content_filter", "content_filter"],
]);

/** Every other word, and none, is a normal end (row C4). */
const finishOf = (word: string | undefined): Finish => FINISH.get(word ?? "") ?? "stop";

const textOfPart = (part: unknown): string =>
  typeof part === "object" && part !== null && "text" in part && typeof part.text === "string" ? part.text : "";

function safeParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
