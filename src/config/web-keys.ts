import type { Key } from "./keys.ts";

const apiKey = (name: string, variable: string): Key => ({
  name: `search.${name}.apiKey`,
  takes: { type: "secret" },
  meaning: `where the key of ${name[0]?.toUpperCase()}${name.slice(1)} lies; it is read when something is looked up`,
  usually: `the variable ${variable}`,
  project: "nothing",
});

/** How the web is searched, and who makes pictures (row E9). */
export const WEB_KEYS: readonly Key[] = [
  {
    name: "search.providers",
    takes: { type: "words" },
    meaning: "who looks things up, asked in this order until one finds something",
    usually: "those that are set up, of searxng, brave, tavily, exa; duckduckgo, which needs no key, where none is",
    project: "nothing",
  },
  {
    name: "search.searxng.url",
    takes: { type: "address" },
    meaning: "a SearXNG server of your own, also on this machine or its network; json must stand in its search.formats",
    usually: "none",
    project: "nothing",
  },
  apiKey("brave", "BRAVE_API_KEY"),
  apiKey("tavily", "TAVILY_API_KEY"),
  apiKey("exa", "EXA_API_KEY"),
  {
    name: "images.model",
    takes: { type: "text" },
    meaning: "PROVIDER/MODEL that makes pictures; not asked when offline",
    usually: "none: no pictures are made",
    project: "nothing",
  },
];
