import { basename } from "node:path";
import type { Arg } from "./findings.ts";
import type { OwnPlace } from "./options.ts";

/** Commands of this program that decide what it may do (security §3.1 C4). */
const DECIDE = new Set(
  "config trust auth approve approvals profile skill skills memory mcp token gateway pairing update plugin tool".split(
    " ",
  ),
);
/** Of these, what only looks. */
const LOOKS = new Set(["list", "show", "path"]);
const OURS = new Set(["evander", "evander.cjs", "evander.mjs"]);

/** Programs that run another one, named among their arguments. */
const RUNNERS = new Set(
  "npx bunx pnpm yarn npm node nodejs deno bun tsx env sudo doas su exec command builtin time nice timeout xargs nohup setsid".split(
    " ",
  ),
);

export const PERSONS_ONLY = "This decides what this program may do: only a person runs it, and not from here.";

/**
 * Whether some words would run one of them. Who names the program in a way that hides it still meets the question that every
 * unknown command asks.
 */
export function decidesForUs(words: readonly Arg[], own: OwnPlace, real: (path: string) => string): boolean {
  return words.some(({ text }, at) => {
    if (at > 0 && !RUNNERS.has(basename(words[0]?.text ?? ""))) return false;
    const isOurs = OURS.has(basename(text)) || (text.includes("/") && own.files.includes(real(text)));
    return isOurs && decides(words.slice(at + 1).map((word) => word.text));
  });
}

function decides(words: readonly string[]): boolean {
  // Another one of us that asks nobody is a way around being asked.
  if (words.some((word) => /^(?:--approve|--appr)/.test(word))) return true;
  // The first may be the value of an option such as --profile.
  const verbs = words.filter((word) => !word.startsWith("-"));
  const at = verbs.slice(0, 2).findIndex((word) => DECIDE.has(word));
  return at !== -1 && !LOOKS.has(verbs[at + 1] ?? "");
}
