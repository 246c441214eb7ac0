import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { fileURLToPath } from "node:url";
import type { Installed } from "./cli/adapters.ts";
import { isStdoutClosed } from "./cli/closed-stdout.ts";
import { type Io, SIGNALS } from "./cli/io.ts";
import { asksForVersion, printVersion } from "./cli/version.ts";
import { systemFolder } from "./config/folders.ts";

/** Beside this file, wherever the package lies. */
const installed: Installed = {
  version: () => {
    const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
      version: string;
    };
    return manifest.version;
  },
  docsFolder: fileURLToPath(new URL("../docs", import.meta.url)),
  skillsFolder: fileURLToPath(new URL("../skills", import.meta.url)),
};

const io: Io = {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  cwd: process.cwd(),
  home: homedir(),
  platform: process.platform,
  systemFolder: systemFolder(process.platform, process.env),
  onSignal: (listener) => {
    for (const signal of SIGNALS) process.on(signal, listener);
    return () => {
      for (const signal of SIGNALS) process.off(signal, listener);
    };
  },
  onExit: (restore) => {
    process.on("exit", restore);
    return () => process.off("exit", restore);
  },
  suspend: (resumed) => {
    process.once("SIGCONT", resumed);
    // The shell waits for all that it started, such as npm.
    process.kill(0, "SIGTSTP");
  },
};

/** Whoever reads our output may leave at any time, and a terminal may be closed; the turn goes on (row A2). */
function onOutputError(error: NodeJS.ErrnoException): void {
  if (error.code !== "EPIPE" && error.code !== "EIO") lost = error;
}

/** An output that could not be written whole, on a full disk say, is no success. */
function onExit(code: number): void {
  const why = lost?.message ?? (code === 0 && isStdoutClosed() ? "stdout is closed" : undefined);
  if (why === undefined) return;
  process.stderr.write(`evander: output_lost: The output could not be written (${why}); write it elsewhere.\n`);
  process.exitCode = LOST_CODE;
}

/**
 * All of ours is closed by then: a tool of somebody else that heard of no stop, and whatever it left running, holds nobody
 * up. Whoever still reads is waited for.
 */
function leaveSoon(): void {
  const isOut = [process.stdout, process.stderr].every((out) => out.destroyed || out.writableLength === 0);
  if (isOut) process.exit();
  setTimeout(leaveSoon, LEAVE_MS).unref();
}

const LEAVE_MS = 200;

/** The code of what cannot be kept. */
const LOST_CODE = 73;

let lost: Error | undefined;
process.stdout.on("error", onOutputError);
process.stderr.on("error", () => undefined);
process.on("exit", onExit);
const argv = process.argv.slice(2);
if (asksForVersion(argv)) printVersion(installed.version(), io, false);
else {
  process.exitCode = await (await import("./program/run-program.ts")).runProgram(argv, io, installed);
  setTimeout(leaveSoon, LEAVE_MS).unref();
}
