import { isObject, type JsonObject } from "../../protocol/json.ts";
import { objectsIn, string } from "../reading.ts";
import type { ReplyBuilder } from "../reply-builder.ts";

/** Ids of reasoning that its server will not know again. */
const TRANSIENT = /^rs_tmp_/;

/** What stands between two summaries of one reasoning. */
const GAP = "\n\n";

/** One item of an output: it comes in pieces, as a whole, or both, and what both say counts once. */
export class OutputItem {
  readonly #builder: ReplyBuilder;
  readonly #place: number;
  /** What came in pieces so far. */
  #text = "";
  #refusal = "";
  #reasoning = "";
  #input = "";
  /** Which summary, or which part of the reasoning, comes now. */
  #part: unknown;
  type = "";
  /** Of a message: whether it is the answer, or said on the way to it. */
  phase = "";

  constructor(builder: ReplyBuilder, place: number) {
    this.#builder = builder;
    this.#place = place;
  }

  begin(item: JsonObject): void {
    this.type = string(item["type"]);
    if (this.type === "function_call") this.#call(item);
  }

  text(delta: string): void {
    this.#text += delta;
    this.#builder.text(this.#place, delta);
  }

  refusal(delta: string): void {
    this.#refusal += delta;
    this.#builder.refusal(delta);
  }

  reasoning(delta: string, part: unknown): void {
    const text = this.#reasoning !== "" && part !== this.#part ? `${GAP}${delta}` : delta;
    this.#part = part;
    this.#reasoning += text;
    this.#builder.reasoning(this.#place, text);
  }

  input(delta: string): void {
    this.#input += delta;
    this.#builder.call(this.#place, { input: delta });
  }

  wholeInput(input: unknown): void {
    const text = isObject(input) ? JSON.stringify(input) : string(input);
    this.input(missing(text, this.#input));
  }

  whole(item: JsonObject): void {
    this.type = string(item["type"]) || this.type;
    switch (this.type) {
      case "message":
        this.#message(item);
        break;
      case "reasoning":
        this.#reasoned(item);
        break;
      case "function_call":
        if (item["status"] === "in_progress" && this.#input === "") break;
        this.#call(item);
        this.wholeInput(item["arguments"]);
        break;
      default:
    }
  }

  #call({ call_id: callId, id, name }: JsonObject): void {
    this.#builder.call(this.#place, { id: string(callId) || id, name });
  }

  #message({ content, phase }: JsonObject): void {
    const parts = objectsIn(content);
    this.text(missing(parts.map(({ text }) => string(text)).join(""), this.#text));
    this.refusal(missing(parts.map((part) => string(part["refusal"])).join(""), this.#refusal));
    this.phase = string(phase);
    if (this.phase !== "") this.#builder.textOpaque(this.#place, { phase });
  }

  #reasoned({ summary, content, id, encrypted_content: sealed }: JsonObject): void {
    const parts = objectsIn(summary).length > 0 ? objectsIn(summary) : objectsIn(content);
    const whole = parts.map(({ text }) => string(text)).join(GAP);
    this.#builder.reasoning(this.#place, missing(whole, this.#reasoning));
    this.#reasoning = whole;
    if (typeof sealed === "string" && sealed !== "" && !TRANSIENT.test(string(id)))
      this.#builder.opaque(this.#place, { summary: summary ?? [], encrypted_content: sealed });
  }
}

/** What of a whole has not come in pieces. */
const missing = (whole: string, pieces: string): string => (whole.startsWith(pieces) ? whole.slice(pieces.length) : "");
