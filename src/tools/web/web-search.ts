import type { Egress } from "../../protocol/egress.ts";
import type { Tool } from "../../protocol/tool.ts";
import type { SearchSource } from "./search/search.ts";

/** nanobot §9.5: as many as fit beside a conversation. */
const USUAL_RESULTS = 5;
const MOST_RESULTS = 20;
/** Characters. */
const LONGEST_QUERY = 400;

export interface WebSearchParts {
  readonly egress: () => Promise<Egress>;
  /** Those that are set up, in the order in which they are asked. */
  readonly sources: readonly SearchSource[];
  /** Why nothing is looked up here; one sentence. */
  readonly off?: string | undefined;
}

/** Looks something up with the first provider that finds it (row E9). */
export const webSearchTool = ({ egress, sources, off }: WebSearchParts): Tool => ({
  name: "web_search",
  toolset: "web",
  description:
    "Search the web. Returns titles, addresses and snippets; read a page with web_extract. " +
    "Ask for what you do not know yet: the same search a third time is refused.",
  parameters: {
    type: "object",
    properties: {
      query: { type: "string", minLength: 1, maxLength: LONGEST_QUERY },
      count: {
        type: "integer",
        minimum: 1,
        maximum: MOST_RESULTS,
        description: `Results. Default ${USUAL_RESULTS}.`,
      },
    },
    required: ["query"],
    additionalProperties: false,
  },
  effect: "idempotent",
  concurrency: "shared",
  external: true,
  untrustedOutput: true,
  findsAddresses: true,
  reaches: ({ query }) => ({ type: "service", words: String(query) }),
  available: () => off ?? (sources.length === 0 ? NONE : undefined),
  async run(input, { signal }) {
    const query = String(input["query"]).trim();
    if (query === "") throw new Error("The query is empty: say what is looked for.");
    const wanted = { query, count: Number(input["count"] ?? USUAL_RESULTS) };
    const { search } = await import("./search/search.ts");
    return search(wanted, sources, { egress: await egress(), signal });
  },
});

const NONE =
  "none of the providers that search.providers names is set up: set search.searxng.url, or a key such as search.brave.apiKey";
