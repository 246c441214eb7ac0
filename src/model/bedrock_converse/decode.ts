import type { Finish } from "../../protocol/fact.ts";
import { isObject, type JsonObject } from "../../protocol/json.ts";
import type { EventReader, Reading } from "../dialect.ts";
import { BlockPlaces } from "../block-places.ts";
import type { ReplyBuilder } from "../reply-builder.ts";
import { objectOf, objectsIn, string } from "../reading.ts";
import { failureOfStop } from "./failure.ts";
import { usageOf } from "./usage.ts";

/** The events of ConverseStream, or one whole reply of Converse. */
export function converseEvents(builder: ReplyBuilder): EventReader {
  const reply = new ReplyEvents(builder);
  return { read: (event, name) => (name === undefined ? reply.whole(event) : reply.event(name, event)) };
}

class ReplyEvents {
  readonly #builder: ReplyBuilder;
  readonly #places = new BlockPlaces();

  constructor(builder: ReplyBuilder) {
    this.#builder = builder;
  }

  event(name: string, event: JsonObject): Reading {
    switch (name) {
      case "messageStart":
        return "part";
      case "contentBlockStart":
        this.#start(event["contentBlockIndex"], objectOf(event["start"]));
        return "part";
      case "contentBlockDelta":
        this.#delta(this.#places.of(event["contentBlockIndex"]), objectOf(event["delta"]));
        return "part";
      case "contentBlockStop":
        this.#places.close(event["contentBlockIndex"]);
        return "part";
      case "messageStop":
        this.#stop(event["stopReason"]);
        return "part";
      case "metadata":
        this.#builder.usage(usageOf(event["usage"]));
        return "aside";
      default:
        return "unknown";
    }
  }

  whole({ output, stopReason, usage }: JsonObject): Reading {
    if (!isObject(output)) return "unknown";
    for (const [index, block] of objectsIn(objectOf(output["message"])["content"]).entries())
      this.#block(this.#places.open(index), block);
    this.#builder.usage(usageOf(usage));
    this.#stop(stopReason);
    return "part";
  }

  /** Only calls are announced. A server that gives two of them one index means two. */
  #start(index: unknown, { toolUse: use }: JsonObject): void {
    const place = this.#places.open(index);
    if (isObject(use)) this.#builder.call(place, { id: use["toolUseId"], name: use["name"] });
  }

  #delta(place: number, { text, toolUse: use, reasoningContent: thought }: JsonObject): void {
    if (typeof text === "string") this.#builder.text(place, text);
    if (isObject(use)) this.#builder.call(place, { input: use["input"] });
    if (isObject(thought)) this.#think(place, thought);
  }

  #think(place: number, { text, signature, redactedContent: hidden }: JsonObject): void {
    this.#builder.reasoning(place, string(text));
    if (string(signature) !== "") this.#builder.opaque(place, { signature });
    if (string(hidden) !== "") this.#builder.opaque(place, { redactedContent: hidden });
  }

  #block(place: number, { text, toolUse: use, reasoningContent: thought }: JsonObject): void {
    if (typeof text === "string") this.#builder.text(place, text);
    if (isObject(use)) {
      const { toolUseId: id, name, input } = use;
      this.#builder.call(place, { id, name, input: input ?? {} });
    }
    if (isObject(thought)) this.#think(place, { ...thought, ...objectOf(thought["reasoningText"]) });
  }

  #stop(reason: unknown): void {
    if (typeof reason !== "string") return;
    const failure = failureOfStop(reason);
    if (failure !== undefined) this.#builder.fail(failure);
    this.#builder.finishWord(reason, FINISH);
  }
}

/** hermes.md §7.2. */
const FINISH: ReadonlyMap<string, Finish> = new Map([
  ["end_turn", "stop"],
  ["stop_sequence", "stop"],
  ["tool_use", "tool_calls"],
  ["max_tokens", "length"],
  ["model_context_window_exceeded", "length"],
  ["guardrail_intervened", "content_filter"],
  ["content_filtered", "content_filter"],
  ["refusal", "content_filter"],
]);
