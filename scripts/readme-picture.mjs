// `npm run picture`: records the tour and a turn that outlives its process, and writes the README's pictures, where they show something new.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { FILM_COLUMNS, recordFilm } from "./picture/film.mjs";
import { COLUMNS, recordDemo } from "./picture/record.mjs";
import { COMMAND, filmLines, filmOf, linesIn, structureOf, svgOf } from "./picture/svg.mjs";
import { setUp } from "./setup/set-up.mjs";
import { runMain } from "./setup/trouble.mjs";

/**
 * @param {string} file
 * @param {readonly string[]} lines
 */
function shows(file, lines) {
  const before = existsSync(file) ? structureOf(linesIn(readFileSync(file, "utf8"))) : [];
  return JSON.stringify(before) === JSON.stringify(structureOf(lines));
}

await runMain(async () => {
  const root = dirname(dirname(fileURLToPath(import.meta.url)));
  const node = await setUp(root, { bundle: true });
  const [demo, film] = ["demo.svg", "film.svg"].map((name) => join(root, "docs", name));
  if (demo === undefined || film === undefined) return 1;
  const lines = [COMMAND, ...(await recordDemo(root, node))];
  if (shows(demo, lines)) console.log("docs/demo.svg shows what the tour shows; nothing was written.");
  else {
    writeFileSync(demo, svgOf(lines, COLUMNS));
    console.log("docs/demo.svg was written from this run.");
  }
  const { frames, svg } = await recordFilm(root, node);
  if (shows(film, filmLines(frames))) console.log("docs/film.svg shows what the program does; nothing was written.");
  else {
    writeFileSync(film, filmOf(frames, FILM_COLUMNS));
    writeFileSync(join(root, "docs", "film-turn.svg"), svg);
    console.log("docs/film.svg and docs/film-turn.svg were written from this run.");
  }
  return 0;
});
