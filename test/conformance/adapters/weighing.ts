import { type Message, textOf } from "../../../src/protocol/message.ts";
import { messageTokens } from "../../../src/protocol/token-estimate.ts";
import type { JsonObject } from "../case-file.ts";
import { numberOf, objectOf } from "../input.ts";

/** How our words for output that was left out begin. */
const CUT = /^\[\d+ characters of old output were left out/u;

/** `{token_table, token_default}`: what each text weighs in a case; without them, what we reckon. */
export function weighing(input: JsonObject): (message: Message) => number {
  const { token_table: table, token_default: usual } = input;
  if (usual === undefined) return messageTokens;
  const known = objectOf(table ?? {}, "token_table");
  return (message) => {
    const text = textOf(message);
    return numberOf(known[CUT.test(text) ? "$COMPACTED" : text] ?? usual, "tokens");
  };
}
