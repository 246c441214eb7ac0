/** False: none. Else those of the messages from this place of the history on; what was before was refused. */
export type Only = false | { readonly from: number };

/**
 * What a request says of itself beside its messages and tools, and servers or models are known to refuse, by its name on
 * the wire.
 */
export const PARAMETERS = [
  "max_tokens",
  "max_completion_tokens",
  "max_output_tokens",
  "maxOutputTokens",
  "maxTokens",
  "stream_options",
  "temperature",
  "reasoning_effort",
  "reasoning",
  "thinking",
  "output_config",
  "thinkingConfig",
  "include",
  "store",
  "prompt_cache_key",
  "cache_control",
  "cachePoint",
] as const;
export type Parameter = (typeof PARAMETERS)[number];

/** How large a picture may be on the wire: characters of base64, pixels of its longer side. */
export interface PictureLimit {
  readonly base64: number;
  readonly side: number;
}

/** What a model, or the server in front of it, was found not to take: its requests do without. Empty: it takes all. */
export interface Adjusted {
  /** It gives its replies in one piece (row C18). */
  readonly streaming?: false;
  /** It cannot be told not to call tools: they are left out instead (row B4). */
  readonly toolChoice?: false;
  /** Those that are shown; the others are told in words (row C5). */
  readonly pictures?: Only;
  /** Larger ones are made smaller. */
  readonly pictureLimit?: PictureLimit;
  /** Pictures in receipts are told in words. */
  readonly toolPictures?: false;
  /** What is opaque in its own replies and goes back to it: signed, sealed, encrypted. */
  readonly opaque?: Only;
  /** Conversations are sent in the strictest form, without what is opaque (row C17). */
  readonly strict?: true;
  /** `pattern` and `format` in the schemas of tools. */
  readonly schemaWords?: false;
  /** Headers that ask for what is not generally there. */
  readonly betas?: false;
  readonly without?: readonly Parameter[];
  /** Tools that are not offered, by their names. */
  readonly withoutTools?: readonly string[];
}

/** What models were found not to take, each by its name. */
export type Learnt = Readonly<Record<string, Adjusted>>;

/** Requests leave otherwise from here on, because one was refused. */
export type Adjustment =
  | { readonly streaming: false }
  | { readonly toolChoice: false }
  | { readonly pictures: Only }
  | { readonly pictureLimit: PictureLimit }
  | { readonly toolPictures: false }
  | { readonly opaque: Only }
  | { readonly strict: true }
  | { readonly schemaWords: false }
  | { readonly betas: false }
  | { readonly without: Parameter }
  | { readonly withoutTool: string }
  /** The longest reply, tokens: of this iteration alone. All others hold for the session, with the same model. */
  | { readonly maxOutput: number };
