const NAMED: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
  hellip: "…",
  ndash: "–",
  mdash: "—",
};

/** Characters of a title or a snippet. */
const MOST = 1_000;

/** A piece of HTML, such as a title with the words that were looked for in bold, as one line of plain text. */
export const plainLine = (html: string): string =>
  html
    .slice(0, 4 * MOST)
    .replaceAll(/<\/?[a-z][^<>]{0,200}>/giu, "")
    .replaceAll(/&(?:#(?<code>\d{1,7})|#x(?<hex>[\da-f]{1,6})|(?<name>[a-z]{2,8}));/giu, decoded)
    .replaceAll(/[\s\p{Cc}]+/gu, " ")
    .trim()
    .slice(0, MOST);

function decoded(whole: string, code?: string, hex?: string, name?: string): string {
  if (name !== undefined) return NAMED[name.toLowerCase()] ?? whole;
  const point = code === undefined ? Number.parseInt(hex ?? "", 16) : Number(code);
  return point > 0 && point <= 0x10_ffff ? String.fromCodePoint(point).toWellFormed() : whole;
}
