import { failed, faultOf, type SearchProvider } from "./provider.ts";
import { resultsIn } from "./read-results.ts";

/** A server of one's own; it answers in JSON only where its settings list that format, and refuses with 403 elsewhere. */
export const searxng: SearchProvider = {
  label: "SearXNG",
  request({ query }, { url = "" }) {
    const address = new URL("search", url.endsWith("/") ? url : `${url}/`);
    address.searchParams.set("q", query);
    address.searchParams.set("format", "json");
    return { url: address.href, headers: { accept: "application/json" } };
  },
  read(response) {
    const { status } = response;
    const fault = faultOf(status);
    if (fault !== undefined) return failed(fault === "key" ? "format" : fault, status);
    return resultsIn(response, ({ results }) => results, { title: "title", url: "url", snippet: ["content"] });
  },
};
