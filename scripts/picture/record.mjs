import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ScreenModel } from "../../test/support/screen-model.ts";

export const COLUMNS = 100;
const ROWS = 500;
/** What takes longer has gone wrong, ms. */
const PATIENCE_MS = 60_000;

/**
 * What stands on a terminal behind a real run of the tour, row by row.
 * @param {string} root
 * @param {string} node
 * @returns {Promise<string[]>}
 */
export async function recordDemo(root, node) {
  const folder = mkdtempSync(join(tmpdir(), "evander-picture-"));
  const temporary = join(folder, "tmp");
  mkdirSync(temporary);
  try {
    // As whoever reads the README starts it.
    const env = { ...plainEnv(folder, temporary), npm_lifecycle_event: "start" };
    return await onTerminal(`exec ${programOf(root, node)} demo`, { cwd: folder, env });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * The program, for the shell.
 * @param {string} root
 * @param {string} node
 */
export const programOf = (root, node) => [node, join(root, "bin", "evander.cjs")].map(quoted).join(" ");

/**
 * What a program on a plain terminal has around it, and nothing of whoever records it.
 * @param {string} folder
 * @param {string} temporary
 */
export const plainEnv = (folder, temporary) => ({
  PATH: process.env["PATH"],
  HOME: join(folder, "home"),
  TMPDIR: temporary,
  TERM: "xterm",
  SHELL: "/bin/sh",
  LC_ALL: "C.UTF-8",
});

/** @typedef {{ cwd: string, env: NodeJS.ProcessEnv, columns?: number }} Around */

/**
 * What stands on a terminal behind a line for the shell, row by row. The terminal comes from `script` (util-linux).
 * @param {string} line
 * @param {Around} around
 * @returns {Promise<string[]>}
 */
export async function onTerminal(line, { columns = COLUMNS, ...around }) {
  const screen = new ScreenModel(columns, ROWS);
  screen.write(await typescript(`stty cols ${columns} rows ${ROWS}; ${line}`, around));
  return screen.lines;
}

/** How `script` ends when what it ran was killed. */
const KILLED = 137;

/**
 * @param {string} shell
 * @param {Omit<Around, "columns">} around
 * @returns {Promise<string>} all that the terminal was sent
 */
function typescript(shell, around) {
  const child = spawn("script", ["-qfec", shell, "/dev/null"], {
    ...around,
    stdio: ["ignore", "pipe", "inherit"],
    timeout: PATIENCE_MS,
  });
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (piece) => (text += piece));
  return new Promise((resolve, reject) => {
    child.on("error", (error) => reject(new Error(`A terminal needs \`script\` of util-linux: ${error.message}`)));
    child.on("close", (code) =>
      code === 0 || code === KILLED ? resolve(text) : reject(new Error(`It ended with ${code}:\n${text}`)),
    );
  });
}

/** @param {string} word */
export const quoted = (word) => `'${word.replaceAll("'", String.raw`'\''`)}'`;
