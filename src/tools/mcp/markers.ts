import { isShallow } from "../../protocol/json.ts";
import type { McpMarker } from "../../protocol/mcp-consent.ts";
import type { ListedTool } from "../../protocol/mcp.ts";

/** Characters of a description, and of that of a parameter (security §3.8). */
const MOST_DESCRIPTION = 1_000;
const MOST_PARAMETER = 200;

/** What no description of a tool needs to say. They inform its owner; what holds is that each call needs its yes. */
const MARKERS: readonly (readonly [McpMarker, RegExp])[] = [
  ["hidden-characters", /[\p{Cc}\p{Cf}]/u],
  ["hidden-comment", /<!--/u],
  [
    "important-tag",
    /<\/?\s*(?:important|system|instructions?|secret|critical|admin|assistant|user)\b|\[\s*(?:INST|SYSTEM)\b|<\|/iu,
  ],
  [
    "secrecy",
    /\b(?:do\s*n[o']t|never|without|must\s+not|should\s+not|avoid|no\s+need\s+to)\b[^.\n]{0,40}\b(?:tell|telling|mention|inform|show|reveal|notify|disclose|ask|alert)\w*\b|\b(?:silently|secretly|covertly)\b|不要(?:告诉|提及|告知|透露)/iu,
  ],
  [
    "other-tools",
    /\b(?:before|after|instead\s+of|prior\s+to|whenever|when|first)\b[^.\n]{0,40}\b(?:us|call|invok|runn?)\w*\b[^.\n]{0,30}\b(?:tools?|functions?|commands?)\b|\b(?:any|all|every|other)\s+(?:other\s+)?tools?\b|\b(?:always|must)\s+(?:call|use|run|invoke)\b|\bignore\b[^.\n]{0,30}\b(?:previous|prior|above|other|all)\b|\b(?:this|it)\s+(?:tool\s+)?(?:replaces|overrides|supersedes)\b/iu,
  ],
  [
    "private-path",
    /~\/|\/etc\/|\/root\/|\/home\/|\/Users\/|\.ssh\b|\bid[_ ](?:rsa|dsa|ecdsa|ed25519)\b|\.(?:env|netrc|npmrc|pypirc|aws|gnupg|kube)\b|\bmcp\.json\b|\bauthorized_keys\b|\bknown_hosts\b/iu,
  ],
  [
    "secret",
    /\b(?:api[\s_-]?keys?|passwords?|passwd|private[\s_-]keys?|secret[\s_-]?keys?|access[\s_-]tokens?|bearer[\s_-]tokens?|credentials?|seed[\s_-]phrase|ssh[\s_-]keys?|cookies?)\b/iu,
  ],
];

/** What its owner is to look at before they agree to a tool: in any of its words, also names and values of parameters. */
export function markersOf(tool: ListedTool): readonly McpMarker[] {
  const { name, title = "", description = "", inputSchema, outputSchema, annotations } = tool;
  const deep = [inputSchema, outputSchema, annotations];
  const texts = [name, title, ...deep.flatMap((value) => (isShallow(value) ? textsIn(value) : []))].map(asWords);
  const all = [...texts, asWords(description)];
  const found = MARKERS.filter(([, pattern]) => all.some((text) => pattern.test(text))).map(([marker]) => marker);
  const isLong = description.length > MOST_DESCRIPTION || texts.some((text) => text.length > MOST_PARAMETER);
  return isLong ? [...found, "long"] : found;
}

/** Names are words with other signs between them, and lines of a text are one text. */
const asWords = (text: string): string => {
  const line = text.replaceAll(/[\t\n\r]+/gu, " ").slice(0, MOST_LOOKED_AT);
  return `${line} ${/\s/u.test(line) ? "" : line.replaceAll("_", " ")}`.trimEnd();
};

/** Patterns are linear; this bounds the rest. */
const MOST_LOOKED_AT = 20_000;

function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [key, ...textsIn(inner)]);
}
