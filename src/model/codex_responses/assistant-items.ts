import type { AssistantMessage, ReasoningPart, TextPart, ToolCallPart } from "../../protocol/message.ts";
import type { Reader } from "../dialect.ts";
import { isAtHome } from "../provenance.ts";
import { objectsIn, string } from "../reading.ts";
import { canonicalArguments, quote, safeName } from "../wire-text.ts";
import { wireCallId } from "./call-id.ts";

type Part = AssistantMessage["parts"][number];

/** The items of one reply, in the order in which it brought them; empty: there are none. */
export function assistantItems(message: AssistantMessage, reader: Reader): string {
  const thoughts: string[] = [];
  let items = "";
  // Reasoning is refused without the item it led to.
  let sent = "";
  for (const group of grouped(message.parts)) {
    const item = itemOf(group, reader);
    if (item === undefined || thoughts.includes(item)) continue;
    items += items === "" ? item : `,${item}`;
    if (group.first.type === "reasoning") thoughts.push(item);
    else sent = items;
  }
  return sent;
}

interface Group {
  readonly first: Part;
  /** All of it, where it is text. */
  text: string;
}

/** Texts that stand side by side are one message, unless their server told them apart. */
function grouped(parts: readonly Part[]): readonly Group[] {
  const groups: Group[] = [];
  for (const part of parts) {
    const open = groups.at(-1);
    if (part.type === "text" && open?.first.type === "text" && samePhase(open.first, part)) open.text += part.text;
    else groups.push({ first: part, text: part.type === "text" ? part.text : "" });
  }
  return groups;
}

const samePhase = (first: TextPart, part: TextPart): boolean =>
  part.opaque === undefined && (first.opaque === undefined || part.text.trim() === "");

function itemOf({ first, text }: Group, reader: Reader): string | undefined {
  switch (first.type) {
    case "text":
      return textItem(first, text.trim(), reader);
    case "reasoning":
      return isAtHome(first.provenance, reader) ? reasoningItem(first) : undefined;
    case "tool-call":
      return callItem(first);
  }
}

function textItem(first: TextPart, text: string, reader: Reader): string | undefined {
  if (text === "") return undefined;
  const phase = isAtHome(first.provenance, reader) ? string(first.opaque?.["phase"]) : "";
  return phase === ""
    ? `{"role":"assistant","content":${quote(text)}}`
    : `{"type":"message","role":"assistant","status":"completed","content":[{"type":"output_text","text":${quote(text)}}],"phase":${quote(phase)}}`;
}

/** No item has its id: nothing was stored under it, and careless servers give one twice. */
function reasoningItem({ opaque = {} }: ReasoningPart): string | undefined {
  const sealed = string(opaque["encrypted_content"]);
  if (sealed === "") return undefined;
  const summary = objectsIn(opaque["summary"]).map(
    ({ text }) => `{"type":"summary_text","text":${quote(string(text))}}`,
  );
  return `{"type":"reasoning","summary":[${summary.join()}],"encrypted_content":${quote(sealed)}}`;
}

const callItem = ({ callId, name, input }: ToolCallPart): string =>
  `{"type":"function_call","call_id":${quote(wireCallId(callId))},"name":"${safeName(name)}","arguments":${quote(canonicalArguments(input))}}`;
