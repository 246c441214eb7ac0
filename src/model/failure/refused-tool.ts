/** Says that something is wrong with a tool that was sent. After the errors of OpenAI, Anthropic, Gemini, Bedrock and vLLM. */
const NAMED: readonly RegExp[] = [
  /\b(?:schema|parameters|declaration|definition|name) (?:for|of|in) (?:the )?(?:function|tool):? ?["'`]?([\w-]+)/,
  /\b(?:function|tool) ["'`]([\w-]+)["'`]:? [^.]{0,40}\b(?:invalid|malformed|not (?:a )?(?:valid|supported|allowed))\b/,
];

/** Where a tool stands among those that were sent. Gemini has all of them in its first one. */
const PLACES: readonly RegExp[] = [
  /\bfunction_?declarations(?:\[|\.)(\d+)/,
  /\btools(?:\[|\.)(\d+)\]?\.(?:function|custom|input_schema|parameters|name|member|toolspec)/,
];

/** A tool that a server does not take: its name, or its place from 0 as text. `text`: codes and sentences, in lower case. */
export const refusedTool = (text: string): string | undefined =>
  [...NAMED, ...PLACES].map((words) => words.exec(text)?.[1]).find((named) => named !== undefined);
