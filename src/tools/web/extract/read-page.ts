import { type Egress, EgressRefusal, type EgressResponse } from "../../../protocol/egress.ts";
import type { ImagePart } from "../../../protocol/message.ts";
import { PictureError, pictureOf } from "../../pictures/picture.ts";
import { decoded } from "./charset.ts";
import { readInThread } from "./in-thread.ts";
import { kindOf } from "./kind.ts";
import type { HtmlPage } from "./read-html.ts";

/** `raw`: a page as it was sent, with all its signs. */
export type Format = "markdown" | "raw";

export interface Ways {
  readonly egress: Egress;
  readonly signal: AbortSignal;
  readonly format: Format;
  /** How long a thread may read, ms; as usual when absent. */
  readonly limitMs?: number;
}

/** What one address gave. */
export interface PageRead {
  /** Lines that say what it is. */
  readonly about: readonly string[];
  readonly text: string;
  readonly picture?: ImagePart;
}

/** It gave nothing; the message is one sentence. */
class PageError extends Error {
  override readonly name = "PageError";
}

const HEADERS = {
  "user-agent": "Mozilla/5.0 (compatible; Evander)",
  accept:
    "text/html, application/xhtml+xml, text/markdown, application/json, text/plain, application/pdf, image/*;q=0.8, */*;q=0.5",
  "accept-language": "en, *;q=0.5",
};

/** Throws PageError. */
export async function readPage(url: string, ways: Ways): Promise<PageRead> {
  const response = await fetched(url, ways);
  const { status, url: led, headers, cut } = response;
  if (status < 200 || status >= 300) throw new PageError(refusal(response));
  const about = [
    ...(led === url || led === URL.parse(url)?.href ? [] : [`It led to ${led}`]),
    ...(cut === true ? [`Only the first ${response.body.length} bytes were read: it is larger.`] : []),
  ];
  if (status === 204 || response.body.length === 0) throw new PageError(`${led} is empty (status ${status}).`);
  const read = await readBody(response, headers["content-type"] ?? "", ways);
  return { ...read, about: [...about, ...read.about] };
}

async function fetched(url: string, { egress, signal }: Ways): Promise<EgressResponse> {
  try {
    return await egress.request({ url, headers: HEADERS, purpose: "tool", signal });
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof EgressRefusal) throw new PageError(`${url} was not read: ${error.message}`, { cause: error });
    throw error;
  }
}

async function readBody({ body, url }: EgressResponse, contentType: string, ways: Ways): Promise<PageRead> {
  const kind = kindOf(body, contentType);
  switch (kind.type) {
    case "html":
      return ways.format === "raw" ? raw(body, contentType) : readHtmlBody(decoded(body, contentType), url, ways);
    case "text":
      return raw(body, contentType);
    case "pdf":
      return readPdf(body, url, ways);
    case "picture":
      return readPicture(body, url);
    case "binary":
      throw new PageError(`${url} is ${kind.what} (${body.length} bytes), not text, and is not shown.`);
  }
}

const raw = (body: Uint8Array, contentType: string): PageRead => ({
  about: contentType === "" ? [] : [`Sent as ${shownType(contentType)}`],
  text: decoded(body, contentType),
});

const shownType = (contentType: string): string => contentType.replaceAll(/[^\w\s/;=.+-]/gu, "").slice(0, 80);

async function readPicture(body: Uint8Array, url: string): Promise<PageRead> {
  try {
    return { about: [], text: "A picture, shown beside this text.", picture: await pictureOf(body, url) };
  } catch (error) {
    if (error instanceof PictureError) throw new PageError(error.message, { cause: error });
    throw error;
  }
}

async function readPdf(body: Uint8Array, url: string, { signal, limitMs }: Ways): Promise<PageRead> {
  const reading = { for: "page-thread", type: "pdf", bytes: body, url } as const;
  const { read } = await readInThread(reading, { signal, ...(limitMs !== undefined && { limitMs }) });
  if (read.type !== "pdf")
    throw new PageError(
      `${url} is a PDF document that could not be read${read.type === "failed" ? `: ${read.why}` : ""}.`,
    );
  const { text, pages, left } = read.document;
  return { about: [`A PDF document of ${pages} pages${left === 0 ? "" : `, the last ${left} not read`}`], text };
}

async function readHtmlBody(html: string, url: string, { signal, limitMs }: Ways): Promise<PageRead> {
  const reading = { for: "page-thread", type: "html", html, url } as const;
  const { read, bare } = await readInThread(reading, { signal, ...(limitMs !== undefined && { limitMs }) });
  if (read.type === "html") return toldPage(read.page, bare);
  const why = read.type === "failed" ? read.why : "";
  return { about: [`Its parts could not be told apart (${why}): this is all its text`], text: bare };
}

/** A page with less text, characters, and with scripts, most likely shows the rest by them. */
const SHELL = 200;

function toldPage({ title, author, published, markdown, scripts, forSubscribers }: HtmlPage, bare: string): PageRead {
  const main = markdown.trim();
  const all = main.length < SHELL ? bare : main;
  // What was taken for no content is better than nothing.
  const text = all.length > 2 * main.length ? all : main;
  const about = [
    ...line("Title", title),
    ...line("By", author),
    ...line("Published", published),
    ...(text.length < SHELL && scripts > 0 ? [APP_SHELL] : []),
    ...(forSubscribers ? ["The page says that part of it is for subscribers alone."] : []),
  ];
  return { about, text };
}

const APP_SHELL = "There is hardly any text in it: it is built by scripts, which do not run here.";

const line = (name: string, value: string): string[] => {
  const text = value
    .replaceAll(/[\s\p{Cc}]+/gu, " ")
    .trim()
    .slice(0, 300);
  return text === "" ? [] : [`${name}: ${text}`];
};

const STATUS: Readonly<Record<number, string>> = {
  401: "asks for a login",
  402: "asks to be paid",
  403: "refuses to show it",
  404: "has no such page",
  410: "has no such page any more",
  429: "takes no more requests for now: wait before you ask again",
  451: "may not show it",
};

/** Characters of what it says beside its status, where that is no page. */
const SAID = 300;

function refusal({ status, url, headers, body }: EgressResponse): string {
  const type = headers["content-type"] ?? "";
  const isChallenge = headers["cf-mitigated"] === "challenge";
  const why = isChallenge ? "asks for a person in a browser" : (STATUS[status] ?? "did not show it");
  const said = /json|text\/plain/iu.test(type)
    ? decoded(body, type).replaceAll(/\s+/gu, " ").trim().slice(0, SAID)
    : "";
  return `${url} ${why} (status ${status})${said === "" ? "." : `; it says: ${said}`}`;
}
