import { stripThink, ThinkFilter } from "../../../src/model/think-filter.ts";
import { isObject, type Json } from "../case-file.ts";
import { listOf, objectOf, textOf } from "../input.ts";

/** `{steps}`, each `{feed}`, `{flush}` or `{reset}`: what each shows (a reset shows nothing), and all of it. */
export function thinkScrubberCase(input: Json): unknown {
  let filter = new ThinkFilter();
  const steps = listOf(objectOf(input, "input")["steps"], "steps").map((step): string | null => {
    const { feed, flush, reset } = objectOf(step, "step");
    if (feed !== undefined) {
      filter.feed(textOf(feed, "feed"));
      return taken(filter).text;
    }
    const ended = filter;
    filter = new ThinkFilter();
    if (reset === true) return null;
    if (flush !== true) throw new Error("a step that neither feeds, flushes nor resets");
    ended.end();
    return ended.text;
  });
  return { per_step: steps, visible: steps.join("") };
}

function taken(filter: ThinkFilter): { readonly text: string; readonly reasoning: string } {
  const { text, reasoning } = filter;
  filter.text = "";
  filter.reasoning = "";
  return { text, reasoning };
}

export const stripThinkCase = (input: Json): unknown => ({
  text: stripThink(textOf(objectOf(input, "input")["text"], "text")),
});

/** The same text, trimmed: this reference trims what it stores. */
export const thinkStripCase = (input: Json): unknown => ({
  text: stripThink(textOf(objectOf(input, "input")["text"], "text")).trim(),
});

type Event = readonly [kind: "text" | "reasoning", text: string];

/** `{chunks}`: what is shown and thought chunk by chunk, all that is shown, and the same text stripped as a whole. */
export function thinkStreamCase(input: Json): unknown {
  const chunks = listOf(objectOf(input, "input")["chunks"], "chunks").map((chunk) => textOf(chunk, "chunk"));
  const filter = new ThinkFilter();
  const events = chunks.flatMap((chunk) => {
    filter.feed(chunk);
    return eventsOf(filter);
  });
  filter.end();
  events.push(...eventsOf(filter));
  const visible = events.filter(([kind]) => kind === "text").map(([, text]) => text);
  return { events, visible: visible.join("").trim(), whole_text_stripped: stripThink(chunks.join("")).trim() };
}

function eventsOf(filter: ThinkFilter): Event[] {
  const { text, reasoning } = taken(filter);
  return [
    ...(reasoning === "" ? [] : [["reasoning", reasoning] as const]),
    ...(text === "" ? [] : [["text", text] as const]),
  ];
}

/** Where the reference itself leaks or repeats characters, its stripped whole text is what counts. */
export function thinkStreamExpectation(expect: Json): Json {
  if (!isObject(expect) || expect["visible_reference_glitch"] === undefined) return expect;
  const { visible_reference_glitch: _glitch, note: _note, ...rest } = expect;
  return { ...rest, visible: rest["whole_text_stripped"] ?? null };
}
