import { CLARIFY, MOST_CHOICES, type Question } from "../protocol/question.ts";
import type { Tool } from "../protocol/tool.ts";

const DESCRIPTION =
  "Asks the user one question and waits for the answer. For what only they can decide: which of several readings is meant, " +
  "a preference, a choice that is costly to take back. Not for what you can find out, nor for a yes to a call: that is asked " +
  "for by itself. With up to four `choices` they pick one or say something else.";

/** One question to the person at the other end (row E9): it runs when they have answered, or when there is nobody. */
export const clarifyTool: Tool = {
  name: CLARIFY,
  toolset: "session",
  description: DESCRIPTION,
  parameters: {
    type: "object",
    properties: {
      question: { type: "string" },
      choices: { type: "array", items: { type: "string" }, maxItems: MOST_CHOICES },
    },
    required: ["question"],
  },
  effect: "pure",
  concurrency: "exclusive",
  trusted: true,
  question: (input) => {
    const read = questionIn(input);
    return "why" in read ? undefined : read;
  },
  run(input, { answer }) {
    const read = questionIn(input);
    if ("why" in read) throw new Error(read.why);
    if (answer === undefined) throw new Error(NOBODY);
    const said = answer === "" ? "(no answer: decide yourself, and say how)" : answer;
    return { question: read.text, choices_offered: read.choices, user_response: said };
  },
};

const NOBODY =
  "Nobody can be asked: no person attends this conversation. Decide yourself what is most likely meant, and say in your answer " +
  "what you assumed.";

function questionIn({
  question,
  choices = [],
}: Readonly<Record<string, unknown>>): Question | { readonly why: string } {
  if (typeof question !== "string" || question.trim() === "") return { why: "A question needs words." };
  const given = (Array.isArray(choices) ? choices : []).map((choice) => String(choice).trim());
  return { text: question.trim(), choices: given.filter((choice) => choice !== "") };
}
