import type { Author } from "../protocol/memory.ts";
import type { ToolCallPart } from "../protocol/message.ts";
import { EXCLUSIVE } from "../protocol/tool.ts";
import { rawSignature } from "./fingerprint.ts";
import type { Toolbox } from "./toolbox.ts";

/**
 * The same tools before the model, so that what it is sent begins with the same bytes, of which it may use some alone; what
 * these write is in the author's name. Undefined when one of the names is of no tool.
 */
export function limited(box: Toolbox, names: readonly string[], author: Author): Toolbox | undefined {
  const known = new Set(box.specs.map(({ name }) => name));
  if (!names.every((name) => known.has(name))) return undefined;
  const isBarred = (call: ToolCallPart): boolean => {
    const name = box.read(call)?.name;
    return name !== undefined && !names.includes(name);
  };
  const refusal = refusalOf(names);
  return {
    ...box,
    port: {
      ...box.port,
      inspect(call, seen) {
        const inspection = box.port.inspect(call, seen);
        if (!isBarred(call)) return inspection;
        return { claim: EXCLUSIVE, effect: "pure", refuse: refusal, signature: rawSignature(call.input) };
      },
      run(call, context) {
        return isBarred(call) ? Promise.reject(new Error(refusal)) : box.port.run(call, { ...context, author });
      },
    },
  };
}

const refusalOf = (names: readonly string[]): string =>
  `Not run: this conversation is only looked back at, so nothing but ${names.join(", ") || "words"} can be used. ` +
  "The work itself is over.";
