/** What holds no text of a page. */
const SILENT: ReadonlySet<string> = new Set(["script", "style", "noscript", "template", "svg", "head", "iframe"]);
const IN_LINE: ReadonlySet<string> = new Set(
  "a abbr b bdi cite code em i kbd mark q s small span strong sub sup u".split(" "),
);

const NAMED: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " " };

/** The text of a page that could not be read as one: its signs are left out, in one walk over it. */
export function plainHtml(page: string): string {
  const pieces: string[] = [];
  for (let at = 0; at < page.length;) {
    const sign = page.indexOf("<", at);
    const end = sign < 0 ? page.length : sign;
    pieces.push(page.slice(at, end));
    if (sign < 0) break;
    at = behind(page, sign, pieces);
  }
  return pieces
    .join("")
    .replaceAll(/&(amp|lt|gt|quot|apos|nbsp);/gu, (whole, name: string) => NAMED[name] ?? whole)
    .replaceAll(/[^\S\n]+/gu, " ")
    .replaceAll(/ ?\n[\s]*/gu, "\n")
    .trim();
}

/** Where the text goes on behind a sign. */
function behind(page: string, sign: number, pieces: string[]): number {
  if (page.startsWith("<!--", sign)) return after(page, "-->", sign + 4);
  const name = /^<\/?([a-z][a-z0-9]{0,15})/iu.exec(page.slice(sign, sign + 20))?.[1]?.toLowerCase();
  if (name === undefined) {
    const isText = page[sign + 1] !== "!" && page[sign + 1] !== "/";
    if (isText) pieces.push("<");
    return isText ? sign + 1 : after(page, ">", sign);
  }
  if (!IN_LINE.has(name)) pieces.push("\n");
  const opens = page[sign + 1] !== "/";
  const inside = after(page, ">", sign);
  return opens && SILENT.has(name) ? closing(page, name, inside) : inside;
}

function after(page: string, end: string, from: number): number {
  const at = page.indexOf(end, from);
  return at < 0 ? page.length : at + end.length;
}

function closing(page: string, name: string, from: number): number {
  const sign = new RegExp(`</${name}`, "giu");
  sign.lastIndex = from;
  return sign.exec(page)?.index ?? page.length;
}
