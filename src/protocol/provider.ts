import type { NextStep } from "./result.ts";

/** A model that can be asked. */
export interface ProviderFound {
  readonly type: "found";
  readonly provider: string;
  readonly model: string;
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  /** The flag or variable that named the provider. */
  readonly source: string;
}

/** What became of looking for a model in flags and environment. */
export type ProviderAnswer =
  | ProviderFound
  /** The built-in practice model was asked for by name. */
  | { readonly type: "practice" }
  | {
      readonly type: "none";
      /** Only `no_provider` says that the user named nothing at all. */
      readonly cause: "no_provider" | "unknown_provider" | "bad_base_url" | "missing_key" | "bad_key" | "no_model";
      /** One sentence. */
      readonly message: string;
      readonly next: readonly NextStep[];
      /** What the server offers, when it was asked and a choice is needed. */
      readonly models?: readonly string[];
    };
