import { constants } from "node:os";

/** Exit code of a set-up that could not be finished: sysexits' EX_UNAVAILABLE. */
const SETUP_FAILED = 69;

/** An expected end of the set-up: one sentence for the user, no stack. */
export class SetupTrouble extends Error {
  /**
   * @param {string} sentence names the cause and the next step
   * @param {number} [exitCode]
   */
  constructor(sentence, exitCode = SETUP_FAILED) {
    super(sentence);
    this.exitCode = exitCode;
  }
}

/**
 * The shell's convention for a death by signal.
 * @param {NodeJS.Signals} signal
 * @returns {number}
 */
export function exitCodeOfSignal(signal) {
  return 128 + constants.signals[signal];
}

/**
 * Runs a command's main function; expected trouble becomes one line on stderr and an exit code, a bug stays an exception.
 * @param {() => Promise<number>} main resolves with the exit code
 */
export async function runMain(main) {
  // A reader that has seen enough, such as `head`, is no trouble.
  process.stdout.on("error", (/** @type {NodeJS.ErrnoException} */ error) => {
    if (error.code !== "EPIPE") throw error;
    process.exit();
  });
  try {
    process.exitCode = await main();
  } catch (error) {
    if (!(error instanceof SetupTrouble)) throw error;
    process.stderr.write(`evander: ${error.message}\n`);
    process.exitCode = error.exitCode;
  }
}
