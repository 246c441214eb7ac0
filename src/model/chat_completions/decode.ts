import type { Finish } from "../../protocol/fact.ts";
import type { EventReader } from "../dialect.ts";
import { insideText, type ReplyBuilder } from "../reply-builder.ts";
import { CallPlaces, pieceOfCall } from "./calls.ts";
import { ReasoningDetails } from "./reasoning-details.ts";
import { usageOf } from "./usage.ts";
import { pieceOf, type WireChunk } from "./wire.ts";

/** This wire keeps no order between what is thought, said and called: that of the parts is ours. */
const SAID = 1;
const THOUGHT = insideText(SAID);
const FIRST_CALL = 2;

/** Chunks of a stream, or one whole completion. */
export function chatEvents(builder: ReplyBuilder): EventReader {
  const calls = new CallPlaces(FIRST_CALL);
  const details = new ReasoningDetails();
  return {
    read(event) {
      const chunk: WireChunk = event;
      if (chunk.usage) builder.usage(usageOf(chunk.usage));
      if (!Array.isArray(chunk.choices)) return "unknown";
      const [choice] = chunk.choices;
      if (choice === undefined || choice === null) return "aside";
      const { reasoning, details: sealed, text, refusal, calls: called, finish } = pieceOf(choice);
      builder.reasoning(THOUGHT, reasoning);
      if (sealed !== undefined) {
        details.add(sealed);
        builder.opaque(THOUGHT, { reasoning_details: details.all });
      }
      builder.text(SAID, text);
      builder.refusal(refusal);
      for (const call of called) builder.call(calls.placeOf(call), pieceOfCall(call));
      if (finish !== "") builder.finishWord(finish, FINISH);
      return "part";
    },
  };
}

/** Calls that are there decide, whatever the word. */
const FINISH: ReadonlyMap<string, Finish> = new Map([
  ["stop", "stop"],
  ["eos", "stop"],
  ["end_turn", "stop"],
  ["stop_sequence", "stop"],
  ["tool_calls", "stop"],
  ["tool_use", "stop"],
  ["function_call", "stop"],
  ["length", "length"],
  ["max_tokens", "length"],
  ["content_filter", "content_filter"],
]);
