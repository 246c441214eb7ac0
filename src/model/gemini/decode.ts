import type { Finish } from "../../protocol/fact.ts";
import { isObject, type JsonObject } from "../../protocol/json.ts";
import type { EventReader, Reading } from "../dialect.ts";
import type { ReplyBuilder } from "../reply-builder.ts";
import { objectOf, objectsIn, string } from "../reading.ts";
import { failureOfBlock, failureOfCandidate } from "./failure.ts";
import { usageOf } from "./usage.ts";

type Kind = "text" | "thought" | "seal" | "call";

/** Events of a stream, or a whole response: both are candidates with parts. */
export function geminiEvents(builder: ReplyBuilder): EventReader {
  const parts = new Parts(builder);
  return {
    read(event): Reading {
      builder.usage(usageOf(event["usageMetadata"]));
      const blocked = string(objectOf(event["promptFeedback"])["blockReason"]);
      if (blocked !== "") {
        builder.fail(failureOfBlock(blocked));
        return "part";
      }
      const { candidates } = event;
      if (!Array.isArray(candidates)) return isObject(event["usageMetadata"]) ? "aside" : "unknown";
      const [candidate] = objectsIn(candidates);
      if (candidate === undefined) return "aside";
      for (const part of objectsIn(objectOf(candidate["content"])["parts"])) parts.add(part);
      finish(builder, candidate);
      return "part";
    },
  };
}

function finish(builder: ReplyBuilder, candidate: JsonObject): void {
  const word = string(candidate["finishReason"]);
  if (word === "" || word === "FINISH_REASON_UNSPECIFIED") return;
  const failure = failureOfCandidate(word, string(candidate["finishMessage"]));
  if (failure !== undefined) builder.fail(failure);
  builder.finishWord(word, FINISH);
}

/** hermes.md §7.2, and what the API has named since. */
const FINISH: ReadonlyMap<string, Finish> = new Map([
  ["STOP", "stop"],
  ["OTHER", "stop"],
  ["MAX_TOKENS", "length"],
  ["SAFETY", "content_filter"],
  ["RECITATION", "content_filter"],
  ["BLOCKLIST", "content_filter"],
  ["PROHIBITED_CONTENT", "content_filter"],
  ["SPII", "content_filter"],
  ["IMAGE_SAFETY", "content_filter"],
]);

/** Gives each run of text, of thought, each signature and each call the next place of the reply. */
class Parts {
  readonly #builder: ReplyBuilder;
  #place = 0;
  #kind: Kind | undefined;

  constructor(builder: ReplyBuilder) {
    this.#builder = builder;
  }

  add(part: JsonObject): void {
    const { functionCall: call, thought, text: said } = part;
    const text = string(said);
    const seal = string(part["thoughtSignature"]);
    if (isObject(call)) this.#call(call, seal);
    else if (thought === true) this.#think(text, seal);
    else if (typeof said === "string") this.#say(text, seal);
  }

  #at(kind: Kind): number {
    if (this.#kind !== kind || kind === "call") this.#place += 1;
    this.#kind = kind;
    return this.#place;
  }

  /** The signature of a call is kept under the name it has elsewhere too; a call that has an id of its own is marked. */
  #call({ id, name, args }: JsonObject, seal: string): void {
    const signed = seal === "" ? {} : { extra_content: { google: { thought_signature: seal } } };
    const isOwn = seal !== "" || string(id) !== "";
    this.#builder.call(this.#at("call"), { id, name, input: args ?? {}, opaque: isOwn ? signed : undefined });
  }

  #think(text: string, seal: string): void {
    const place = this.#at("thought");
    this.#builder.reasoning(place, text);
    if (seal === "") return;
    this.#builder.opaque(place, { thoughtSignature: seal });
    this.#kind = "seal";
  }

  /** The signature of a text is kept behind it, for a text has no fields of a provider's own. */
  #say(text: string, seal: string): void {
    if (text !== "") this.#builder.text(this.#at("text"), text);
    if (seal === "") return;
    const alone = text === "" ? { text: "" } : {};
    this.#builder.opaque(this.#at("seal"), { thoughtSignature: seal, ...alone });
    this.#kind = undefined;
  }
}
