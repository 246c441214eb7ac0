/** Programs that do nothing but read or print, whatever else they are told. */
const READERS = new Set(
  "ls cat head tail grep egrep fgrep rg wc echo printf pwd date true false uname which stat du df file basename dirname sort uniq cut tr find nl tac cmp diff comm test seq id whoami".split(
    " ",
  ),
);
const GIT_READERS = new Set("status log diff show blame rev-parse ls-files".split(" "));

const QUOTED = /'[^']*'|"[^"$`\\]*"/gu;
const SILENCED = /\d?>\s*\/dev\/null|2>&1/gu;

/** Whether it is plain to see that a command only reads in its own folder; it may be known of others as well. */
export function onlyReads(command: string): boolean {
  const plain = command.replaceAll(QUOTED, "Q").replaceAll(SILENCED, "");
  if (/[<>$`\\(){}~]|(?<!&)&(?!&)|[^\x20-\x7E\n]/u.test(plain)) return false;
  return plain.split(/\|\||&&|[;|\n]/u).every((piece) => isReader(piece.trim().split(/\s+/u)));
}

function isReader([name = "", ...rest]: readonly string[]): boolean {
  const isKnown = name === "git" ? GIT_READERS.has(rest[0] ?? "") : READERS.has(name);
  return isKnown && !rest.some((word) => /^\/|\.\.|^-(?:delete|exec|ok|fls|fprint|o$|-output)/u.test(word));
}
