import { failed, faultOf, type Found, type SearchProvider } from "./provider.ts";
import { plainLine } from "./plain-line.ts";

/** Its page for browsers without scripts: it needs no key, and asks for a person where too much is asked. */
export const duckduckgo: SearchProvider = {
  label: "DuckDuckGo",
  request: ({ query }) => ({
    url: `https://html.duckduckgo.com/html/?${new URLSearchParams({ q: query }).toString()}`,
    headers: { accept: "text/html" },
  }),
  read({ status, body }) {
    const page = new TextDecoder().decode(body);
    if (/anomaly-modal|anomaly\.js|challenge-form/u.test(page)) return failed("robot", status);
    const fault = status === 403 ? "robot" : faultOf(status);
    if (fault !== undefined) return failed(fault, status);
    const results = resultsOn(page);
    const isKnown = results.length > 0 || /no-results|No\s+results/u.test(page);
    return isKnown ? { type: "found", results } : failed("format", status);
  },
};

/** Each begins at its title, and its snippet comes before the next one. */
function resultsOn(page: string): Found[] {
  const pieces = page.split(/(?=<a\s[^<>]{0,300}class="result__a")/u).slice(1);
  return pieces.flatMap((piece) => {
    const head = /^<a\s[^<>]{0,4000}>/u.exec(piece)?.[0] ?? "";
    const url = target(plainLine(/href="(?<href>[^"]{1,4000})"/u.exec(head)?.groups?.["href"] ?? ""));
    if (url === undefined) return [];
    const title = plainLine(before(piece.slice(head.length), "</a>"));
    const snippet = /class="result__snippet"[^<>]{0,4000}>(?<text>[^]{0,4000}?)<\/(?:a|div)>/u.exec(piece);
    return [{ title: title || url, url, snippet: plainLine(snippet?.groups?.["text"] ?? "") }];
  });
}

function before(text: string, end: string): string {
  const at = text.indexOf(end);
  return at < 0 ? "" : text.slice(0, at);
}

/** Where a result leads: mostly through an address of its own that holds the real one. Undefined for what is paid for. */
function target(href: string): string | undefined {
  const url = URL.parse(href, "https://html.duckduckgo.com/");
  if (url === null || !/^https?:$/u.test(url.protocol)) return undefined;
  const isOwn = /(?:^|\.)duckduckgo\.com$/u.test(url.hostname);
  if (!isOwn) return url.href;
  const real = URL.parse(url.searchParams.get("uddg") ?? "");
  if (real === null || !/^https?:$/u.test(real.protocol)) return undefined;
  return /(?:^|\.)duckduckgo\.com$/u.test(real.hostname) && real.pathname === "/y.js" ? undefined : real.href;
}
