import { Defuddle } from "defuddle/node";
import { parseHTML } from "linkedom";

/** What a page says of itself, and what it says. */
export interface HtmlPage {
  readonly title: string;
  readonly author: string;
  readonly published: string;
  readonly markdown: string;
  /** Scripts of it, which did not run. */
  readonly scripts: number;
  /** It says itself that not all of it is for everybody. */
  readonly forSubscribers: boolean;
}

/** Schemes that a link may have; others could do something, or are long. */
const LINKS = /^(?:https?:|mailto:|tel:|#|\/|\.|\?|[^:]*$)/iu;

/** The main content of a page as Markdown: nothing is loaded, no script runs, and links that do something lead nowhere. */
export async function readHtml(html: string, url: string): Promise<HtmlPage> {
  const { document } = parseHTML(
    /<html[\s>]/iu.test(html.slice(0, 5_000)) ? html : `<html><body>${html}</body></html>`,
  );
  const scripts = document.querySelectorAll("script").length;
  const forSubscribers = /"isAccessibleForFree"\s*:\s*"?false/iu.test(html);
  makeInert(document);
  const { title, author, published, content } = await Defuddle(document, url, { markdown: true, useAsync: false });
  return { title, author, published, markdown: content, scripts, forSubscribers };
}

function makeInert(document: ReturnType<typeof parseHTML>["document"]): void {
  for (const [name, selector] of [
    ["href", "[href]"],
    ["src", "[src]"],
    ["srcset", "[srcset]"],
  ] as const)
    for (const element of document.querySelectorAll(selector)) {
      const leads = element.getAttribute(name)?.replaceAll(/[\s\p{Cc}]+/gu, "") ?? "";
      if (!LINKS.test(leads)) element.removeAttribute(name);
    }
}
