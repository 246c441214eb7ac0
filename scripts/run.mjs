// `node scripts/run.mjs [--here] FILE ARGS`: sets the checkout up, then runs one of the project's own scripts on a
// Node that is new enough; with --here in the folder the user stands in, so that paths in ARGS mean what they say.
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { callerFolder, runInForeground } from "./setup/child.mjs";
import { setUp } from "./setup/set-up.mjs";
import { runMain } from "./setup/trouble.mjs";

await runMain(async () => {
  const root = dirname(dirname(fileURLToPath(import.meta.url)));
  const node = await setUp(root, { bundle: false });
  // Programs the script starts by name must meet the same Node and the tools of the lock.
  const path = [dirname(node), join(root, "node_modules", ".bin"), process.env["PATH"] ?? ""].join(delimiter);
  // CI machines make some tools colour what no terminal shows.
  const plain = process.stdout.isTTY || process.env["FORCE_COLOR"] !== undefined ? {} : { NO_COLOR: "1" };
  const here = process.argv[2] === "--here";
  const [file = "", ...args] = process.argv.slice(here ? 3 : 2);
  const cwd = here ? callerFolder() : root;
  return runInForeground(node, [join(root, file), ...args], { cwd, env: { ...process.env, ...plain, PATH: path } });
});
