import type { Intent } from "./intents.ts";

/** Questions that look like others that can be answered: each gets the sentence that says what it lacks. */
const BEYOND: readonly { readonly asks: RegExp; readonly why: string }[] = [
  {
    asks: /\b(?:most|fewest|least|largest|biggest|highest|max(?:imum)?)\s+(?:(?:number|amount) of\s+)?(?:lines|rows|words|functions|class(?:es)?|methods|imports|comments|TODOs?|headings|commits|changes|bugs|code)\b|\b(?:longest|shortest)\b|最长|最短|行数?最/iu,
    why: "I cannot compare files by what is in them, only by their size in bytes and by time. Ask for the largest or the newest file.",
  },
  {
    asks: /^(?:(?:which|what|name|find|show|list)\s+)?(?:me\s+)?(?:the\s+)?(?:sub)?(?:folders?|director(?:y|ies))\b.*\b(?:most|fewest|largest|biggest|smallest|newest|oldest|latest)\b|\b(?:largest|biggest|smallest|newest|oldest|latest|empty|hidden|unused)\s+(?:sub)?(?:folders?|director(?:y|ies))\b/iu,
    why: "I know folders only by their names, so I cannot tell which are like that; I can compare the files in them.",
  },
  {
    asks: /\bfiles?\b.*\b(?:larger|bigger|smaller|heavier|older|newer|longer|shorter|more|less|fewer)\s+than\b/iu,
    why: "I cannot tell files by a limit of size or time; I can name those at either end: “the 10 largest files”.",
  },
  {
    asks: /^(?:how many|count(?: up)?(?: the| all)*|(?:the )?number of)\s+(?:words|characters|letters|paragraphs|sentences|commits|people)\b/iu,
    why: "I can count files, folders, the lines of a file and how often a text appears, and nothing else.",
  },
  {
    asks: /^(?:how many|count(?: the| all)*) (?:lines|rows)(?: of (?:code|text))?(?: (?:are|is) there)?(?: (?:in total|altogether|here|(?:in|of|does) (?:(?:each|every|the|this|my|our|whole|all)\s+)*(?:files?|folder|project|repo(?:sitory)?|code ?base|code)(?: have)?))*$/iu,
    why: "I can count the lines of one file at a time. Name the file.",
  },
];

const SEARCHES = /^(?:search|grep|look (?:up|for)|locate|where)\b|^(?:搜|查找)/iu;

export function matchBeyond({ text }: { readonly text: string }): Intent | undefined {
  if (SEARCHES.test(text)) return undefined;
  const found = BEYOND.find(({ asks }) => asks.test(text));
  return found && { type: "beyond", why: found.why };
}
