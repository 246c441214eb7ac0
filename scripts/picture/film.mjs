import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fakeProvider } from "../../test/support/fake-provider.ts";
import { callTools, say } from "../../test/support/wire-script.ts";
import { onTerminal, plainEnv, programOf, quoted } from "./record.mjs";

/** @typedef {{ caption: string, lines: string[] }} Frame what stands on a terminal behind one command */

/** So wide that no line of the film breaks at another place when a number in it has a digit more. */
export const FILM_COLUMNS = 112;

/** What takes longer has gone wrong, ms. */
const PATIENCE_MS = 60_000;

/** The first run of it lasts long enough to be killed in; whoever runs it again finds it done. */
const CHECK = `if [ -e started ]; then echo "3 checks passed"; else touch started; sleep 30; fi\n`;

/** The model of the film says what is written here; all else is the program. */
const SCRIPT = [
  callTools([
    { id: "call-1", name: "read_file", arguments: { path: "notes.md" } },
    { id: "call-2", name: "search_files", arguments: { mode: "content", pattern: "TODO" } },
    { id: "call-3", name: "terminal", arguments: { command: "sh check.sh" } },
  ]),
  callTools([{ id: "call-4", name: "terminal", arguments: { command: "sh check.sh" } }]),
  say("One TODO is left, in notes.md. The check was cut off, so I ran it again: 3 checks passed."),
];

/**
 * A turn with three tools whose process is killed in the middle, and goes on: what stands on the terminal of whoever does it,
 * command by command, and the picture of that turn.
 * @param {string} root
 * @param {string} node
 * @returns {Promise<{ frames: Frame[], svg: string }>}
 */
export async function recordFilm(root, node) {
  const folder = mkdtempSync(join(tmpdir(), "evander-film-"));
  const work = join(folder, "project");
  mkdirSync(work);
  writeFileSync(join(work, "notes.md"), "# Notes\n\nTODO: write the second half.\n");
  writeFileSync(join(work, "check.sh"), CHECK);
  const provider = await fakeProvider(SCRIPT);
  const env = {
    ...plainEnv(folder, folder),
    OPENAI_BASE_URL: provider.baseUrl,
    OPENAI_MODEL: "scripted",
    EVANDER_LOCAL_SERVERS: "off",
    EVANDER_SANDBOX_MODE: "off",
  };
  const around = { cwd: work, env, columns: FILM_COLUMNS };
  const program = programOf(root, node);
  /** @param {string} args */
  const run = (args) => onTerminal(`exec ${program} ${args}`, around);
  /** @param {string} caption @param {string} args @param {string[]} lines @returns {Frame} */
  const frame = (caption, args, lines) => ({ caption, lines: [`$ evander ${args}`, ...trimmed(lines)] });
  try {
    const ask = `-p "read the notes, look for TODOs, run the check" --approve all`;
    const pidFile = join(folder, "pid");
    const first = onTerminal(`echo $$ >${quoted(pidFile)}; exec ${program} ${ask}`, around);
    await appears(join(work, "started"));
    const pid = Number(readFileSync(pidFile, "utf8"));
    process.kill(pid, "SIGKILL");
    // How long the third one has run by then is told in a line that is there only when that was long.
    const killed = (await first).filter((line) => !/ … \d+s$/u.test(line));
    const left = await run("ps");
    const resume = "session resume last --continue --approve all";
    const resumed = await run(resume);
    const explained = await run("turn explain last");
    const svg = await run("turn show --svg turn.svg");
    if (!existsSync(join(work, "turn.svg"))) throw new Error(`no picture of the turn: ${svg.join("\n")}`);
    provider.verify();
    return {
      frames: [
        frame("A turn with three tools. Its process is killed while the third one runs.", ask, [...killed, "Killed"]),
        frame("Nothing is lost: the turn is there, and what it was at is known.", "ps", left),
        frame("The same turn goes on. What may have had an effect is not repeated by itself.", resume, resumed),
        frame("Its record says what happened.", "turn explain last", explained),
      ],
      svg: readFileSync(join(work, "turn.svg"), "utf8"),
    };
  } finally {
    await provider.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {readonly string[]} lines without empty ones at both ends */
function trimmed(lines) {
  const from = lines.findIndex((line) => line.trim() !== "");
  const to = lines.findLastIndex((line) => line.trim() !== "");
  return from < 0 ? [] : lines.slice(from, to + 1);
}

/** @param {string} path */
async function appears(path) {
  for (const since = Date.now(); !existsSync(path);) {
    if (Date.now() - since > PATIENCE_MS) throw new Error(`${path} never appeared`);
    await sleep(20);
  }
}
