import type { Settings } from "../config/settings.ts";
import type { NextStep } from "../protocol/result.ts";
import type { Store } from "../protocol/store.ts";
import type { Diagnostic } from "../session/diagnostic.ts";
import type { Sessions } from "../session/sessions.ts";

/** A model that can be asked, and where it was found. */
export interface ModelChoice {
  readonly type: "found";
  readonly provider: string;
  readonly model: string;
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  readonly source: string;
}

export type ModelSearch =
  | ModelChoice
  | { readonly type: "practice" }
  /** `cause` is a narrower word for the error's code. */
  | { readonly type: "none"; readonly cause: string; readonly message: string; readonly next: readonly NextStep[] };

export interface RuntimeOptions {
  readonly model: ModelChoice | { readonly type: "practice" };
  readonly store: Store;
  readonly settings: Settings;
  readonly cwd: string;
  readonly approvals: "never" | "all" | "park" | "ask";
  readonly log: (diagnostic: Diagnostic) => void;
}

/** Everything that runs turns, ready to use. */
export interface Runtime {
  readonly sessions: Sessions;
  readonly close: () => Promise<void>;
}

/** What commands need from the layers below; the composition root knows the makers. */
export interface Adapters {
  readonly findModel: (asked: { readonly model?: string; readonly provider?: string }) => Promise<ModelSearch>;
  /** Throws StoreError. */
  readonly openStore: (settings: Pick<Settings, "sync">) => Promise<Store>;
  readonly openRuntime: (options: RuntimeOptions) => Promise<Runtime>;
  readonly newSessionId: () => string;
  readonly version: () => string;
}
