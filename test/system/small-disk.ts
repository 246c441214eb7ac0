import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Place } from "../scenario/program.ts";
import { EndlessProvider } from "../support/endless-provider.ts";
import { said } from "../support/said.ts";
import { callTools, say } from "../support/wire-script.ts";

const ROOT = join(import.meta.dirname, "../..");

/** Throws, with what to install, where no disk of a few MiB can be made. */
export function needBubblewrap(): void {
  const { status, error, stderr } = spawnSync("bwrap", ["--dev-bind", "/", "/", "true"], { encoding: "utf8" });
  if (status === 0) return;
  throw new Error(
    `These tests make small disks. Install bubblewrap with the package manager of this machine ` +
      `(apt-get install bubblewrap), and let it make namespaces: ${error?.message ?? stderr}`,
  );
}

/** Words of the scripts: `e` runs the program and says how it ended, `fill` and `empty` fill the disk and free it. */
const WORDS = `
e() { "$NODE" "$PROGRAM" "$@" 2>&1; echo "[code $?]"; }
fill() { dd if=/dev/zero of="$1/filler" bs=4096; dd if=/dev/zero of="$1/rest" bs=1; } 2>/dev/null
empty() { rm -f "$1/filler" "$1/rest"; }
`;

export interface SmallDisk {
  /** Where the disk is, from the folder of the place on. */
  readonly at: string;
  readonly mib: number;
  /** Lines of a shell, in the folder that is worked in; $HOME is the place's, $EVANDER_HOME its state. */
  readonly script: string;
}

/**
 * Runs a script on a disk of its own, which is gone behind it; returns what it said. The model runs a tool, where the
 * message names a command, and answers.
 */
export async function onSmallDisk({ at, mib, script }: SmallDisk): Promise<string> {
  const [place, provider] = [new Place(), new EndlessProvider(answer)];
  try {
    await provider.server.listen();
    const disk = join(place.folder, at);
    mkdirSync(disk, { recursive: true });
    const file = join(place.folder, "script.sh");
    writeFileSync(file, `${WORDS}${script}\n`);
    const under = [..."bwrap --dev-bind / / --size".split(" "), String(mib * 1024 * 1024), "--tmpfs", disk];
    const names = { NODE: process.execPath, PROGRAM: join(ROOT, "dist/main.js"), ROOT };
    const { stdout, stderr } = await place.run(provider.server.baseUrl, [], {
      under: [...under, "bash", file],
      env: { ...names, TMPDIR: place.folder },
    });
    return stdout + stderr;
  } finally {
    await provider.close();
    place.remove();
  }
}

const answer: ConstructorParameters<typeof EndlessProvider>[0] = ({ body }) => {
  const last = body.messages.at(-1);
  const [, command] = /^run (.*)$/mu.exec(last === undefined ? "" : said(last)) ?? [];
  if (last?.role !== "user" || command === undefined) return say([`all done ${"y".repeat(4_000)}`]);
  return callTools([{ id: "e1", name: "terminal", arguments: { command } }]);
};
