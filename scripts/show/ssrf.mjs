import { edgeRounds, urlRounds } from "../../test/support/ssrf-rounds.ts";

export const about = "what tools may reach: the edges of every range in fifteen encodings, and 10,000 random URLs";

const URLS = 10_000;

/** @returns {Promise<import("../show.mjs").Figure[]>} */
export async function measure() {
  const { tried, wrong } = edgeRounds();
  const { dialled, strays } = await urlRounds(URLS);
  return [
    {
      figure: `of ${tried} addresses at edges, judged wrongly`,
      value: String(wrong.length),
      goal: "0",
      pass: wrong.length === 0,
    },
    {
      figure: `of ${URLS} random URLs, of which ${dialled} were dialled, to another host than was judged`,
      value: String(strays.length),
      goal: "0",
      pass: strays.length === 0 && dialled > 0,
    },
  ];
}
