// `npm start -- ARGS` is `evander ARGS`: sets the checkout up, then runs the program where the user stands.
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { callerFolder, runInForeground } from "./setup/child.mjs";
import { setUp } from "./setup/set-up.mjs";
import { runMain } from "./setup/trouble.mjs";

await runMain(async () => {
  const root = dirname(dirname(fileURLToPath(import.meta.url)));
  const node = await setUp(root, { bundle: true });
  return runInForeground(node, [join(root, "bin", "evander.cjs"), ...process.argv.slice(2)], { cwd: callerFolder() });
});
