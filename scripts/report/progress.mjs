/** How often a line that counts is written anew, ms: on a terminal, and where lines stay. */
const EVERY_MS = { terminal: 200, lines: 10_000 };

/**
 * Counts on stderr how far a long measurement has come; the first line comes after a second.
 * @param {string} what the things that are counted, e.g. "scripts"
 * @param {number} total
 * @returns {{ step: () => void, end: () => void }}
 */
export function counter(what, total) {
  const out = process.stderr;
  const every = out.isTTY ? EVERY_MS.terminal : EVERY_MS.lines;
  let done = 0;
  let told = 0;
  let nextMs = Date.now() + 1_000;
  return {
    step: () => {
      done += 1;
      if (Date.now() < nextMs) return;
      nextMs = Date.now() + every;
      told = done;
      out.write(`${out.isTTY ? "\r" : ""}evander: ${done} of ${total} ${what} …${out.isTTY ? "" : "\n"}`);
    },
    end: () => {
      if (told > 0 && out.isTTY) out.write("\n");
    },
  };
}
