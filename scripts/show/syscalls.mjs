import { boundariesOfTurn } from "../../test/system/canonical-turn.ts";
import { needStrace } from "../../test/system/strace.ts";
import { sweep } from "../../test/system/sweep.ts";
import { counter } from "../report/progress.mjs";
import { setUp } from "../setup/set-up.mjs";

export const about = "kill -9 at every system call by which a turn changes anything (needs strace, about 3 minutes)";

/** security.md R3: as many boundaries as one turn is expected to have. */
const LEAST = 150;

/**
 * @param {string} root
 * @returns {Promise<import("../show.mjs").Figure[]>}
 */
export async function measure(root) {
  needStrace();
  await setUp(root, { bundle: true });
  const boundaries = await boundariesOfTurn();
  const progress = counter("system calls", boundaries.length);
  const { tried, died, left, violations } = await sweep(boundaries, { onDeath: progress.step });
  progress.end();
  for (const violation of violations) console.log(violation);
  return [
    {
      figure: "system calls of one turn, each a death",
      value: `${tried} (${died} died; left: ${Object.entries(left)
        .map(([what, times]) => `${what} ${times}`)
        .join(", ")})`,
      goal: `all, >= ${LEAST}`,
      pass: died >= LEAST && died >= tried * 0.9,
    },
    {
      figure: "lost, doubled, unsound or not gone on with",
      value: `${violations.length}`,
      goal: "0",
      pass: violations.length === 0,
    },
  ];
}
