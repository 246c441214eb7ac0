const SHOW_AFTER_MS = 1000;

/**
 * Shows one line on stderr for a step that takes over a second; on a terminal the line counts the seconds.
 * Steps that finish sooner stay silent.
 * @template T
 * @param {string} label what is being done, e.g. "installing dependencies"
 * @param {() => Promise<T>} step
 * @param {{ write(text: string): unknown, isTTY?: boolean }} [out]
 * @returns {Promise<T>}
 */
export async function withProgress(label, step, out = process.stderr) {
  const startedAt = Date.now();
  const line = `evander: ${label} …`;
  let shown = false;
  const timer = setInterval(() => {
    if (out.isTTY === true) out.write(`\r${line} ${Math.round((Date.now() - startedAt) / 1000)} s`);
    else if (!shown) out.write(`${line}\n`);
    shown = true;
  }, SHOW_AFTER_MS);
  try {
    return await step();
  } finally {
    clearInterval(timer);
    if (shown && out.isTTY === true) out.write("\n");
  }
}
