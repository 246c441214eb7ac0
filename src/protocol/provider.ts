import type { ProviderKeys } from "./keys.ts";
import type { ModelFacts } from "./model-facts.ts";
import type { Sentence } from "./sentence.ts";

/** One thing a person can do next; `command` can be run as it stands, or is null. */
export interface ProviderStep {
  readonly do: string;
  readonly text: Sentence;
  readonly command: string | null;
}

/** How a server is spoken to (rows C2, C3). */
export type ApiMode = (typeof API_MODES)[number];
export const API_MODES = [
  "chat_completions",
  "anthropic_messages",
  "bedrock_converse",
  "codex_responses",
  "gemini",
] as const;

/** How much a model is to think before it answers, the least first; a level it does not know becomes the nearest. */
export const EFFORTS = ["minimal", "low", "medium", "high", "xhigh", "max"] as const;
export type Effort = (typeof EFFORTS)[number];

/** How long a provider is asked to keep what it has cached. */
export type CacheTtl = "5m" | "1h";

/** The provider of the built-in practice model: a program in this process. */
export const PRACTICE = "practice";

/** The built-in practice model, chosen. */
export interface PracticeChosen {
  readonly type: "practice";
  /** The request of this number, from 1 on, is refused once as one too many, for whoever wants to see that. */
  readonly refuses?: number;
}

/** Which model to ask, as a program says it: at an address, or looked for as the command line does. */
export interface ModelChoice {
  readonly model: string;
  readonly provider?: string;
  readonly baseUrl?: string;
  readonly apiKey?: string;
  /** With `baseUrl`: how the server there is spoken to; `chat_completions` when absent. */
  readonly api?: ApiMode;
  /** With `baseUrl`: tokens a request and its reply may have together. Looked up when absent. */
  readonly contextWindow?: number;
}

/** A model that can be asked. */
export interface ProviderFound {
  readonly type: "found";
  readonly provider: string;
  readonly model: string;
  readonly baseUrl: string;
  /** `chat_completions` when absent. */
  readonly api?: ApiMode;
  readonly apiKey: string | undefined;
  /** What led to it: a flag, a variable, or "found on :11434". */
  readonly source: string;
  /** The variable that holds the key. */
  readonly keySource?: string;
  /** The other keys of the provider, where there may be some. */
  readonly keys?: ProviderKeys;
  /** Tokens that a request and its reply may have together, where the server says so. */
  readonly contextWindow?: number;
  /** What is known of the model beside what its server says. */
  readonly facts?: ModelFacts;
  /** Whether the model takes tools; absent where nobody knows. */
  readonly takesTools?: boolean;
  /** Names of other providers that could be asked as well, the best first. */
  readonly others?: readonly string[];
}

/** Why no model can be asked. Only `no_provider` says that the user named nothing at all. */
export type ProviderTrouble =
  | "no_provider"
  | "unknown_provider"
  | "unsupported_provider"
  | "bad_base_url"
  | "missing_key"
  | "bad_key"
  /** The provider refused the key when it was asked for its models. */
  | "key_rejected"
  /** The provider could not be reached at all. */
  | "unreachable"
  /** There is a provider, and this program was told to stay offline. */
  | "offline"
  | "no_model";

/** What became of looking for a model. */
export type ProviderAnswer =
  | ProviderFound
  /** The built-in practice model was asked for by name. */
  | { readonly type: "practice" }
  | {
      readonly type: "none";
      readonly cause: ProviderTrouble;
      /** One or two sentences. */
      readonly message: Sentence;
      readonly next: readonly ProviderStep[];
      /** What the server offers, when it was asked and a choice is needed. */
      readonly models?: readonly string[];
    };

/**
 * `ready`: could be asked now; `by-name`: only when it is named, because its key is mainly for something else;
 * `offered`: another tool's credentials, never taken silently; `unsupported`: its dialect is not spoken yet;
 * `unusable`: something is in the way, and `problem` says what.
 */
export type ProviderState = "ready" | "by-name" | "offered" | "unsupported" | "unusable";

/** What is known of one model. */
export interface ModelNote {
  readonly id: string;
  /** Tokens that hold now, as the server has the model loaded; null: unknown. */
  readonly contextWindow: number | null;
  /** Tokens the model was made for; null: unknown. */
  readonly longestContext: number | null;
  /** Whether it takes tools; null: unknown. */
  readonly tools: boolean | null;
}

/** One line of the table of all that was found. It never holds a key. */
export interface ProviderRow {
  /** As `--provider` takes it. */
  readonly provider: string;
  readonly name: string;
  readonly state: ProviderState;
  /** A flag, a variable, a file, or where a server was found. */
  readonly source: string;
  /** The first hex digits of a hash: whether two keys are the same can be seen, and nothing else. */
  readonly keyFingerprint: string | null;
  readonly baseUrl: string | null;
  readonly models: readonly ModelNote[];
  readonly problem: Sentence | null;
  /** The kind of the problem of what is `unusable`; else null. */
  readonly trouble: ProviderTrouble | null;
  readonly next: readonly ProviderStep[];
  /** It would be asked if nothing else was said. */
  readonly chosen: boolean;
  /** Tokens a real request took; null: none was made, or the server did not say. */
  readonly tokens: number | null;
}
