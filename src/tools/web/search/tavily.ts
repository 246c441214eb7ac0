import { failed, faultOf, type SearchProvider } from "./provider.ts";
import { resultsIn } from "./read-results.ts";

/** What its plan, and what may be paid beyond it, is used up. */
const USED_UP: ReadonlySet<number> = new Set([432, 433]);

export const tavily: SearchProvider = {
  label: "Tavily",
  request: ({ query, count }, { key = "" }) => ({
    url: "https://api.tavily.com/search",
    method: "POST",
    headers: { accept: "application/json", "content-type": "application/json", authorization: `Bearer ${key}` },
    body: JSON.stringify({ query, max_results: count }),
  }),
  read(response) {
    const { status } = response;
    const fault = USED_UP.has(status) ? "quota" : faultOf(status);
    if (fault !== undefined) return failed(fault, status);
    return resultsIn(response, ({ results }) => results, { title: "title", url: "url", snippet: ["content"] });
  },
};
