import type { Finish } from "../../protocol/fact.ts";
import type { JsonObject } from "../../protocol/json.ts";
import type { EventReader, Reading } from "../dialect.ts";
import { BlockPlaces } from "../block-places.ts";
import { objectOf, objectsIn, string } from "../reading.ts";
import type { ReplyBuilder } from "../reply-builder.ts";
import { mergeUsage, usageOf } from "./usage.ts";

/** The events of a stream, or one whole message. */
export function messageEvents(builder: ReplyBuilder): EventReader {
  const reply = new ReplyEvents(builder);
  return { read: (event) => reply.read(event) };
}

class ReplyEvents {
  readonly #builder: ReplyBuilder;
  readonly #places = new BlockPlaces();
  /** Inputs that came whole with the start of their call; pieces would replace them. */
  readonly #whole = new Map<number, unknown>();
  readonly #signatures = new Map<number, string>();
  #usage: JsonObject | undefined;

  constructor(builder: ReplyBuilder) {
    this.#builder = builder;
  }

  read(event: JsonObject): Reading {
    switch (event["type"]) {
      case "message_start":
        this.#count(objectOf(event["message"])["usage"]);
        return "part";
      case "content_block_start":
        this.#open(event["index"], objectOf(event["content_block"]));
        return "part";
      case "content_block_delta":
        this.#delta(this.#places.of(event["index"]), objectOf(event["delta"]));
        return "part";
      case "content_block_stop":
        this.#close(event["index"]);
        return "part";
      case "message_delta":
        this.#count(event["usage"]);
        this.#stop(objectOf(event["delta"]));
        return "part";
      case "message_stop":
        this.#builder.done();
        return "part";
      case "message":
        this.#message(event);
        return "part";
      case "ping":
        return "aside";
      default:
        return "unknown";
    }
  }

  #count(usage: unknown): void {
    this.#usage = mergeUsage(this.#usage, usage);
    if (this.#usage !== undefined) this.#builder.usage(usageOf(this.#usage));
  }

  /** A server that gives two blocks one index means two blocks. */
  #open(index: unknown, block: JsonObject): void {
    this.#close(index);
    this.#block(this.#places.open(index), block);
  }

  /** What a block begins with; in a whole message, all of it. Blocks of no known kind say nothing to us. */
  #block(place: number, block: JsonObject): void {
    switch (block["type"]) {
      case "text":
        return this.#builder.text(place, string(block["text"]));
      case "thinking":
        this.#builder.reasoning(place, string(block["thinking"]));
        return this.#sign(place, string(block["signature"]));
      case "redacted_thinking":
        return this.#builder.opaque(place, { data: string(block["data"]) });
      case "tool_use": {
        const { id, name, input } = block;
        this.#builder.call(place, { id, name });
        // A stream begins with an empty object, and what belongs there follows.
        if (JSON.stringify(input ?? {}) !== "{}") this.#whole.set(place, input);
      }
    }
  }

  #delta(place: number, delta: JsonObject): void {
    switch (delta["type"]) {
      case "text_delta":
        return this.#builder.text(place, string(delta["text"]));
      case "thinking_delta":
        return this.#builder.reasoning(place, string(delta["thinking"]));
      case "signature_delta":
        return this.#sign(place, string(delta["signature"]));
      case "input_json_delta":
        this.#whole.delete(place);
        this.#builder.call(place, { input: delta["partial_json"] });
    }
  }

  #sign(place: number, more: string): void {
    if (more === "") return;
    const signature = (this.#signatures.get(place) ?? "") + more;
    this.#signatures.set(place, signature);
    this.#builder.opaque(place, { signature });
  }

  #close(index: unknown): void {
    const place = this.#places.at(index);
    if (place === undefined) return;
    this.#places.close(index);
    const input = this.#whole.get(place);
    if (input !== undefined) this.#builder.call(place, { input });
    this.#whole.delete(place);
  }

  #stop({ stop_reason: word, stop_details: details }: JsonObject): void {
    if (typeof word !== "string") return;
    this.#builder.refusal(word === "refusal" ? string(objectOf(details)["explanation"]) : "");
    this.#builder.finishWord(word, FINISH);
  }

  #message(message: JsonObject): void {
    for (const [index, block] of objectsIn(message["content"]).entries()) {
      this.#open(index, block);
      this.#close(index);
    }
    this.#count(message["usage"]);
    this.#stop(message);
  }
}

/** hermes.md §7.2. */
const FINISH: ReadonlyMap<string, Finish> = new Map([
  ["end_turn", "stop"],
  ["stop_sequence", "stop"],
  ["tool_use", "tool_calls"],
  ["max_tokens", "length"],
  ["model_context_window_exceeded", "length"],
  ["refusal", "content_filter"],
  ["pause_turn", "stop"],
]);
