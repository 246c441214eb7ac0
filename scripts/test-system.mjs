// `npm run test:system`: the probes of the sandbox, which need programs of the system. They never skip: where a program is
// missing it says how to get it, and ends with 69.
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { runInForeground } from "./setup/child.mjs";
import { runMain, SetupTrouble } from "./setup/trouble.mjs";

const NEEDED = ["bwrap", "socat", "python3", "git"];

await runMain(async () => {
  const missing = NEEDED.filter((name) => spawnSync(name, ["--version"]).error !== undefined);
  // socat has no such flag, and is there all the same.
  if (missing.length > 0)
    throw new SetupTrouble(
      `The probes of the sandbox need ${missing.join(", ")}. On Debian and Ubuntu: apt-get install bubblewrap socat python3 git`,
    );
  const root = dirname(dirname(fileURLToPath(import.meta.url)));
  const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
  return runInForeground(process.execPath, [vitest, "run", "--config", "vitest.system.config.ts"], { cwd: root });
});
