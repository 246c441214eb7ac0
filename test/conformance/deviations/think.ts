import { isObject, type Json } from "../case-file.ts";
import { shownOf } from "../think-model.ts";
import type { Deviation } from "./deviation.ts";

/**
 * Both references strip thinking, each twice and each time by other rules; a stream and its stored text must agree here,
 * so one filter serves all. The reasons are told in docs/decisions/0010-one-think-filter.md.
 */
type Area = "think_scrubber" | "strip_think" | "think_strip" | "think_stream";

const NAMES = "think|thinking|reasoning|thought|reasoning_scratchpad";
const MARKUP = "tool_calls?|tool_result|function_calls?|function";

interface Rule {
  readonly areas: readonly Area[];
  readonly concerns: RegExp;
  readonly reason: string;
  readonly spec: string;
}

const RULES: readonly Rule[] = [
  {
    areas: ["think_scrubber", "strip_think", "think_strip", "think_stream"],
    concerns: new RegExp(`\`.*</?(?:${NAMES})>`, "is"),
    reason: "a tag in Markdown code is text",
    spec: "nanobot.md §11, mentions in back-ticks stay",
  },
  {
    areas: ["think_scrubber", "strip_think", "think_stream"],
    concerns: new RegExp(`\\S[^\n]*<(?:${NAMES})>`, "i"),
    reason:
      "a tag in the middle of a line is held back until its close tag comes, wherever the chunks are cut; alone it is text",
    spec: "features.md C12; nanobot.md §28.1",
  },
  {
    areas: ["think_scrubber"],
    concerns: new RegExp(`<(${NAMES})>(?:(?!</\\1>).)*</(?!\\1>)(?:${NAMES})>`, "is"),
    reason: "a block ends at its own close tag only",
    spec: "nanobot.md §11, mixed pairs",
  },
  {
    areas: ["think_strip", "think_stream"],
    concerns: new RegExp(`\\S.*</(?:${NAMES})>`, "is"),
    reason: "a lone close tag goes wherever it stands, with the white space behind it",
    spec: "hermes.md §23.3",
  },
  {
    areas: ["think_strip", "think_stream"],
    concerns: new RegExp(`\\S\\s*\n\\s*<(?:${NAMES})>`, "i"),
    reason: "a block that begins a line and never ends is hidden, also behind text",
    spec: "hermes.md §23.3, §23.4",
  },
  {
    areas: ["think_scrubber", "strip_think", "think_strip", "think_stream"],
    concerns: /<[/|]?[a-z_]*$/i,
    reason: "a text that ends inside one of the tags ends before it, unless too little of it is there to tell",
    spec: "nanobot.md §11.7; design.md §9.2, nothing shown is lost",
  },
  {
    areas: ["think_strip", "think_stream", "think_scrubber"],
    concerns: new RegExp(`</?(?:reasoning|reasoning_scratchpad|${MARKUP})\\b`, "i"),
    reason: "the tags of both references and tool calls written as text are hidden",
    spec: "hermes.md §23.3, §23.4; features.md C12",
  },
  {
    areas: ["strip_think"],
    concerns: new RegExp(`<(?:${MARKUP})\\b`, "i"),
    reason: "a tool call written as text is hidden also when it was cut off; the blanks before it were shown by then",
    spec: "features.md C12; design.md §9.2, chunking never changes what is shown",
  },
  {
    areas: ["strip_think"],
    concerns: new RegExp(`(?:^|\n)[ \\t]*<(?:${NAMES})[^\\w>][^>]*>`, "i"),
    reason: "only a tag of exactly that name opens a block",
    spec: "hermes.md §23.3, exact names; nanobot.md §11, <think/>, <think-foo> and <think:x> stay",
  },
  {
    areas: ["think_scrubber", "strip_think"],
    concerns: /<\|?channel\|>|<thinking\/>|<think(?:ing)?(?![\w\-:>/])|<thought(?![\w\-:>/])/i,
    reason: "channel marks, empty blocks and openers glued to a word are no answer",
    spec: "nanobot.md §11.3, §11.4, §11.6",
  },
];

/** The whole text of an input, or nothing where it was reset on the way. */
function wholeText(area: Area, input: Json): string | undefined {
  if (!isObject(input)) return undefined;
  const { text, chunks, steps } = input;
  if (area === "think_stream") return Array.isArray(chunks) ? chunks.join("") : undefined;
  if (area !== "think_scrubber") return typeof text === "string" ? text : undefined;
  if (!Array.isArray(steps)) return undefined;
  const feeds = (steps as readonly Json[]).slice(0, -1).map((step) => (isObject(step) ? step["feed"] : undefined));
  return feeds.every((feed) => typeof feed === "string") ? feeds.join("") : undefined;
}

function oursFor(area: Area, whole: string): Json {
  const { shown, unfinished } = shownOf(whole);
  const stripped = unfinished ? shown.replace(/\n[ \t]*$/, "") : shown;
  switch (area) {
    case "think_scrubber":
      return { visible: shown };
    case "strip_think":
      return { text: stripped };
    case "think_strip":
      return { text: stripped.trim() };
    case "think_stream":
      return { visible: shown.trim(), whole_text_stripped: stripped.trim() };
  }
}

const deviationsOf = (rule: Rule): Deviation[] =>
  rule.areas.map((area) => ({
    area,
    applies: (input) => rule.concerns.test(wholeText(area, input) ?? ""),
    ours: (input) => oursFor(area, wholeText(area, input) ?? ""),
    reason: rule.reason,
    spec: rule.spec,
  }));

/** What is shown is the same; white space and thoughts leave with the chunk that brought them. */
const EVENTS: Deviation = {
  area: "think_stream",
  applies: (input, expect) => {
    const whole = wholeText("think_stream", input);
    return whole !== undefined && isObject(expect) && expect["events"] !== undefined && /\s|</.test(whole);
  },
  ours: (input) => oursFor("think_stream", wholeText("think_stream", input) ?? ""),
  reason: "nothing that is certain is held back: white space and thoughts leave with the chunk that brought them",
  spec: "features.md C12, C19",
};

export const THINK_DEVIATIONS: readonly Deviation[] = [...RULES.flatMap(deviationsOf), EVENTS];
