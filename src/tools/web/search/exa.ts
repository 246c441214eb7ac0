import { failed, faultOf, type SearchProvider } from "./provider.ts";
import { resultsIn } from "./read-results.ts";

/** Characters of each page that are asked for beside its title. */
const SNIPPET = 500;

export const exa: SearchProvider = {
  label: "Exa",
  request: ({ query, count }, { key = "" }) => ({
    url: "https://api.exa.ai/search",
    method: "POST",
    headers: { accept: "application/json", "content-type": "application/json", "x-api-key": key },
    body: JSON.stringify({ query, numResults: count, contents: { text: { maxCharacters: SNIPPET } } }),
  }),
  read(response) {
    const { status } = response;
    const fault = faultOf(status);
    if (fault !== undefined) return failed(fault, status);
    const found = { title: "title", url: "url", snippet: ["summary", "highlights", "text"] };
    return resultsIn(response, ({ results }) => results, found);
  },
};
