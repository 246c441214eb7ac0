import { secretCleaner } from "../../../src/cli/log/secrets.ts";
import { KnownStream, KnownValues, nothingKnown } from "../../../src/protocol/redact/known.ts";
import { redact } from "../../../src/protocol/redact/redact.ts";
import { createToolbox } from "../../../src/tools/toolbox.ts";
import { unmarked } from "../../support/marks.ts";
import type { Json, JsonObject } from "../case-file.ts";
import { listOf, objectOf, textOf, textOrNone } from "../input.ts";

const KEY = [1, 2] as const;

/** Which mark it is differs from process to process. */
const marked = (text: string): string => unmarked(text).replaceAll("***", "‹redacted›");

export const redactionCase = (input: Json): unknown => ({
  text: marked(redact(textOf(objectOf(input, "input")["text"], "text"), nothingKnown())),
});

export function maskSecretCase(input: Json): unknown {
  const { value } = objectOf(input, "input");
  return { masked: marked(nothingKnown().mark("key", textOrNone(value))) };
}

/** `{text, known_secrets, sink}`: through the sink that it names. */
export function redactCase(input: Json): unknown {
  const given = objectOf(input, "input");
  const secrets = listOf(given["known_secrets"], "known_secrets").map((secret) => textOf(secret, "secret"));
  const known = new KnownValues(secrets, KEY);
  const text = textOf(given["text"], "text");
  if (given["chunks"] !== undefined) return inPieces(text, known);
  switch (given["sink"]) {
    case "tool_result":
    case "approval_prompt":
      return toolResult(text, known);
    case "chat":
      return passed(known, [text]);
    default:
      return secretCleaner({}, secrets)(text);
  }
}

async function toolResult(text: string, known: KnownValues): Promise<string> {
  const tool = {
    name: "say",
    description: "Says it.",
    parameters: { type: "object" },
    effect: "pure",
    concurrency: "shared",
    run: () => text,
  } as const;
  const { port } = createToolbox([tool], { known: () => known });
  const context = { callId: "c", sessionId: "s", history: [], output: () => undefined };
  const call = { type: "tool-call", callId: "c", name: "say", input: "{}" } as const;
  return (await port.run(call, { ...context, signal: new AbortController().signal })).text;
}

function passed(known: KnownValues, pieces: readonly string[]): string {
  const stream = new KnownStream(known);
  return pieces.map((piece) => stream.pass(piece)).join("") + stream.end();
}

/** All that is ever shown, however it is cut in two and in three. */
function inPieces(text: string, known: KnownValues): string {
  const shown = new Set<string>();
  for (let first = 0; first <= text.length; first++) {
    for (let second = first; second <= text.length; second++)
      shown.add(passed(known, [text.slice(0, first), text.slice(first, second), text.slice(second)]));
  }
  return [...shown].join("\n");
}

/** What is in the text, and what is not. */
export function redactExpectation(expect: Json): Json {
  const { must_contain: kept, must_not_contain: gone }: JsonObject = objectOf(expect, "expect");
  return { $CONTAINS: kept ?? [], $WITHOUT: gone ?? [] };
}
