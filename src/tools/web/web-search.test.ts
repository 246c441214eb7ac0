import { expect, test } from "vitest";
import { type Egress, EgressRefusal, type EgressRequest } from "../../protocol/egress.ts";
import type { ToolContext } from "../../protocol/tool.ts";
import type { SearchSource } from "./search/search.ts";
import { webSearchTool } from "./web-search.ts";

interface Said {
  readonly status?: number;
  readonly body: unknown;
}

/** Each host answers one after the other what is listed for it. */
function services(answers: Readonly<Record<string, Said>>) {
  const asked: EgressRequest[] = [];
  const egress: Egress = {
    request: (request) => {
      asked.push(request);
      const { host } = new URL(request.url);
      const said = answers[host];
      if (said === undefined) return Promise.reject(new EgressRefusal("failed", `${host} does not answer.`));
      const text = typeof said.body === "string" ? said.body : JSON.stringify(said.body);
      return Promise.resolve({ status: said.status ?? 200, url: request.url, headers: {}, body: Buffer.from(text) });
    },
    fetchFor: () => {
      throw new Error("nobody fetches here");
    },
  };
  return { asked, egress: () => Promise.resolve(egress) };
}

const KEY = "sk-search-0123456789";
const source = (name: SearchSource["name"]): SearchSource => ({
  name,
  access: () => Promise.resolve(name === "searxng" ? { url: "http://search.lan:8080/sx" } : { key: KEY }),
});

const context: ToolContext = {
  callId: "c",
  sessionId: "s",
  history: [],
  signal: new AbortController().signal,
  output: () => undefined,
};

async function look(
  names: readonly SearchSource["name"][],
  answers: Readonly<Record<string, Said>>,
  input: Readonly<Record<string, unknown>> = { query: "green tea" },
) {
  const { asked, egress } = services(answers);
  const tool = webSearchTool({ egress, sources: names.map(source) });
  const text = await Promise.resolve(tool.run(input, context)).catch((error: unknown) => String(error));
  return { asked, text: String(text) };
}

/** In the shapes of their own guides. */
const FOUND: Readonly<Record<SearchSource["name"], readonly [host: string, body: unknown]>> = {
  searxng: [
    "search.lan:8080",
    {
      query: "green tea",
      number_of_results: 0,
      results: [
        {
          url: "https://tea.test/a",
          title: "Green tea",
          content: "All of tea",
          engine: "x",
          score: 1,
          category: "general",
        },
        { url: "https://tea.test/a/", title: "The same", content: "", engine: "y" },
      ],
      answers: [],
      unresponsive_engines: [["z", "timeout"]],
    },
  ],
  brave: [
    "api.search.brave.com",
    {
      type: "search",
      query: { original: "green tea" },
      web: {
        type: "search",
        results: [
          {
            title: "Green <strong>tea</strong>",
            url: "https://tea.test/a",
            description: "All of <strong>tea</strong> &amp; cups",
          },
        ],
      },
    },
  ],
  tavily: [
    "api.tavily.com",
    {
      query: "green tea",
      answer: null,
      images: [],
      results: [
        { title: "Green tea", url: "https://tea.test/a", content: "All of tea", score: 0.9, raw_content: null },
      ],
      response_time: 1.1,
    },
  ],
  exa: [
    "api.exa.ai",
    {
      requestId: "r",
      results: [
        { id: "i", title: "Green tea", url: "https://tea.test/a", publishedDate: "2026-01-01", text: "All of tea" },
      ],
      costDollars: { total: 0.005 },
    },
  ],
  duckduckgo: [
    "html.duckduckgo.com",
    `<div class="result results_links results_links_deep result--ad"><h2 class="result__title"><a rel="nofollow" class="result__a" href="//duckduckgo.com/l/?uddg=https%3A%2F%2Fduckduckgo.com%2Fy.js%3Fad_domain%3Dx">Paid</a></h2></div>
     <div class="result results_links results_links_deep web-result"><div class="links_main links_deep result__body">
     <h2 class="result__title"><a rel="nofollow" class="result__a" href="//duckduckgo.com/l/?uddg=https%3A%2F%2Ftea.test%2Fa&amp;rut=abc">Green tea</a></h2>
     <a class="result__snippet" href="//duckduckgo.com/l/?uddg=https%3A%2F%2Ftea.test%2Fa&amp;rut=abc">All of <b>tea</b></a></div></div>`,
  ],
};

const NAMES = ["searxng", "brave", "tavily", "exa", "duckduckgo"] as const;

test.each(NAMES)(
  "[E9] %s is asked in its own way, and its results are told as title, address and snippet",
  async (name) => {
    const [host, body] = FOUND[name];
    const { asked, text } = await look([name], { [host]: { body } });
    expect(text).toMatch(/^1\. Green tea\n {3}https:\/\/tea\.test\/a\n {3}All of tea/u);
    expect(text).not.toMatch(/^2\. |Paid|<b>/mu);
    expect(asked).toHaveLength(1);
    const { url = "", headers, body: sent } = asked[0] ?? {};
    expect(`${url} ${String(sent)}`).toMatch(/green(?:\+|%20| )tea/u);
    const isKeyed = !["searxng", "duckduckgo"].includes(name);
    expect(JSON.stringify(headers).includes(KEY)).toBe(isKeyed);
    expect(url).not.toContain(KEY);
  },
);

test.each([
  [
    "brave",
    422,
    { type: "ErrorResponse", error: { code: "SUBSCRIPTION_TOKEN_INVALID" } },
    "Brave refuses the key (status 422)",
  ],
  ["brave", 429, { error: { code: "RATE_LIMITED" } }, "Brave takes no more requests for now (status 429)"],
  ["brave", 429, { error: { code: "QUOTA_LIMITED" } }, "Brave has nothing left of what its plan gives (status 429)"],
  ["tavily", 401, { detail: { error: "Unauthorized" } }, "Tavily refuses the key (status 401)"],
  ["tavily", 432, { detail: { error: "plan" } }, "Tavily has nothing left of what its plan gives (status 432)"],
  ["exa", 402, { error: "no credits" }, "Exa has nothing left of what its plan gives (status 402)"],
  ["exa", 503, "busy", "Exa is down (status 503)"],
  ["searxng", 403, "<h1>Forbidden</h1>", "SearXNG does not answer in JSON (status 403)"],
  ["searxng", 200, "<html>", "SearXNG answers with something else than results (status 200)"],
  [
    "duckduckgo",
    202,
    '<div class="anomaly-modal__title">Unfortunately, bots use DuckDuckGo too.</div>',
    "DuckDuckGo asks for a person (status 202)",
  ],
] as const)(
  "[E9] %s with status %i: why nothing was found is one sentence, and holds no key",
  async (name, status, body, said) => {
    const { text } = await look([name], { [FOUND[name][0]]: { status, body } });
    expect(text).toContain(`Nothing could be looked up. ${said}`);
    expect(text).not.toContain(KEY);
  },
);

test("[E9] the next provider is asked where one fails or finds nothing, and the answer says so", async () => {
  const answers = {
    "search.lan:8080": { body: { results: [] } },
    "api.search.brave.com": { status: 429, body: {} },
    "html.duckduckgo.com": { body: FOUND.duckduckgo[1] },
  };
  const { asked, text } = await look(["searxng", "brave", "exa", "duckduckgo"], answers);
  expect(asked.map(({ url }) => new URL(url).host)).toEqual([
    "search.lan:8080",
    "api.search.brave.com",
    "api.exa.ai",
    "html.duckduckgo.com",
  ]);
  expect(text).toContain("1. Green tea");
  expect(text).toContain("SearXNG found nothing. Brave takes no more requests");
  expect(text).toContain("Exa could not be asked: api.exa.ai does not answer.");
  const none = await look(["duckduckgo"], {
    "html.duckduckgo.com": { body: '<div class="no-results">No results.</div>' },
  });
  expect(none.text).toContain('Nothing was found for "green tea": try other or fewer words.');
});

test("[E9] where nobody can be asked, the tool says what to set up", () => {
  const parts = { egress: services({}).egress, sources: [] };
  expect(webSearchTool(parts).available?.()).toContain("set search.searxng.url, or a key such as search.brave.apiKey");
  expect(webSearchTool({ ...parts, off: "the setting offline is on" }).available?.()).toBe("the setting offline is on");
});
