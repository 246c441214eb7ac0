import type { Delta, Finish } from "../../protocol/fact.ts";
import type { Failure, PartialReply } from "../../protocol/failure.ts";
import { isObject } from "../../protocol/json.ts";
import { type AssistantMessage, isBlank, type Provenance, type ToolCallPart } from "../../protocol/message.ts";
import type { Usage } from "../../protocol/outcome.ts";
import type { ModelReply } from "../../protocol/ports.ts";
import { sseReader, type SseReader } from "../sse.ts";
import { ThinkFilter } from "../think-filter.ts";
import { WholeCharacters } from "../whole-characters.ts";
import { CallAssembler } from "./calls.ts";
import { contentBlocked, failureOfError, failureOfReply } from "./failure.ts";
import { usageOf } from "./usage.ts";
import { parseOrText, type Piece, pieceOf, type WireChunk } from "./wire.ts";

export interface DecoderOptions {
  readonly provenance: Provenance;
  /** Ids of calls that the conversation has already. */
  readonly takenIds: ReadonlySet<string>;
  /** The reply goes on in the middle of a text: white space at its beginning counts. */
  readonly continues: boolean;
  /** Host and port, for sentences. */
  readonly where: string;
  /** Hides secrets that a server may have echoed. */
  readonly mask: (text: string) => string;
  /** The wall clock, ms. */
  readonly now: () => number;
}

/** How far a streamed reply is: its finish reason was read, then its `[DONE]`. */
export type Progress = "open" | "finished" | "done";

/** Longer than any model writes, characters: a server that never stops must not fill the memory. */
const LONGEST_REPLY = 64_000_000;

/** An error that is longer says nothing new, characters. */
export const LONGEST_ERROR = 65_536;

/** More calls than any reply means: a model, or a server, that goes round in a circle. */
const MOST_CALLS = 1_000;

const PAGE = "sent a web page instead of a reply; check the base URL.";

const STRANGE = "sent something that is no reply of a model; check the base URL.";

type Shape = "unknown" | "events" | "json" | "page";

/** Folds one reply, streamed or whole. `feed` takes network chunks; `take` hands out what became visible since the last time. */
export class ReplyDecoder {
  readonly #options: DecoderOptions;
  readonly #filter = new ThinkFilter();
  readonly #words = new WholeCharacters();
  readonly #thoughts = new WholeCharacters();
  readonly #calls = new CallAssembler();
  readonly #events: SseReader = sseReader((data) => this.#onData(data));
  #shape: Shape = "unknown";
  #held = "";
  #length = 0;
  #unfiltered = "";
  #text = "";
  #reasoning = "";
  #refusal = "";
  #finish: string | undefined;
  #done = false;
  #choices = false;
  /** The first event that is no part of a reply. */
  #unread: string | undefined;
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
    this.#length += chunk.length;
    if (this.#length > LONGEST_REPLY) this.#failure ??= this.#tooLong();
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
    // However much of it follows, a page is no reply.
    if (this.#shape === "page") this.#failure = failureOfReply(`${this.#options.where} ${PAGE}`);
    if (this.#shape !== "events") return;
    const held = this.#held;
    this.#held = "";
    this.#events.feed(held);
  }

  #onData(data: string): void {
    if (this.#failure !== undefined || this.#done) return;
    if (data.trim() === "[DONE]") {
      this.#done = true;
      return;
    }
    const chunk = parseOrText(data);
    if (isObject(chunk)) this.#onChunk(chunk, data);
    else this.#failure = failureOfReply(`${this.#options.where} sent an event that is not a JSON object.`);
  }

  #onChunk(chunk: WireChunk, data: string): void {
    if (chunk.error !== undefined && chunk.error !== null) {
      this.#failure = this.#errorIn(data);
      return;
    }
    if (chunk.choices === undefined) this.#unread ??= data;
    if (chunk.usage) this.#usage = usageOf(chunk.usage) ?? this.#usage;
    const choice = chunk.choices?.[0];
    if (choice === undefined || choice === null) return;
    this.#choices = true;
    this.#onPiece(pieceOf(choice));
  }

  #errorIn(data: string): Failure {
    const { mask, where, now } = this.#options;
    return failureOfError(parseOrText(mask(data.slice(0, LONGEST_ERROR))), where, now());
  }

  #onPiece({ text, reasoning, refusal, calls, finish }: Piece): void {
    if (reasoning !== "") {
      this.#filterText();
      this.#filter.reasoning += this.#thoughts.pass(reasoning);
    }
    this.#unfiltered += this.#words.pass(text);
    this.#refusal += refusal;
    for (const call of calls) if (this.#calls.size <= MOST_CALLS) this.#calls.add(call);
    if (this.#calls.size > MOST_CALLS) this.#failure ??= this.#tooManyCalls();
    if (finish !== "") this.#finish = finish;
    this.#life ||= text !== "" || reasoning !== "" || refusal !== "" || calls.length > 0 || finish !== "";
  }

  /** Once for all events of a network chunk: what the filter shows does not depend on the cuts. */
  #filterText(): void {
    if (this.#unfiltered === "") return;
    this.#filter.feed(this.#unfiltered);
    this.#unfiltered = "";
  }

  /** What became visible since the last call, at most one delta of a kind. */
  take(): Delta[] {
    this.#filterText();
    const { reasoning } = this.#filter;
    // A reply is shown from its first visible character on.
    const begins = this.#text === "" && !this.#options.continues;
    const text = begins ? this.#filter.text.trimStart() : this.#filter.text;
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
    this.#filter.reasoning += this.#thoughts.end();
    this.#unfiltered += this.#words.end();
    this.#filterText();
    this.#filter.end();
  }

  #onWhole(): void {
    const whole = this.#held;
    this.#onData(whole);
    this.#done = true;
  }

  aborted(): ModelReply {
    return { type: "aborted", text: this.#text, reasoning: this.#reasoning };
  }

  broken(failure: Failure): ModelReply {
    const shown = this.#text !== "" || this.#reasoning !== "" || this.#calls.size > 0;
    return { type: "failure", failure, ...(shown && { partial: this.#partial() }), ...this.#spent() };
  }

  #partial(): PartialReply {
    return { text: this.#text, reasoning: this.#reasoning, droppedTools: this.#calls.names() };
  }

  #spent(): { readonly usage?: Usage } {
    return this.#usage === undefined ? {} : { usage: this.#usage };
  }

  reply(): ModelReply {
    const finish = finishOf(this.#finish);
    const failure = this.#failure ?? this.#noReply() ?? this.#blocked(finish);
    if (failure !== undefined) return this.broken(failure);
    const cut = this.#calls.cutOff(finish !== "length");
    if (this.progress === "open" || (cut && this.#finish === undefined)) return this.broken(this.#brokenOff(cut));
    // A call that may have been cut is never run, nor are its siblings.
    if (finish === "length" && (cut || this.#calls.size === 0))
      return { type: "cut", partial: this.#partial(), ...this.#spent() };
    return this.#message(finish, this.#calls.finish(this.#options.takenIds, this.#options.provenance));
  }

  /** Asking again would bring as much again. */
  #tooLong(): Failure {
    const message = `${this.#options.where} sent more than ${LONGEST_REPLY / 1_000_000} MB in one reply.`;
    return { ...failureOfReply(message), retryable: false };
  }

  #tooManyCalls(): Failure {
    return failureOfReply(`${this.#options.where} sent more than ${MOST_CALLS} tool calls in one reply.`);
  }

  /** An error that a server did not put under "error" still has words. */
  #noReply(): Failure | undefined {
    if (this.#choices) return undefined;
    if (this.#unread !== undefined) return this.#errorIn(this.#unread);
    const isEmpty = this.#length === 0 || (this.#done && this.#shape === "events");
    const what = isEmpty ? "ended its reply without sending anything." : STRANGE;
    return failureOfReply(`${this.#options.where} ${what}`);
  }

  /** Neither a finish reason nor `[DONE]`: where closing the connection ends the body, a cut looks like a clean end. */
  #brokenOff(inCall: boolean): Failure {
    return failureOfReply(`${this.#options.where} ended its reply in the middle${inCall ? " of a tool call" : ""}.`);
  }

  #blocked(finish: Finish): Failure | undefined {
    const refusal = this.#refusal.trim();
    const refused = refusal !== "" && this.#text === "" && this.#calls.size === 0;
    return finish === "content_filter" || refused ? contentBlocked(refusal, this.#text.trim()) : undefined;
  }

  #message(finish: Finish, calls: readonly ToolCallPart[]): ModelReply {
    const { provenance } = this.#options;
    const reasoning =
      this.#reasoning === "" ? undefined : ({ type: "reasoning", text: this.#reasoning, provenance } as const);
    // What goes on may end with a line break alone; what begins must show something.
    const isEmpty = this.#options.continues ? this.#text === "" : isBlank(this.#text);
    if (isEmpty && calls.length === 0) return { type: "empty", ...(reasoning && { reasoning }), ...this.#spent() };
    const parts: AssistantMessage["parts"][number][] = [];
    if (reasoning !== undefined) parts.push(reasoning);
    if (this.#text !== "") parts.push({ type: "text", text: this.#text });
    parts.push(...calls);
    // Complete tool calls decide, whatever word the server used (row C4).
    return {
      type: "message",
      message: { role: "assistant", parts },
      finish: calls.length > 0 ? "tool_calls" : finish,
      ...this.#spent(),
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
