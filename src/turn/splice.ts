import type { Delta } from "../protocol/fact.ts";
import type { PartialReply } from "../protocol/failure.ts";
import type { AssistantMessage, ReasoningPart, TextPart } from "../protocol/message.ts";
import type { ModelReply } from "../protocol/ports.ts";
import type { CutReply } from "./state.ts";

/**
 * What a continuation adds to the text before it. A model that was to go on may begin again: then what it says a second
 * time is left out. `whole`: it came to its own end, so that a short one is what it meant to say.
 */
export function addedText(before: string, text: string, whole: boolean): string {
  const said = text.trimStart();
  if (before === "") return text;
  if (said.startsWith(before)) return said.slice(before.length);
  return !whole && before.startsWith(said) ? "" : text;
}

/** Holds the shown text of a continuation back for as long as it may be the old text again. */
export class Splice {
  readonly #before: string;
  #held = "";
  #open: boolean;

  constructor(cut: CutReply | undefined) {
    this.#before = cut?.text ?? "";
    this.#open = this.#before !== "";
  }

  pass(deltas: readonly Delta[]): readonly Delta[] {
    return this.#open
      ? deltas.flatMap((delta) => (delta.type === "text-delta" ? this.#text(delta.text) : delta))
      : deltas;
  }

  /** The reply has ended. */
  end(reply: ModelReply): readonly Delta[] {
    return this.#open ? shown(addedText(this.#before, this.#held, reply.type === "message")) : [];
  }

  #text(text: string): readonly Delta[] {
    if (!this.#open) return shown(text);
    this.#held += text;
    const said = this.#held.trimStart();
    if (said.length < this.#before.length && this.#before.startsWith(said)) return [];
    this.#open = false;
    return shown(addedText(this.#before, this.#held, true));
  }
}

const shown = (text: string): readonly Delta[] => (text === "" ? [] : [{ type: "text-delta", text }]);

/** A reply with only what it adds; a message or an abort is whole again, as if it had come in one piece (row C8). */
export function spliced(reply: ModelReply, cut: CutReply | undefined): ModelReply {
  if (cut === undefined) return reply;
  switch (reply.type) {
    case "message":
      return { ...reply, message: joined(cut, reply.message) };
    case "aborted": {
      const text = cut.text + addedText(cut.text, reply.text, false);
      return { ...reply, text, reasoning: cut.reasoning + reply.reasoning };
    }
    case "cut":
      return { ...reply, partial: addedPartial(cut, reply.partial) };
    case "failure":
      return reply.partial === undefined ? reply : { ...reply, partial: addedPartial(cut, reply.partial) };
    case "empty":
      return reply;
  }
}

const addedPartial = (cut: CutReply, partial: PartialReply): PartialReply => ({
  ...partial,
  text: addedText(cut.text, partial.text, false),
});

function joined(cut: CutReply, message: AssistantMessage): AssistantMessage {
  const thoughts = message.parts.filter((part) => part.type === "reasoning");
  const calls = message.parts.filter((part) => part.type === "tool-call");
  const rest = message.parts.reduce((all, part) => (part.type === "text" ? all + part.text : all), "");
  const text = cut.text + addedText(cut.text, rest, true);
  return { ...message, parts: [...reasoningPart(cut.reasoning), ...thoughts, ...textPart(text), ...calls] };
}

const reasoningPart = (text: string): ReasoningPart[] => (text === "" ? [] : [{ type: "reasoning", text }]);
const textPart = (text: string): TextPart[] => (text === "" ? [] : [{ type: "text", text }]);
