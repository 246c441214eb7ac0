import { isObject } from "../../../protocol/json.ts";
import { failed, faultOf, type SearchProvider } from "./provider.ts";
import { objectIn, resultsIn } from "./read-results.ts";

/** The most that one request may ask for. */
const MOST = 20;

export const brave: SearchProvider = {
  label: "Brave",
  request({ query, count }, { key = "" }) {
    const asked = new URLSearchParams({ q: query, count: String(Math.min(count, MOST)) });
    return {
      url: `https://api.search.brave.com/res/v1/web/search?${asked.toString()}`,
      headers: { accept: "application/json", "x-subscription-token": key },
    };
  },
  read(response) {
    const { status, body } = response;
    const fault = faultIn(status, body);
    if (fault !== undefined) return failed(fault, status);
    const found = { title: "title", url: "url", snippet: ["description", "extra_snippets"] };
    // Without any, the part of the web is missing.
    return resultsIn(response, ({ web, type }) => (isObject(web) ? web["results"] : type === "search" ? [] : 0), found);
  },
};

/** A key that it does not know is 422 there, and a plan that is used up 429 as well. */
function faultIn(status: number, body: Uint8Array): ReturnType<typeof faultOf> {
  const error = status < 400 ? undefined : objectIn(body)?.["error"];
  const code = isObject(error) ? String(error["code"]) : "";
  if (/TOKEN/u.test(code)) return "key";
  return /QUOTA/u.test(code) ? "quota" : faultOf(status);
}
