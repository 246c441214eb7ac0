// `npm run show -- NAME` measures a named figure and prints it beside its goal; alone it lists the names.
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { runMain } from "./setup/trouble.mjs";

/**
 * Each file of the folder `show` is one name and exports `about` (one line) and `measure`.
 * @typedef {{ figure: string, value: string, goal: string, pass: boolean }} Figure
 * @typedef {{ about: string, measure(root: string): Promise<Figure[]> }} Show
 */

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const folder = join(root, "scripts", "show");

const names = readdirSync(folder)
  .filter((file) => file.endsWith(".mjs"))
  .map((file) => file.slice(0, -".mjs".length))
  .sort();

/**
 * @param {string} name
 * @returns {Promise<Show>}
 */
async function load(name) {
  return import(pathToFileURL(join(folder, `${name}.mjs`)).href);
}

/**
 * @param {Figure[]} figures
 * @returns {string}
 */
function table(figures) {
  const width = Math.max(...figures.map(({ figure }) => figure.length));
  return figures
    .map(
      ({ figure, value, goal, pass }) => `${pass ? "pass" : "FAIL"}  ${figure.padEnd(width)}  ${value}  (goal ${goal})`,
    )
    .join("\n");
}

await runMain(async () => {
  const [name] = process.argv.slice(2);
  if (name === undefined) {
    for (const each of names) console.log(`${each.padEnd(16)} ${(await load(each)).about}`);
    return 0;
  }
  if (!names.includes(name)) {
    console.error(`There is no figure called ${name}; known: ${names.join(", ")}.`);
    return 2;
  }
  const figures = await (await load(name)).measure(root);
  console.log(table(figures));
  return figures.every(({ pass }) => pass) ? 0 : 1;
});
