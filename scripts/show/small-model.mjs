import { INSTRUCTION, OPEN, playSmallModel, SMALL, tokensOf, WAYS } from "../../test/scenario/small-model.ts";

export const about =
  "a session of 200,000 tokens goes on with a model of 32,768: by a switch, a fallback, another process";

const REPLY = 4_096;

/**
 * @returns {Promise<import("../show.mjs").Figure[]>}
 */
export async function measure() {
  const figures = [];
  for (const way of WAYS) {
    const { result, facts, asked, refused, summaries, sessionTokens } = await playSmallModel(way);
    const [request] = asked;
    const tokens = request === undefined ? Infinity : tokensOf(request);
    const text = request?.text ?? "";
    const kept = text.includes(JSON.stringify(INSTRUCTION).slice(1, -1)) && OPEN.every((item) => text.includes(item));
    const compactions = facts.filter(({ type }) => type === "history-compacted").length;
    figures.push({
      figure: `by ${way}`,
      value: `${sessionTokens} → ${tokens} tokens in ${compactions} compaction(s) and ${summaries} summaries, ${refused} refused; last instruction and open items ${kept ? "there" : "MISSING"}; answered ${result.ok}`,
      goal: `≤ ${SMALL - REPLY}, none refused, both there, an answer`,
      pass: result.ok && refused === 0 && kept && tokens <= SMALL - REPLY,
    });
  }
  return figures;
}
