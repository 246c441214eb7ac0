import { assistantText, userText } from "../../../src/protocol/message.ts";
import { relieve } from "../../../src/turn/pressure.ts";
import { initialState, UNATTENDED } from "../../../src/turn/state.ts";
import type { Json } from "../case-file.ts";
import { numberOf, objectOf } from "../input.ts";

/** More messages than are left as they are in any case. */
const HISTORY = Array.from({ length: 40 }, (_, at) => (at % 2 === 0 ? userText("go on") : assistantText("done")));

/** `{context_length, prompt_tokens, ineffective_count}`: whether less is sent before the next request. */
export function compressionTriggerCase(input: Json): unknown {
  const { context_length: window, prompt_tokens: tokens, ineffective_count: strikes } = objectOf(input, "input");
  const setup = { model: "m", provider: "p", maxIterations: 9, approvals: "never", ...UNATTENDED } as const;
  const state = initialState({ ...setup, contextWindow: numberOf(window, "context_length") }, [...HISTORY], {
    strikes: numberOf(strikes, "ineffective_count"),
  });
  return { should_compress: relieve(state, numberOf(tokens, "prompt_tokens")) !== undefined };
}
