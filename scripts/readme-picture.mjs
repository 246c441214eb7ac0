// `npm run picture`: records the tour in a terminal and writes the README's picture, where it shows something new.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { COLUMNS, recordDemo } from "./picture/record.mjs";
import { COMMAND, linesIn, structureOf, svgOf } from "./picture/svg.mjs";
import { setUp } from "./setup/set-up.mjs";
import { runMain } from "./setup/trouble.mjs";

await runMain(async () => {
  const root = dirname(dirname(fileURLToPath(import.meta.url)));
  const file = join(root, "docs", "demo.svg");
  const node = await setUp(root, { bundle: true });
  const lines = [COMMAND, ...(await recordDemo(root, node))];
  const before = existsSync(file) ? structureOf(linesIn(readFileSync(file, "utf8"))) : [];
  if (JSON.stringify(before) === JSON.stringify(structureOf(lines))) {
    console.log("docs/demo.svg shows what the tour shows; nothing was written.");
    return 0;
  }
  writeFileSync(file, svgOf(lines, COLUMNS));
  console.log("docs/demo.svg was written from this run.");
  return 0;
});
