import { isObject, type JsonObject } from "../../protocol/json.ts";
import type { EventReader, Reading } from "../dialect.ts";
import { objectOf, objectsIn, string } from "../reading.ts";
import type { ReplyBuilder } from "../reply-builder.ts";
import { finishOf, hasEnded, hasFailed } from "./ending.ts";
import { OutputItem } from "./output-item.ts";
import { usageOf } from "./usage.ts";

/** Events of a stream, or one whole response. */
export function responseEvents(builder: ReplyBuilder): EventReader {
  const output = new Output(builder);
  return {
    read(event, name) {
      const type = string(event["type"]) || (name ?? "");
      if (type === "" || type === "response") return isResponse(event) ? output.whole(event) : "unknown";
      const { response } = event;
      if (isObject(response)) return output.ofResponse(type, response);
      return type === "error" ? "failure" : output.ofItem(type, event);
    },
  };
}

const isResponse = ({ object, output, status }: JsonObject): boolean =>
  object === "response" || Array.isArray(output) || typeof status === "string";

/** What a reply has brought so far. */
class Output {
  readonly #builder: ReplyBuilder;
  readonly #items = new Map<number, OutputItem>();
  /** What stands at an index now: careless servers use one for several items, one after the other. */
  readonly #open = new Map<number, { readonly id: string; readonly place: number }>();

  constructor(builder: ReplyBuilder) {
    this.#builder = builder;
  }

  ofResponse(type: string, response: JsonObject): Reading {
    switch (type) {
      case "response.completed":
      case "response.incomplete":
      case "response.failed":
      case "response.cancelled":
      case "response.done":
        return this.whole({ status: type.slice("response.".length), ...response });
      default:
        return type.startsWith("response.") ? "aside" : "unknown";
    }
  }

  /** What did not come in pieces before, usage and finish. */
  whole(response: JsonObject): Reading {
    this.#builder.usage(usageOf(response["usage"]));
    if (hasFailed(response)) return "failure";
    const items = objectsIn(response["output"]);
    for (const [place, item] of items.entries()) this.#at(place).whole(item);
    // Some servers write the text beside an output that they leave empty.
    if (items.length === 0 && this.#items.size === 0) this.#builder.text(0, string(response["output_text"]));
    if (hasEnded(response)) this.#builder.finish(finishOf(response, [...this.#items.values()]));
    return "part";
  }

  ofItem(type: string, event: JsonObject): Reading {
    const { output_index: at, delta, item } = event;
    if (!type.startsWith("response.") || typeof at !== "number") return "unknown";
    const place = this.#open.get(at)?.place ?? at;
    switch (type) {
      case "response.output_item.added":
        this.#at(this.#begun(at, string(objectOf(item)["id"]))).begin(objectOf(item));
        return "part";
      case "response.output_item.done":
        this.#at(place).whole(objectOf(item));
        return "part";
      case "response.output_text.delta":
        this.#at(place).text(string(delta));
        return "part";
      case "response.refusal.delta":
        this.#at(place).refusal(string(delta));
        return "part";
      case "response.reasoning_summary_text.delta":
        this.#at(place).reasoning(string(delta), event["summary_index"]);
        return "part";
      case "response.reasoning_text.delta":
        this.#at(place).reasoning(string(delta), event["content_index"]);
        return "part";
      case "response.function_call_arguments.delta":
        this.#at(place).input(string(delta));
        return "part";
      case "response.function_call_arguments.done":
        this.#at(place).wholeInput(event["arguments"]);
        return "part";
      default:
        return ASIDE.test(type) ? "aside" : "unknown";
    }
  }

  /** The place of an item that begins: its index, unless another one was there. */
  #begun(index: number, id: string): number {
    const open = this.#open.get(index);
    if (open !== undefined && (id === "" || open.id === id)) return open.place;
    const place = open === undefined && !this.#items.has(index) ? index : Math.max(...this.#items.keys()) + 1;
    this.#open.set(index, { id, place });
    return place;
  }

  #at(place: number): OutputItem {
    const known = this.#items.get(place);
    if (known !== undefined) return known;
    const item = new OutputItem(this.#builder, place);
    this.#items.set(place, item);
    return item;
  }
}

/** Beginnings and ends of what comes in pieces, and what no tool of ours brings. */
const ASIDE =
  /^response\.(?:content_part|reasoning_summary_part|reasoning_summary_text|reasoning_text|output_text|refusal)\./;
