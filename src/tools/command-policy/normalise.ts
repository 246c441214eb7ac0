/** Characters of the whole text (security §3.1 C2). */
const MAX_LENGTH = 16 * 1024;
/** Parsing time grows faster than nesting: 200 takes a few ms, 8,000 a second. */
const MAX_BRACKETS = 200;
/** Control characters, and those that hide or reorder what a person would read before agreeing. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

export type Normalised = { readonly text: string } | { readonly why: string };

/** What runs is what is judged: line ends of Windows become those of a shell, and what can be read in two ways is refused. */
export function normalise(command: string): Normalised {
  if (command.includes("\0")) return { why: "The command contains a NUL character, which no shell can run." };
  if (Buffer.byteLength(command) > MAX_LENGTH)
    return { why: `The command is longer than ${MAX_LENGTH} bytes: write it to a file, or do it in several steps.` };
  const text = command.replaceAll("\r\n", "\n");
  const hidden = HIDDEN.exec(text.replaceAll(/[\t\n]/g, ""))?.[0];
  if (hidden !== undefined) {
    const code = (hidden.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
    return { why: `The command contains a control character or an invisible one (U+${code}): leave it out.` };
  }
  if ((text.match(/[({`]/g)?.length ?? 0) > MAX_BRACKETS)
    return { why: `The command has more than ${MAX_BRACKETS} brackets: do it in several steps.` };
  return { text };
}
