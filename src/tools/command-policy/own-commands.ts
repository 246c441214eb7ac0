import { basename } from "node:path";

/** Commands of this program that decide what it may do (security §3.1 C4). */
const DECIDE = new Set(["config", "trust", "auth", "approve", "profile", "skill", "memory"]);
const OURS = new Set(["evander", "evander.cjs"]);
/** Programs that run another one, named among their arguments. */
const RUNNERS = new Set(["npx", "node", "env", "sudo", "doas", "exec", "command", "time", "nice", "timeout", "xargs"]);

/**
 * Whether a simple command would run one of them. Who names the program in a way that hides it still meets the question
 * that every unknown command asks.
 */
export function decidesForUs(name: string, args: readonly string[]): boolean {
  const words = [name, ...args];
  const at = words.findIndex((word) => OURS.has(basename(word)));
  if (at < 0 || (at > 0 && !RUNNERS.has(basename(name)))) return false;
  // The first may be the value of an option such as --profile.
  const verbs = words.slice(at + 1).filter((word) => !word.startsWith("-"));
  return verbs.slice(0, 2).some((word) => DECIDE.has(word));
}
