type Threat = readonly [id: string, found: RegExp];

/**
 * What a text that comes from a file must not hold when it is told to a model as its own prompt: characters that a person
 * does not see, and phrases that turn a model against whoever it works for. It is a filter of what is plain, and no
 * boundary: what a tool may do is decided elsewhere.
 */
const SIGNS: readonly Threat[] = [
  ["control_characters", /(?![\t\n\v\f\r])\p{Cc}/u],
  ["hidden_unicode", /[\u180E\u200B\u2060-\u2064\u206A-\u206F\uFEFF\uFFF9-\uFFFB\u115F\u1160\u3164\uFFA0]/u],
  // Between the letters of some scripts, and the signs of one picture, these are spelling.
  [
    "hidden_joiner",
    /(?<![\p{L}\p{M}])\u200C|\u200C(?!\p{L})|(?<![\p{L}\p{M}\p{Emoji}\uFE0F])\u200D|\u200D(?![\p{L}\p{Emoji}])/u,
  ],
  ["bidi_control", /[\u202A-\u202E\u2066-\u2069]/u],
  ["tag_characters", /[\u{E0000}-\u{E007F}]/u],
  ["variation_selectors", /[\uFE00-\uFE0F\u{E0100}-\u{E01EF}]{2}/u],
];

const PHRASES: readonly Threat[] = [
  [
    "ignore_instructions",
    /\b(?:ignore|disregard|forget|override|bypass)\s+(?:all\s+|any\s+|of\s+|the\s+|your\s+|my\s+|these\s+|those\s+)*(?:previous|prior|above|earlier|preceding|system|developer|your)\s+(?:\w+\s+){0,2}?(?:instructions?|prompts?|rules|guidelines|directives|messages?)\b/iu,
  ],
  [
    "ignore_instructions",
    /(?:忽略|无视|忘记)[^\n。]{0,6}(?:之前|以上|先前|上面|前面)[^\n。]{0,6}(?:指令|指示|提示|规则)/u,
  ],
  [
    "hide_from_user",
    /\b(?:do\s+not|don['’]t|never)\s+(?:tell|inform|notify|alert)\s+(?:the\s+|your\s+)?(?:user|owner|human|operator)s?\b(?!\s+(?:to|how|which|where)\b)/iu,
  ],
  [
    "hide_from_user",
    /\bwithout\s+(?:telling|informing|notifying|alerting)\s+(?:the\s+|your\s+)?(?:user|owner|human|operator)\b/iu,
  ],
  [
    "unbound_role",
    /\b(?:you\s+are\s+now|act\s+as|pretend\s+(?:to\s+be|that\s+you\s+are))\s+(?:\w+\s+){0,4}?(?:unrestricted|jailbroken|unfiltered|uncensored|in\s+developer\s+mode)\b/iu,
  ],
  [
    "unbound_role",
    /\b(?:as\s+if|as\s+though|pretend)\s+you\s+(?:have|had)\s+no\s+(?:restrictions|limits|limitations|rules|guidelines)\b/iu,
  ],
  [
    "chat_markup",
    /<\|(?:im_start|im_end|im_sep|system|start_header_id|end_header_id|eot_id|endoftext)\|>|<<\/?SYS>>|\[\/INST\]/u,
  ],
  [
    "hidden_markup",
    /<[a-z][^<>]{0,200}\bstyle\s{0,3}=\s{0,3}["'][^"'<>]{0,200}(?:display\s{0,3}:\s{0,3}none|visibility\s{0,3}:\s{0,3}hidden|font-size\s{0,3}:\s{0,3}0)/iu,
  ],
  [
    "secret_theft",
    /\b(?:cat|base64|xxd|type|Get-Content)\s+[^\n|;&]{0,80}(?:\.ssh[/\\]|id_(?:rsa|ed25519|ecdsa)\b|\.aws[/\\]credentials|\.netrc\b|\.pgpass\b)/iu,
  ],
  [
    "secret_theft",
    /\b(?:curl|wget)\b[^\n]{0,200}(?:@|-T\s*|--upload-file[ =]|--post-file[ =])[^\s]{0,80}(?:\.env\b|\.ssh[/\\]|id_(?:rsa|ed25519|ecdsa)\b|\.aws[/\\]|\.netrc\b)/iu,
  ],
];

/** The three flags that are spelt with tags. */
const FLAGS =
  /\u{1F3F4}\u{E0067}\u{E0062}(?:\u{E0065}\u{E006E}\u{E0067}|\u{E0073}\u{E0063}\u{E0074}|\u{E0077}\u{E006C}\u{E0073})\u{E007F}/gu;

/** What is no sign of its own: spelling in some places, and in others a way to part a phrase that nobody sees. */
const UNSEEN = /\p{Default_Ignorable_Code_Point}/gu;

/** The ids of what was found, each once, in a fixed order; empty: nothing was. */
export function threatsIn(text: string): string[] {
  const shown = text.includes("\u{1F3F4}") ? text.replaceAll(FLAGS, "") : text;
  const idsIn = (of: readonly Threat[], where: string): string[] =>
    of.flatMap(([id, found]) => (found.test(where) ? [id] : []));
  return [...new Set([...idsIn(SIGNS, shown), ...idsIn(PHRASES, shown.replaceAll(UNSEEN, ""))])];
}

/** A text without what a person does not see in it, and the ids of what that was. */
export function withoutHidden(text: string): { readonly text: string; readonly hidden: readonly string[] } {
  const hidden = SIGNS.filter(([, found]) => found.test(text));
  let shown = text;
  for (const [, { source }] of hidden)
    shown = shown.replaceAll(new RegExp(`(${FLAGS.source})|(?:${source})`, "gu"), (_all, flag?: string) => flag ?? "");
  return { text: shown, hidden: shown === text ? [] : hidden.map(([id]) => id) };
}
