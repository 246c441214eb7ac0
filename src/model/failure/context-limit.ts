/** What a window can be, tokens (hermes.md §10.8). */
const PLAUSIBLE = { least: 1_024, most: 10_000_000 };

const NUMBER = String.raw`(?<!\d)(\d{4,8})(?!\d)`;

/**
 * Where the window of a model stands in what a server says, the surest first: a sum that names it last, the forms of
 * hermes.md §10.8 in their order, then those of vLLM, llama.cpp, Gemini and DashScope.
 */
const FORMS: readonly RegExp[] = [
  String.raw`exceed context limit: \d{1,8} \+ \d{1,8} > ${NUMBER}`,
  String.raw`(?:max(?:imum)?|limit) ?(?:context ?)?(?:length|size|window)? ?(?:is|of|:)? ?${NUMBER}`,
  String.raw`context ?(?:length|size|window) ?(?:is|of|:)? ?${NUMBER}`,
  String.raw`${NUMBER} ?(?:token)? ?(?:context|limit)`,
  String.raw`> ?${NUMBER} ?(?:max|limit|token)`,
  String.raw`${NUMBER} ?max(?:imum)?\b`,
  String.raw`max_model_len\W{0,3}${NUMBER}`,
  String.raw`(?:context size|tokens allowed) \(${NUMBER}`,
  String.raw`input length should be \[\d{1,8}, ?${NUMBER}`,
].map((form) => new RegExp(form));

/** The window that a server says its model has, tokens; `text` as `toMatch` leaves it. */
export function contextLimit(text: string): number | undefined {
  const plain = text.replaceAll(/(?<=\d),(?=\d{3}(?!\d))/g, "");
  for (const form of FORMS) {
    const limit = Number(form.exec(plain)?.[1]);
    if (limit >= PLAUSIBLE.least && limit <= PLAUSIBLE.most) return limit;
  }
  return undefined;
}
