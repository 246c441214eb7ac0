import { type Egress, EgressRefusal } from "../../../protocol/egress.ts";
import type { SearchName } from "../../../protocol/search-name.ts";
import { brave } from "./brave.ts";
import { duckduckgo } from "./duckduckgo.ts";
import { exa } from "./exa.ts";
import type { Access, Found, SearchAnswer, SearchFault, SearchProvider, Wanted } from "./provider.ts";
import { searxng } from "./searxng.ts";
import { tavily } from "./tavily.ts";

/** A provider that its owner has set up. */
export interface SearchSource {
  readonly name: SearchName;
  /** Called when it is asked. What it rejects with is one sentence, without the key. */
  readonly access: () => Promise<Access>;
}

interface Ways {
  readonly egress: Egress;
  readonly signal: AbortSignal;
}

const PROVIDERS: Readonly<Record<SearchName, SearchProvider>> = { searxng, brave, tavily, exa, duckduckgo };

/** Bytes of one answer. */
const MOST_BYTES = 2 * 1024 * 1024;
/** A page for browsers is given to what looks like one. */
const AGENT = "Mozilla/5.0 (X11; Linux x64; rv:140.0) Gecko/20100101 Firefox/140.0";

/** Asks one after the other until one finds something. Throws, in a sentence for each, where all of them failed. */
export async function search(wanted: Wanted, sources: readonly SearchSource[], ways: Ways): Promise<string> {
  const troubles: string[] = [];
  let empty = false;
  for (const source of sources) {
    const { label } = PROVIDERS[source.name];
    const outcome = await ask(source, wanted, ways);
    if (typeof outcome === "string") {
      troubles.push(outcome);
      continue;
    }
    const results = distinct(outcome).slice(0, wanted.count);
    if (results.length > 0) return listed(results, label, troubles);
    troubles.push(`${label} found nothing.`);
    empty = true;
  }
  if (!empty) throw new Error(`Nothing could be looked up. ${troubles.join(" ")}`);
  return `Nothing was found for ${JSON.stringify(wanted.query)}: try other or fewer words. (${troubles.join(" ")})`;
}

/** What it found; or why nothing, in one sentence. */
async function ask(
  { name, access }: SearchSource,
  wanted: Wanted,
  { egress, signal }: Ways,
): Promise<readonly Found[] | string> {
  const provider = PROVIDERS[name];
  try {
    const { headers, ...request } = provider.request(wanted, await access());
    const asked = {
      purpose: "search",
      signal,
      most: MOST_BYTES,
      headers: { "user-agent": AGENT, ...headers },
    } as const;
    const answer = provider.read(await egress.request({ ...request, ...asked }));
    return answer.type === "found" ? answer.results : sentence(name, answer);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof EgressRefusal || error instanceof SearchAccessError)
      return `${provider.label} could not be asked: ${error.message}`;
    throw error;
  }
}

/** A key that cannot be had; the message is one sentence. */
export class SearchAccessError extends Error {
  override readonly name = "SearchAccessError";
}

const WHY: Readonly<Record<SearchFault, string>> = {
  limited: "takes no more requests for now (STATUS): wait, or do with fewer look-ups",
  quota: "has nothing left of what its plan gives (STATUS)",
  key: "refuses the key (STATUS): the user sets it with search.NAME.apiKey",
  robot: "asks for a person (STATUS), because too much was looked up from here: wait, or use another provider",
  down: "is down (STATUS)",
  format: "answers with something else than results (STATUS)",
};

const sentence = (name: SearchName, { fault, status }: Extract<SearchAnswer, { type: "failed" }>): string => {
  const why = name === "searxng" && fault === "format" && status === 403 ? NO_JSON : WHY[fault];
  return `${PROVIDERS[name].label} ${why.replace("STATUS", `status ${status}`).replace("NAME", name)}.`;
};

const NO_JSON = "does not answer in JSON (STATUS): json has to stand in search.formats of its settings.yml";

/** Several engines find the same page. */
function distinct(results: readonly Found[]): readonly Found[] {
  const seen = new Set<string>();
  return results.filter(({ url }) => {
    const same = url.replace(/#.*$|\/$/u, "");
    const isNew = !seen.has(same);
    seen.add(same);
    return isNew;
  });
}

function listed(results: readonly Found[], label: string, troubles: readonly string[]): string {
  const lines = results.map(({ title, url, snippet }, at) =>
    [`${at + 1}. ${title}`, `   ${url}`, ...(snippet === "" ? [] : [`   ${snippet}`])].join("\n"),
  );
  const before = troubles.length === 0 ? "" : `\n${troubles.join(" ")}`;
  return `${lines.join("\n")}\n\n(from ${label}; web_extract reads a page)${before}`;
}
