import { SUBJECTS } from "../../test/dialects/subjects.ts";
import { prefixAcross } from "../../test/dialects/prefix.ts";

export const about =
  "what consecutive requests begin with alike: 30 iterations with tools, turns, a restart, on every dialect";

const ITERATIONS = 30;

/**
 * @returns {Promise<import("../show.mjs").Figure[]>}
 */
export async function measure() {
  const figures = [];
  for (const { wire } of SUBJECTS) {
    const { requests, headBytes, equalBytes, named, unnamed, missed } = await prefixAcross(wire.mode, ITERATIONS);
    const share = `${((100 * equalBytes) / headBytes).toFixed(4).replace(/\.?0+$/u, "")} %`;
    const breaks = [...named.map((cause) => `named: ${cause}`), ...unnamed.map((cause) => `UNNAMED: ${cause}`)];
    figures.push({
      figure: wire.mode,
      value: `${share} (${equalBytes} of ${headBytes} head bytes of ${requests} requests; breaks ${breaks.join(", ") || "none"}; ${missed} tokens missed before)`,
      goal: "100 %, each break named by a fact",
      pass: headBytes > 0 && equalBytes === headBytes && unnamed.length === 0 && named.length === 2 && missed === 0,
    });
  }
  return figures;
}
