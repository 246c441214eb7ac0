import { spawn } from "node:child_process";
import { once } from "node:events";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { Tool, ToolContext } from "../../src/protocol/tool.ts";
import type { Place } from "../../src/tools/paths.ts";
import { readFileTool } from "../../src/tools/files/read-file.ts";
import { searchFilesTool } from "../../src/tools/files/search-files.ts";
import { writeFileTool } from "../../src/tools/files/write-file.ts";

export interface PathRace {
  readonly attempts: number;
  /** Those that did what was asked, and those that were refused. */
  readonly done: number;
  readonly refused: number;
  /** How often the other process put a link in place of a folder or a file, and took it away again. */
  readonly swaps: number;
  /** Times something outside was read, or changed. */
  readonly escapes: number;
}

/** A folder and a file of the workspace are links to the outside for a moment, again and again. */
const SWAPPER = `
  const { existsSync, renameSync } = require("node:fs");
  const [folder] = process.argv.slice(1);
  const move = (from, to) => {
    try {
      renameSync(folder + "/" + from, folder + "/" + to);
      return true;
    } catch {
      return false;
    }
  };
  let swaps = 0;
  console.log("ready");
  for (let round = 0; ; round += 1) {
    for (const name of ["swap", "leaf", "deep/swap"]) {
      const kept = move(name, name + ".kept");
      if (move(name + ".link", name)) {
        swaps += 1;
        move(name, name + ".link");
      }
      // A writer may have made the name anew meanwhile.
      if (kept && !move(name + ".kept", name)) move(name, "made." + round);
      if (kept && !existsSync(folder + "/" + name)) move(name + ".kept", name);
    }
    if (round % 50 === 0 && existsSync(folder + "/../stop")) break;
  }
  console.log(swaps);`;

/** Reads, lists, searches and writes `attempts` times while a second process exchanges what it reads for links. */
export async function racePaths(attempts: number, within: string = tmpdir()): Promise<PathRace> {
  const base = fs.realpathSync(fs.mkdtempSync(join(within, "evander-races-")));
  const folders = build(base);
  const swapper = spawn(process.execPath, ["-e", SWAPPER, folders.cwd], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(swapper, "close");
  try {
    await once(swapper.stdout, "readable");
    const said = text(swapper.stdout);
    const counts = await raceIn(folders, attempts);
    fs.writeFileSync(join(base, "stop"), "");
    const swaps = Number((await said).trim().split("\n").at(-1));
    await ended;
    const changed = Number(outside(base) !== "secret CANARY, sub , x CANARY");
    return { attempts, swaps, ...counts, escapes: counts.escapes + changed };
  } finally {
    swapper.kill("SIGKILL");
    await ended;
    fs.rmSync(base, { recursive: true, force: true });
  }
}

function build(base: string): Place {
  const cwd = join(base, "ws");
  const away = join(base, "outside");
  for (const folder of [
    join(away, "sub"),
    join(cwd, "swap", "sub"),
    join(cwd, "deep", "swap", "sub"),
    join(base, "home"),
  ])
    fs.mkdirSync(folder, { recursive: true });
  for (const path of ["secret", "sub/x"]) fs.writeFileSync(join(away, path), "CANARY");
  for (const path of ["leaf", "swap/secret", "swap/sub/x", "deep/swap/secret", "deep/swap/sub/x"])
    fs.writeFileSync(join(cwd, path), "inside");
  fs.symlinkSync(join(away, "secret"), join(cwd, "leaf.link"));
  for (const name of ["swap", "deep/swap"]) fs.symlinkSync(away, join(cwd, `${name}.link`));
  return { cwd, home: join(base, "home"), guarded: [] };
}

const outside = (base: string): string =>
  fs
    .readdirSync(join(base, "outside"), { recursive: true, withFileTypes: true })
    .map(
      (entry) => `${entry.name} ${entry.isFile() ? fs.readFileSync(join(entry.parentPath, entry.name), "utf8") : ""}`,
    )
    .toSorted()
    .join(", ");

const PATHS = ["swap/secret", "swap/sub/x", "deep/swap/sub/x", "leaf", "deep/swap/../swap/secret"];

async function raceIn(place: Place, attempts: number): Promise<Pick<PathRace, "done" | "refused" | "escapes">> {
  const [read, write, search] = [readFileTool(place), writeFileTool(place), searchFilesTool(place)];
  const counts = { done: 0, refused: 0, escapes: 0 };
  for (let round = 0; round < attempts; round += 1) {
    const path = PATHS[round % PATHS.length] ?? "";
    const said = await (round % 8 === 7
      ? attempt(write, { path: path.replace("secret", "new"), content: "WRITTEN", overwrite: true })
      : round % 16 === 3
        ? attempt(search, { mode: "content", pattern: "A", path: path.split("/")[0] })
        : attempt(read, { path }));
    counts[said === undefined ? "refused" : "done"] += 1;
    if (said?.includes("CANARY") === true) counts.escapes += 1;
  }
  return counts;
}

/** Undefined when it was refused. */
async function attempt(tool: Tool, input: Readonly<Record<string, unknown>>): Promise<string | undefined> {
  const signal = new AbortController().signal;
  const context: ToolContext = { callId: "c", sessionId: "s", history: [], signal, output: () => {} };
  try {
    return String(await tool.run(input, context));
  } catch {
    return undefined;
  }
}
