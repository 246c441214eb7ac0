/** Who can be asked to look things up on the web. */
export const SEARCH_NAMES = ["searxng", "brave", "tavily", "exa", "duckduckgo"] as const;
export type SearchName = (typeof SEARCH_NAMES)[number];
