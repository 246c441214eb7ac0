import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { recordFilm } from "../../scripts/picture/film.mjs";
import { recordDemo } from "../../scripts/picture/record.mjs";
import { COMMAND, filmLines, linesIn, structureOf, svgOf } from "../../scripts/picture/svg.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));

test("[X2] the picture of the README is what the script makes of a run of the tour today", async () => {
  const picture = await readFile(join(root, "docs/demo.svg"), "utf8");
  const today = structureOf([COMMAND, ...(await recordDemo(root, process.execPath))]);
  expect(structureOf(linesIn(picture)), "make it anew: npm run picture").toEqual(today);
  expect(await readFile(join(root, "README.md"), "utf8")).toContain("](docs/demo.svg)");
});

test("[X3] [G3] the film of the README is what happens today when a turn with three tools is killed and goes on", async () => {
  const { frames, svg } = await recordFilm(root, process.execPath);
  const film = await readFile(join(root, "docs/film.svg"), "utf8");
  expect(structureOf(linesIn(film)), "make it anew: npm run picture").toEqual(structureOf(filmLines(frames)));
  for (const drawn of [svg, await readFile(join(root, "docs/film-turn.svg"), "utf8")]) {
    expect(drawn).toContain("its process had died; then resumed");
    expect(drawn.match(/>\$ sh check\.sh</gu)).toHaveLength(2);
    expect(drawn).toContain("text_response: The model has answered.");
  }
  const readme = await readFile(join(root, "README.md"), "utf8");
  for (const name of ["film.svg", "film-turn.svg"]) expect(readme).toContain(`](docs/${name})`);
});

test("[X2] nothing of a recording is lost in its picture, and nothing in it is markup", () => {
  const lines = ['  a <b> & "c"', "", "█▓  ░░ one   two 中文", "-old", "+new"];
  expect(structureOf(linesIn(svgOf(lines, 40)))).toEqual(structureOf(lines));
  expect(svgOf(lines, 40)).not.toContain("<b>");
});

test("[X2] times, ports and bars are no structure, words are", () => {
  const one = ["  1.2 s   3 ms ██ asks for 3 calls", "HTTP 429 from 127.0.0.1:4711"];
  const other = ["HTTP 429 from 127.0.0.1:80", " 900 ms        █ asks for 3 calls"];
  expect(structureOf(one)).toEqual(structureOf(other));
  expect(structureOf(["asks for 3 calls"])).not.toEqual(structureOf(["answers"]));
});
