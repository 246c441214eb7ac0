import type { Fact, ReceiptFact } from "../../protocol/fact.ts";
import type { PartialReply } from "../../protocol/failure.ts";
import { type AssistantMessage, textOf } from "../../protocol/message.ts";
import type { ModelReply, Successor } from "../../protocol/ports.ts";
import { FailedCall, type ToolResult } from "../../protocol/tool.ts";
import type { CutReply } from "../../turn/state.ts";

const NOTHING: ModelReply = { type: "aborted", text: "", reasoning: "" };

/**
 * What a model must have said for this fact to come of it; undefined: no reply leads to it. `stopped`: the request was
 * cancelled, and may have brought nothing at all.
 */
export function replyFor(next: Fact | undefined, cut: CutReply | undefined, stopped: boolean): ModelReply | undefined {
  switch (next?.type) {
    case "assistant-message":
      return next.message.interrupted === true ? abortedAs(next.message, cut) : wholeAs(next, cut);
    case "reply-empty": {
      const { reasoning, usage } = next;
      return { type: "empty", ...(reasoning && { reasoning }), ...(usage && { usage }) };
    }
    case "reply-cut":
      return { type: "cut", partial: unspliced(next.partial, cut), ...(next.usage && { usage: next.usage }) };
    case "model-failure": {
      const { failure, partial, usage } = next;
      const more = { ...(partial && { partial: unspliced(partial, cut) }), ...(usage && { usage }) };
      return { type: "failure", failure, ...more };
    }
    case "attempt-cancelled":
      return next.usage === undefined ? NOTHING : { type: "empty", usage: next.usage };
    default:
      return stopped ? NOTHING : undefined;
  }
}

function wholeAs(fact: Extract<Fact, { type: "assistant-message" }>, cut: CutReply | undefined): ModelReply {
  const { message, finish, unknownFinish, usage } = fact;
  const more = { ...(unknownFinish !== undefined && { unknownFinish }), ...(usage && { usage }) };
  return { type: "message", message: withoutThoughts(message, cut), finish, ...more };
}

/** What was thought before a cut stands in front of the message again when it is joined. */
const withoutThoughts = (message: AssistantMessage, cut: CutReply | undefined): AssistantMessage =>
  cut === undefined || cut.reasoning === "" || message.parts[0]?.type !== "reasoning"
    ? message
    : { ...message, parts: message.parts.slice(1) };

function abortedAs(message: AssistantMessage, cut: CutReply | undefined): ModelReply {
  const thought = message.parts.reduce((all, part) => (part.type === "reasoning" ? all + part.text : all), "");
  const before = cut?.reasoning ?? "";
  const reasoning = thought.startsWith(before) ? thought.slice(before.length) : thought;
  return { type: "aborted", text: textOf(message), reasoning };
}

/** What a reply has added, as it came: behind what was there before, as if the model had begun again. */
const unspliced = (partial: PartialReply, cut: CutReply | undefined): PartialReply =>
  cut === undefined || cut.text.trimStart() !== cut.text ? partial : { ...partial, text: cut.text + partial.text };

/** The result that a receipt tells of; throws what its tool must have thrown. */
export function resultOf({ message, digest, failed, disk }: ReceiptFact): ToolResult {
  const [first] = message.parts;
  const text = first?.type === "text" ? first.text : "";
  if (message.status !== "ok") throw disk === undefined ? new Error(text) : new FailedCall(text, disk);
  const images = message.parts.filter((part) => part.type === "image");
  return {
    text,
    ...(images.length > 0 && { images }),
    ...(digest !== undefined && { digest }),
    ...(failed && { failed }),
    ...(message.files && { files: message.files }),
    ...(disk && { disk }),
  };
}

export function successorIn(fact: Extract<Fact, { type: "model-switched" }>): Successor {
  const { type: _type, because: _because, ...next } = fact;
  return next;
}
