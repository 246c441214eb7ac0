import { readFileSync } from "node:fs";
import { join } from "node:path";
import { recordFilm } from "../picture/film.mjs";
import { filmLines, linesIn, structureOf } from "../picture/svg.mjs";
import { setUp } from "../setup/set-up.mjs";

export const about =
  "the README's film of a turn that is killed and goes on, beside a new recording (`npm run picture`)";

/**
 * @param {string} root
 * @returns {Promise<import("../show.mjs").Figure[]>}
 */
export async function measure(root) {
  const node = await setUp(root, { bundle: true });
  const { frames, svg } = await recordFilm(root, node);
  const shown = structureOf(linesIn(readFileSync(join(root, "docs", "film.svg"), "utf8")));
  const seen = structureOf(filmLines(frames));
  const [old, fresh] = [shown.filter((line) => !seen.includes(line)), seen.filter((line) => !shown.includes(line))];
  for (const line of old) console.log(`only in the film: ${line}`);
  for (const line of fresh) console.log(`only in this run: ${line}`);
  const [before, now] = [readFileSync(join(root, "docs", "film-turn.svg"), "utf8"), svg].map(barsIn);
  const same = JSON.stringify(shown) === JSON.stringify(seen);
  return [
    { figure: "lines of the film that differ", value: String(old.length + fresh.length), goal: "0", pass: same },
    {
      figure: "bars of its turn, and of this one",
      value: `${before} / ${now}`,
      goal: "the same",
      pass: before === now,
    },
  ];
}

/**
 * What is drawn, in order: calls side by side may end in any order, and what took no time has no bar.
 * @param {string} svg
 */
const barsIn = (svg) =>
  [...svg.matchAll(/<rect [^>]*class="(model|tool|gap|person)" fill="url\(#\w+\)"/gu)]
    .map(([, sign]) => sign)
    .join(" ");
