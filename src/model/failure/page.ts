/** APIs answer in JSON, and what stands before them in HTML. */
export const isPage = (words: string): boolean => /<(?:!doctype|html|head|body|title)\b/i.test(words);

const hasMarkup = (words: string): boolean => /<\/?[a-z!][^<>]*>/i.test(words);

/** Names of those who answer in place of a server, in the pages they write. */
const GATEWAYS: readonly string[] = ["cloudflare"];

/** What a page says in its title; no markup ever reaches people. */
export function plain(words: string): string {
  if (!hasMarkup(words)) return words;
  const title = titleOf(words).trim();
  return title === "" ? "an HTML page instead of an answer" : title;
}

/** What can be known from a page: its title, and who wrote it. */
export function told(words: string): string {
  if (!isPage(words)) return words;
  const lower = words.toLowerCase();
  return [plain(words), ...GATEWAYS.filter((name) => lower.includes(name))].join(" ");
}

function titleOf(page: string): string {
  const lower = page.toLowerCase();
  const tag = lower.indexOf("<title");
  const begin = tag === -1 ? -1 : lower.indexOf(">", tag);
  const end = begin === -1 ? -1 : lower.indexOf("</title", begin);
  return end === -1 ? "" : page.slice(begin + 1, end).replaceAll(/<[^<>]*>/g, " ");
}
