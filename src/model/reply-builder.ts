import { cleanText } from "../protocol/clean-text.ts";
import type { Delta, Finish } from "../protocol/fact.ts";
import type { Failure, PartialReply } from "../protocol/failure.ts";
import type { JsonObject } from "../protocol/json.ts";
import { type AssistantMessage, isBlank, type Provenance, type ReasoningPart } from "../protocol/message.ts";
import type { Usage } from "../protocol/outcome.ts";
import type { ModelReply } from "../protocol/ports.ts";
import { CallSlots, type CallPiece, type Ids, type PlacedCall } from "./call-slots.ts";
import { ContextFilter } from "./context-filter.ts";
import { EdgeTags } from "./edge-tags.ts";
import { contentBlocked, failureOfReply } from "./failure/refusal.ts";
import { isCount } from "./reading.ts";
import { KnownStream, type KnownValues, nothingKnown } from "../protocol/redact/known.ts";
import { ifWithout } from "./secrets.ts";
import { ThinkFilter } from "./think-filter.ts";
import { WholeCharacters } from "./whole-characters.ts";

export interface BuilderOptions {
  readonly provenance: Provenance;
  /** Ids of calls that the conversation has already. */
  readonly takenIds: Ids;
  /** The reply goes on in the middle of a text: white space at its beginning counts. */
  readonly continues: boolean;
  /** Host and port, for sentences. */
  readonly where: string;
  /** Cut out of all that the model says. */
  readonly known?: KnownValues;
  /** Whether a text whose server says that it is complete was cut nevertheless. */
  readonly seemsCut?: ((text: string) => boolean) | undefined;
}

/** How far a streamed reply is: its finish reason was read, then the mark behind its last event. */
export type Progress = "open" | "finished" | "done";

/** More calls than any reply means: a model, or a server, that goes round in a circle. */
const MOST_CALLS = 1_000;

/** Of a word for an end, characters. */
const LONGEST_WORD = 64;

/** The place of what was thought inside the text of a place: before it, and behind its neighbour. */
export const insideText = (place: number): number => place - 0.5;

interface TextBlock {
  readonly type: "text";
  text: string;
}

interface ReasoningBlock {
  readonly type: "reasoning";
  text: string;
  opaque: JsonObject | undefined;
}

/**
 * Folds one reply, in whatever dialect it came. Each piece names its place in the reply, a number: parts stand in the
 * order of their places, and pieces of one place are one part.
 */
export class ReplyBuilder {
  readonly #options: BuilderOptions;
  readonly #blocks = new Map<number, TextBlock | ReasoningBlock>();
  readonly #textFields = new Map<number, JsonObject>();
  readonly #calls = new CallSlots();
  #thoughts = new WholeCharacters();
  #edges = new EdgeTags();
  #words = new WholeCharacters();
  #filter = new ThinkFilter();
  readonly #fences: ContextFilter;
  readonly #known: KnownValues;
  /** Of what is said, of what is thought inside a text, and of what is thought beside it. */
  readonly #said: KnownStream;
  readonly #inside: KnownStream;
  readonly #beside: KnownStream;
  /** The places of the text and of the thought that come now. */
  #place = 0;
  #thoughtPlace = 0;
  #unfiltered = "";
  #deltas: { readonly type: "text-delta" | "reasoning-delta"; text: string }[] = [];
  #text = "";
  #reasoning = "";
  #refusal = "";
  #finish: Finish | undefined;
  #unknownFinish: string | undefined;
  #done = false;
  #life = false;
  #usage: Usage | undefined;
  #failure: Failure | undefined;

  constructor(options: BuilderOptions) {
    this.#options = options;
    this.#fences = new ContextFilter(!options.continues);
    this.#known = options.known ?? nothingKnown();
    this.#said = new KnownStream(this.#known);
    this.#inside = new KnownStream(this.#known);
    this.#beside = new KnownStream(this.#known);
  }

  /** Set as soon as the reply itself says that it failed: nothing that follows counts. */
  get failure(): Failure | undefined {
    return this.#failure;
  }

  get progress(): Progress {
    if (this.#done) return "done";
    return this.#finish === undefined ? "open" : "finished";
  }

  /** Whether there was content since this was asked last: comments, pings and empty deltas are not life. */
  tookLife(): boolean {
    const life = this.#life;
    this.#life = false;
    return life;
  }

  text(place: number, text: string): void {
    if (text === "") return;
    this.#life = true;
    if (place !== this.#place) this.#endText();
    this.#place = place;
    this.#unfiltered += this.#words.pass(text);
  }

  reasoning(place: number, text: string): void {
    if (text === "") return;
    this.#life = true;
    this.#filterText();
    if (place !== this.#thoughtPlace) this.#endThought();
    this.#thoughtPlace = place;
    this.#think(place, this.#beside.pass(this.#edges.pass(this.#thoughts.pass(text))));
  }

  /** Fields of the provider's own that belong to the thought at this place, shown or not. */
  opaque(place: number, fields: JsonObject): void {
    this.#life = true;
    const block = this.#thought(place);
    block.opaque = { ...block.opaque, ...fields };
  }

  /** The same of the text at this place, which may come later. */
  textOpaque(place: number, fields: JsonObject): void {
    this.#textFields.set(place, { ...this.#textFields.get(place), ...fields });
  }

  refusal(text: string): void {
    this.#life ||= text !== "";
    this.#refusal += text;
  }

  call(place: number, piece: CallPiece): void {
    this.#life = true;
    if (this.#calls.size <= MOST_CALLS) this.#calls.add(place, piece);
    if (this.#calls.size > MOST_CALLS) {
      const { where } = this.#options;
      this.fail(failureOfReply(`${where} sent more than ${MOST_CALLS} tool calls in one reply.`));
    }
  }

  /** The last one counts. */
  finish(finish: Finish): void {
    this.#life = true;
    this.#finish = finish;
    this.#unknownFinish = undefined;
  }

  /** How the server calls the end. A word that is not in the table of its dialect is an end, and is told. */
  finishWord(word: string, table: ReadonlyMap<string, Finish>): void {
    this.finish(table.get(word) ?? "stop");
    if (!table.has(word)) this.#unknownFinish = cleanText(word.slice(0, LONGEST_WORD));
  }

  /** Nothing more belongs to this reply. */
  done(): void {
    this.#done = true;
  }

  /** The last one counts. Where any of its counts is none, or all are nothing, nobody knows what the reply took. */
  usage(usage: Usage | undefined): void {
    if (usage === undefined) return;
    const { costUsd, cacheTold: _told, ...counts } = usage;
    const says = costUsd !== undefined || usage.input > 0 || usage.output > 0;
    this.#usage = says && Object.values(counts).every(isCount) ? usage : undefined;
  }

  /** The first one counts. */
  fail(failure: Failure): void {
    this.#failure ??= failure;
  }

  #thought(place: number): ReasoningBlock {
    const known = this.#blocks.get(place);
    if (known?.type === "reasoning") return known;
    const block: ReasoningBlock = { type: "reasoning", text: "", opaque: undefined };
    this.#blocks.set(place, block);
    return block;
  }

  #think(place: number, text: string): void {
    if (text === "") return;
    this.#thought(place).text += text;
    this.#reasoning += text;
    this.#show("reasoning-delta", text);
  }

  #say(text: string): void {
    // A reply is shown from its first visible character on.
    const shown = this.#text === "" && !this.#options.continues ? text.trimStart() : text;
    if (shown === "") return;
    const block = this.#blocks.get(this.#place);
    if (block?.type === "text") block.text += shown;
    else this.#blocks.set(this.#place, { type: "text", text: shown });
    this.#text += shown;
    this.#show("text-delta", shown);
  }

  #show(type: "text-delta" | "reasoning-delta", text: string): void {
    const last = this.#deltas.at(-1);
    if (last?.type === type) last.text += text;
    else this.#deltas.push({ type, text });
  }

  /** Once for all events of a network chunk: what the filter shows does not depend on the cuts. */
  #filterText(): void {
    if (this.#unfiltered !== "") this.#filter.feed(this.#unfiltered);
    this.#unfiltered = "";
    const { text, reasoning } = this.#filter;
    this.#filter.text = this.#filter.reasoning = "";
    // What was thought inside a text stands before it.
    this.#think(insideText(this.#place), this.#inside.pass(reasoning));
    this.#say(this.#said.pass(this.#fences.pass(text)));
  }

  #endText(): void {
    this.#unfiltered += this.#words.end();
    this.#filterText();
    this.#filter.end();
    this.#filterText();
    this.#think(insideText(this.#place), this.#inside.end());
    this.#say(this.#said.pass(this.#fences.end()) + this.#said.end());
    this.#words = new WholeCharacters();
    this.#filter = new ThinkFilter();
  }

  #endThought(): void {
    const rest = this.#edges.pass(this.#thoughts.end()) + this.#edges.end();
    this.#think(this.#thoughtPlace, this.#beside.pass(rest) + this.#beside.end());
    this.#thoughts = new WholeCharacters();
    this.#edges = new EdgeTags();
  }

  /** What became visible since the last call. */
  take(): Delta[] {
    this.#filterText();
    const deltas = this.#deltas;
    this.#deltas = [];
    return deltas;
  }

  /** No more comes; what was held back can be taken now. Call `take` before `reply`, so that what is stored was shown. */
  end(): void {
    this.#endText();
    this.#endThought();
  }

  aborted(): ModelReply {
    return { type: "aborted", text: this.#text, reasoning: this.#reasoning };
  }

  broken(failure: Failure): ModelReply {
    const shown = this.#text !== "" || this.#reasoning !== "" || this.#calls.size > 0;
    return { type: "failure", failure, ...(shown && { partial: this.#partial() }), ...this.#spent() };
  }

  #partial(): PartialReply {
    return {
      text: this.#text,
      reasoning: this.#reasoning,
      droppedTools: this.#calls.names().map((name) => this.#masked(name)),
    };
  }

  #spent(): { readonly usage?: Usage } {
    return this.#usage === undefined ? {} : { usage: this.#usage };
  }

  reply(): ModelReply {
    const finish = this.#finish ?? "stop";
    const failure = this.#failure ?? this.#blocked(finish);
    if (failure !== undefined) return this.broken(failure);
    const inCall = this.#calls.cutOff(finish !== "length");
    if (this.progress === "open" || (inCall && this.#finish === undefined)) return this.broken(this.#brokenOff(inCall));
    return this.#isCut(finish, inCall)
      ? { type: "cut", partial: this.#partial(), ...this.#spent() }
      : this.#message(finish);
  }

  /** A call that may have been cut is never run, nor are its siblings. */
  #isCut(finish: Finish, inCall: boolean): boolean {
    if (this.#calls.size > 0) return finish === "length" && inCall;
    return finish === "length" || (finish === "stop" && this.#options.seemsCut?.(this.#text) === true);
  }

  /** Neither a finish reason nor the mark behind it: where closing the connection ends the body, a cut looks like an end. */
  #brokenOff(inCall: boolean): Failure {
    const { where } = this.#options;
    return failureOfReply(`${where} ended its reply in the middle${inCall ? " of a tool call" : ""}.`);
  }

  #blocked(finish: Finish): Failure | undefined {
    const refusal = this.#masked(this.#refusal.trim());
    const refused = refusal !== "" && this.#text === "" && this.#calls.size === 0;
    return finish === "content_filter" || refused ? contentBlocked(refusal, this.#text.trim()) : undefined;
  }

  #message(finish: Finish): ModelReply {
    const { provenance, takenIds, continues } = this.#options;
    const calls = this.#calls.finish(takenIds, provenance).map((call) => this.#maskedCall(call));
    const blocks = [...this.#blocks].map(([place, block]) => ({ place, part: this.#part(place, block) }));
    // What goes on may end with a line break alone; what begins must show something.
    const isEmpty = continues ? this.#text === "" : isBlank(this.#text);
    if (isEmpty && calls.length === 0) {
      const reasoning = blocks.map(({ part }) => part).find((part) => part.type === "reasoning");
      return { type: "empty", ...(reasoning && { reasoning }), ...this.#spent() };
    }
    const parts: AssistantMessage["parts"] = [...blocks, ...calls]
      .toSorted((a, b) => a.place - b.place)
      .map(({ part }) => part);
    // Complete tool calls decide, whatever word the server used (row C4).
    const ends = calls.length > 0 ? "tool_calls" : finish;
    const unknownFinish = this.#unknownFinish && this.#masked(this.#unknownFinish);
    const told = unknownFinish === undefined ? {} : { unknownFinish };
    return { type: "message", message: { role: "assistant", parts }, finish: ends, ...told, ...this.#spent() };
  }

  #masked(text: string): string {
    return this.#known.redact(text);
  }

  #maskedCall({ place, part }: PlacedCall): PlacedCall {
    if (this.#known.none) return { place, part };
    const { opaque, provenance, ...call } = part;
    const signed = ifWithout(opaque, this.#known) && { opaque, provenance };
    const callId = this.#masked(call.callId);
    const name = this.#masked(call.name);
    return { place, part: { ...call, callId, name, input: this.#masked(call.input), ...signed } };
  }

  #part(
    place: number,
    block: TextBlock | ReasoningBlock,
  ): Extract<AssistantMessage["parts"][number], { text: string }> {
    const { provenance } = this.#options;
    if (block.type === "text") {
      const fields = ifWithout(this.#textFields.get(place), this.#known);
      return { type: "text", text: block.text, ...(fields && { opaque: fields, provenance }) };
    }
    const { text } = block;
    const opaque = ifWithout(block.opaque, this.#known);
    const part: ReasoningPart = { type: "reasoning", text, ...(opaque && { opaque }), provenance };
    return part;
  }
}
