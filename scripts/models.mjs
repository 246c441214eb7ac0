// `npm run models` rebuilds src/model/catalogue/snapshot.json from the list of models in a published package (MIT, see
// NOTICE); `-- VERSION` takes another version of it. CONTRIBUTING.md tells when and how.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { readModels } from "./models/read.mjs";
import { snapshotText } from "./models/write.mjs";
import { runMain } from "./setup/trouble.mjs";

const PACKAGE = "@earendil-works/pi-ai";
const VERSION = "1.6.0";

/**
 * The package as it was published; nothing of it is installed.
 * @param {string} version
 * @param {string} folder
 * @returns {string} where it lies
 */
function fetchPackage(version, folder) {
  const packed = execFileSync("npm", ["pack", "--silent", `${PACKAGE}@${version}`], { cwd: folder, encoding: "utf8" });
  execFileSync("tar", ["-xzf", packed.trim()], { cwd: folder });
  return join(folder, "package");
}

await runMain(async () => {
  const version = process.argv[2] ?? VERSION;
  const folder = mkdtempSync(join(tmpdir(), "models-"));
  try {
    const at = fetchPackage(version, folder);
    const { MODELS } = await import(pathToFileURL(join(at, "dist", "models.generated.js")).href);
    const { generatedAt } = JSON.parse(readFileSync(join(at, "dist", "providers", "data", ".manifest.json"), "utf8"));
    const snapshot = { asOf: generatedAt.slice(0, 10), source: `${PACKAGE} ${version}`, ...readModels(MODELS) };
    const file = join(dirname(fileURLToPath(import.meta.url)), "..", "src", "model", "catalogue", "snapshot.json");
    writeFileSync(file, snapshotText(snapshot));
    const count = Object.values(snapshot.providers).reduce((sum, { models }) => sum + Object.keys(models).length, 0);
    process.stdout.write(`${count} models of ${snapshot.asOf}, out of ${snapshot.source}\n`);
  } finally {
    rmSync(folder, { recursive: true });
  }
  return 0;
});
