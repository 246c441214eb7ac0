import { toolHints } from "../../../src/session/tool-hint.ts";
import type { Json } from "../case-file.ts";
import { listOf, objectOf } from "../input.ts";

/** The recorded names of our tools, with what their name says and ours is told. */
const OURS: ReadonlyMap<string, readonly [name: string, more: object]> = new Map([
  ["exec", ["terminal", {}]],
  ["grep", ["search_files", { mode: "content" }]],
]);

/** `{calls, max_length}`: the calls as one line. */
export function toolHintCase(input: Json): unknown {
  const { calls, max_length: maxChars } = objectOf(input, "input");
  const read = listOf(calls, "calls").map((call) => {
    const { name, arguments: given } = objectOf(call, "call");
    const written = typeof name === "string" ? name : "";
    const [ours, more] = OURS.get(written) ?? [written, {}];
    return { name: ours, input: JSON.stringify({ ...objectOf(given, "arguments"), ...more }) };
  });
  return { hint: toolHints(read, Number(maxChars)) };
}
