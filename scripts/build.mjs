// Builds what the package ships: the bundle, the types of the library entry, and a look at the package as its users see it.
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { runStep } from "./setup/child.mjs";
import { setUp } from "./setup/set-up.mjs";
import { runMain, SetupTrouble } from "./setup/trouble.mjs";

/**
 * @param {string} root
 * @returns {Promise<void>} rejects with what the failing tool said
 */
export async function build(root) {
  await setUp(root, { bundle: true });
  const modules = join(root, "node_modules");
  for (const command of [
    [join(modules, "typescript", "bin", "tsc"), "-p", "tsconfig.build.json"],
    [join(modules, "publint", "src", "cli.js"), "--strict"],
  ]) {
    const { exitCode, output } = await runStep(process.execPath, command, { cwd: root });
    if (exitCode !== 0) throw new SetupTrouble(`the build failed\n${output.trim()}`, 1);
  }
}

if (import.meta.main) {
  await runMain(async () => {
    await build(dirname(dirname(fileURLToPath(import.meta.url))));
    return 0;
  });
}
