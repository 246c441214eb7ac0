import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { recordDemo } from "../../scripts/picture/record.mjs";
import { COMMAND, linesIn, structureOf, svgOf } from "../../scripts/picture/svg.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));

test("[X2] the picture of the README is what the script makes of a run of the tour today", async () => {
  const picture = await readFile(join(root, "docs/demo.svg"), "utf8");
  const today = structureOf([COMMAND, ...(await recordDemo(root, process.execPath))]);
  expect(structureOf(linesIn(picture)), "make it anew: npm run picture").toEqual(today);
  expect(await readFile(join(root, "README.md"), "utf8")).toContain("](docs/demo.svg)");
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
