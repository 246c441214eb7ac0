import { textsOf } from "./arguments.ts";
import { deny, type Arg, type Call } from "./findings.ts";
import { GUARDED, isOutOfReach, isWithin, realOf } from "./floor.ts";
import type { CommandPlace } from "./options.ts";

/** What belongs to this program is out of reach of commands, whatever they do there (security §3.1 C4). */
export function reachOwn(name: string, args: readonly Arg[], { scope, folder, input = "" }: Call): void {
  const { place } = scope;
  const words = name.includes("/") ? [name, ...textsOf(args)] : textsOf(args);
  const reached = [".", ...words.flatMap(pathsIn)].some((path) => {
    const real = realOf(path, { place, folder });
    return real !== undefined && isOutOfReach(real, place);
  });
  // In code, paths stand among other words.
  // The inside of this very process holds its keys.
  const inside = words.some((text) => place.own.pids.some((pid) => text.includes(`/proc/${pid}/`)));
  if (reached || inside || [...words, input].some((text) => namesOwn(text, place))) deny(scope, GUARDED);
}

/** What of a word may be a path: the word, the value of an option, a file behind @. */
function pathsIn(text: string): string[] {
  const equals = text.indexOf("=");
  return [
    text,
    ...(equals === -1 ? [] : [text.slice(equals + 1)]),
    ...(/^-[A-Za-z]./.test(text) ? [text.slice(2)] : []),
    ...(text.includes("@") ? [text.slice(text.indexOf("@") + 1)] : []),
  ].filter((path) => path !== "");
}

function namesOwn(text: string, { home, own }: CommandPlace): boolean {
  const { guarded, readable } = own;
  const spoken = [text, text.replaceAll(/~(?=\/)|\$HOME\b|\$\{HOME\}/g, home)];
  return guarded.some((folder) =>
    spoken.some(
      (said) => said.includes(folder) && !readable.some((free) => isWithin(folder, free) && said.includes(free)),
    ),
  );
}
