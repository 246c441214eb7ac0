import { expect, test } from "vitest";
import type { Egress, EgressResponse } from "../../protocol/egress.ts";
import { EgressRefusal } from "../../protocol/egress.ts";
import type { ToolContext } from "../../protocol/tool.ts";
import { pdfOf } from "../../../test/support/pdf.ts";
import { webExtractTool } from "./web-extract.ts";

interface Page {
  readonly status?: number;
  readonly type?: string;
  readonly body: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
  readonly leads?: string;
  readonly cut?: true;
}

/** The web as these pages; everything else is blocked. */
const web = (pages: Readonly<Record<string, Page>>): (() => Promise<Egress>) => {
  const request: Egress["request"] = ({ url }) => {
    const page = pages[url];
    if (page === undefined) return Promise.reject(new EgressRefusal("blocked", `${url} may not be reached.`));
    const { status = 200, type = "text/html; charset=utf-8", body, headers = {}, leads = url, cut } = page;
    const bytes = typeof body === "string" ? Buffer.from(body) : body;
    const response: EgressResponse = { status, url: leads, headers: { "content-type": type, ...headers }, body: bytes };
    return Promise.resolve({ ...response, ...(cut && { cut }) });
  };
  const unused = (): never => {
    throw new Error("nobody fetches here");
  };
  return () => Promise.resolve({ request, fetchFor: unused });
};

const context = (more: Partial<ToolContext> = {}): ToolContext => ({
  callId: "c",
  sessionId: "s",
  history: [],
  signal: new AbortController().signal,
  output: () => undefined,
  ...more,
});

const read = async (
  pages: Readonly<Record<string, Page>>,
  input: Readonly<Record<string, unknown>>,
  more: Partial<ToolContext> = {},
): Promise<string> => String(await webExtractTool({ egress: web(pages) }).run(input, context(more)));

const PROSE = "Green tea wants water of eighty degrees, and no more than two minutes of patience. ".repeat(8);
const ARTICLE = `<!doctype html><html><head><title>Tea &amp; cups</title><meta name="author" content="Ann Lee"></head><body>
<nav><a href="/home">Home</a> <a href="/shop">Shop</a></nav>
<main><article><h1>How to brew</h1><p>${PROSE}</p>
<p><a href="javascript:steal()">press</a> <a href=" java&#10;script:steal()">again</a> <a href="data:text/html,x">data</a> <a href="/more">more</a></p>
<p><img src="data:image/png;base64,AAAA" alt="inline"> <img src="/cup.png" alt="a cup"></p>
<table><tr><th>tea</th><th>degrees</th></tr><tr><td>green</td><td>80</td></tr></table>
<pre><code class="language-js">const cup = 1;
</code></pre></article></main><footer>All rights reserved</footer><script>window.track()</script></body></html>`;

test("[E9] web_extract gives the main part of a page as Markdown, with tables and code, and links that lead nowhere dangerous", async () => {
  const text = await read({ "https://tea.test/brew": { body: ARTICLE } }, { url: "tea.test/brew" });
  expect(text).toContain("# https://tea.test/brew\nTitle: Tea & cups\nBy: Ann Lee");
  expect(text).toContain("Green tea wants water");
  expect(text).toContain("| green | 80 |");
  expect(text).toContain("```js\nconst cup = 1;");
  expect(text).toContain("[more](https://tea.test/more)");
  expect(text).toContain("![a cup](https://tea.test/cup.png)");
  expect(text).not.toMatch(/javascript|steal|data:|base64|Shop|track\(/u);
});

test("[E9] each of several addresses answers by itself; where none does, the call fails with a sentence for each", async () => {
  const pages = {
    "https://a.test/": { body: ARTICLE, leads: "https://b.test/new" },
    "https://b.test/gone": { status: 404, body: "<h1>Not here</h1>" },
    "https://b.test/api": { type: "application/json", body: '{"cups": 3}' },
    "https://b.test/busy": { status: 429, type: "application/json", body: '{"error": "slow down"}' },
  };
  const urls = ["https://a.test/", "https://b.test/gone", "https://b.test/api", "http://10.0.0.1/"];
  const text = await read(pages, { urls });
  expect(text).toContain("# https://a.test/\nIt led to https://b.test/new");
  expect(text).toContain("# https://b.test/gone\nNot read: https://b.test/gone has no such page (status 404).");
  expect(text).toContain('# https://b.test/api\nSent as application/json\n\n{"cups": 3}');
  expect(text).toContain("Not read: http://10.0.0.1/ was not read: http://10.0.0.1/ may not be reached.");
  const failing = read(pages, { urls: ["https://b.test/gone", "https://b.test/busy"] });
  await expect(failing).rejects.toThrow(/no such page \(status 404\)\.\n.*slow down/su);
  await expect(read(pages, {})).rejects.toThrow("No address was given");
});

test.each([
  ["the header", "text/html; charset=gb2312", "", "b9fabce4"],
  ["the page", "text/html", '<meta http-equiv="content-type" content="text/html; charset=GBK">', "b9fabce4"],
  ["its mark", "text/html; charset=windows-1252", "", "utf-16"],
  ["nothing but its bytes", "text/html", "", "b9fabce4"],
])("[E9] a page is read in what it is written in, said by %s", async (_by, type, head, hex) => {
  const [before, after] = [`<html><head>${head}<title>T</title></head><body><p>`, `</p></body></html>`];
  const body =
    hex === "utf-16"
      ? Buffer.from(`\uFEFF${before}国间${after}`, "utf16le")
      : Buffer.concat([Buffer.from(before), Buffer.from(hex.repeat(8), "hex"), Buffer.from(after)]);
  expect(await read({ "https://x.test/": { type, body } }, { url: "https://x.test/" })).toContain("国间");
});

test("[E9] PDF documents are text, pictures are pictures, other bytes are named and not shown", async () => {
  const dot = Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64");
  const pages = {
    "https://x.test/a.pdf": { type: "application/octet-stream", body: pdfOf(["Forty cups"]) },
    "https://x.test/dot": { type: "text/html", body: dot },
    "https://x.test/zip": { type: "application/zip", body: Buffer.from("504b0304000000", "hex") },
  };
  const tool = webExtractTool({ egress: web(pages) });
  const given = await tool.run({ urls: Object.keys(pages) }, context());
  expect(given).toMatchObject([{ type: "text" }, { type: "image", url: /^data:image\/gif/u }]);
  const text = JSON.stringify(given);
  expect(text).toContain("A PDF document of 1 pages");
  expect(text).toContain("Forty cups");
  expect(text).toContain("is a ZIP archive or office document, called application/zip (7 bytes)");
});

test("[E9] a long page is cut, and said to be; all of it lies in a file where there are any", async () => {
  const body = "line of tea\n".repeat(1_000);
  const page = { "https://x.test/t": { type: "text/plain", body, cut: true as const } };
  const kept: string[] = [];
  const keep = (text: string): Promise<string> => Promise.resolve(`/kept/${kept.push(text)}`);
  const text = await read(page, { url: "https://x.test/t", max_chars: 100 }, { keep });
  expect(text).toContain("Only the first 12000 bytes were read: it is larger.");
  expect(text).toContain(
    "these are the first 100 of 12000 characters; all of it lies in /kept/1; read on with read_file",
  );
  expect(kept).toEqual([body]);
  expect(await read(page, { url: "https://x.test/t", max_chars: 100 })).toContain("ask for more with max_chars");
});

test("[E9] a page that scripts would build, and one for subscribers, are said to be", async () => {
  const shell = `<html><head><title>App</title></head><body><div id="root"></div><script src="/app.js"></script></body></html>`;
  const paid = ARTICLE.replace(
    "</head>",
    `<script type="application/ld+json">{"isAccessibleForFree": false}</script></head>`,
  );
  const text = await read(
    { "https://x.test/app": { body: shell }, "https://x.test/paid": { body: paid } },
    { urls: ["https://x.test/app", "https://x.test/paid"] },
  );
  expect(text).toContain("it is built by scripts, which do not run here");
  expect(text).toContain("part of it is for subscribers alone");
});

const HOSTILE: readonly (readonly [string, string])[] = [
  ["divs in divs without end", `<html><body>${"<div>".repeat(400_000)}the end`],
  ["a hundred thousand links", `<html><body><p>the end ${'<a href="/x">link</a> '.repeat(100_000)}</p></body></html>`],
  ["signs that never close", `<html><body>the end ${"<b <i <a href='".repeat(50_000)}`],
  ["comments that never close", `<html><body>the end ${"<!--".repeat(200_000)}`],
];

test.each(HOSTILE)(
  "[E9] %s: the page is read in bounded time, whatever the parser makes of it",
  async (_what, body) => {
    const tool = webExtractTool({ egress: web({ "https://x.test/": { body } }), limitMs: 1_000 });
    expect(String(await tool.run({ url: "https://x.test/" }, context()))).toContain("the end");
  },
);

test("[E9] an interrupt ends the thread that reads", async () => {
  const stop = new AbortController();
  const body = `<html><body>${"<div>".repeat(400_000)}`;
  const egress = web({ "https://x.test/": { body } });
  const going = webExtractTool({ egress }).run({ url: "https://x.test/" }, context({ signal: stop.signal }));
  stop.abort(new Error("stopped"));
  await expect(going).rejects.toThrow("stopped");
});
