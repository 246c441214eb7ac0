import type { FailureReason } from "./failure.ts";
import type { Credentials } from "./ports.ts";

/** How one of several keys is chosen (hermes.md §11.3). */
export const KEY_STRATEGIES = ["fill_first", "round_robin", "least_used", "random"] as const;
export type KeyStrategy = (typeof KEY_STRATEGIES)[number];

/** The file of the state folder that all processes share. */
export const KEY_FILE = "credentials.json";

/** Where a key lies that was typed in or granted: `KEY_FILE` holds it. */
export const MANUAL = "manual";

/** A key as a request is sent with it. */
export interface Key {
  readonly secret: string;
  /** The first hex digits of a hash: whether two keys are the same can be seen, and nothing else. */
  readonly fingerprint: string;
}

/** The keys of one provider, where there are several, or one that can be renewed (rows D6 to D8). */
export interface KeyRing {
  /**
   * Every secret that was sent or could be, and what renews one: nothing that is shown or kept holds any. The same list
   * until one is added.
   */
  readonly secrets: readonly string[];
  /** One conversation's hold on them. */
  hold(): KeyHold;
  /** Renews what runs out soon, before it is asked for. Never rejects. */
  ready(): Promise<void>;
  /** What was counted is kept. Never rejects. */
  close(): Promise<void>;
}

/** A conversation stays with one key as long as that can be used, for its provider's cache may lie with the key. */
export interface KeyHold extends Credentials {
  /** What the next request is sent with. Where none can be used: the one that can be used soonest. */
  take(): Key;
  /** A request is under way with the key, until it is told here how that ended. */
  lease(key: Key): (ended: { readonly failed: boolean }) => void;
}

/** A key that lies elsewhere: in a variable, behind a reference of the config, in the options of a program. */
export interface BorrowedKey {
  readonly secret: string;
  /** The variable or the place. */
  readonly source: string;
}

/** How the keys of a provider are used beside the one that is named. */
export interface ProviderKeys {
  /** Where `credentials.json` lies, which all processes share; absent: what is learnt of keys ends with this one. */
  readonly folder?: string;
  /** `fill_first` when absent. */
  readonly strategy?: KeyStrategy;
  /** Others that can be sent to the same server, in their order. */
  readonly more?: readonly BorrowedKey[];
}

/** Whether a key can be asked with; `exhausted` passes by itself, `dead` does not. */
export type KeyStatus =
  | { readonly state: "ok" }
  | {
      readonly state: "exhausted";
      readonly sinceMs: number;
      readonly untilMs: number;
      readonly reason: FailureReason;
      readonly message: string;
    }
  | { readonly state: "dead"; readonly sinceMs: number; readonly reason: FailureReason; readonly message: string };

/** A key as people are shown it. */
export interface KnownKey {
  readonly provider: string;
  readonly id: string;
  readonly label: string;
  readonly type: "key" | "oauth";
  /** `MANUAL`, or where it is borrowed from. */
  readonly source: string;
  readonly priority: number;
  readonly fingerprint: string;
  readonly baseUrl: string | null;
  /** When what was granted runs out, ms; null: never, as far as is known. */
  readonly expiresMs: number | null;
  readonly refreshable: boolean;
  readonly status: KeyStatus;
}

/** What an authority granted, and where it is renewed. */
export interface Grant {
  readonly secret: string;
  readonly refreshToken?: string;
  readonly expiresMs?: number;
  readonly tokenUrl: string;
  readonly clientId: string;
}

/** Where a person agrees that this program gets a key (RFC 8628). */
export interface Authority {
  readonly deviceUrl: string;
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly scope?: string;
}

/** What a person types, and where. */
export interface DeviceCode {
  readonly userCode: string;
  readonly address: string;
}

export type DeviceAnswer =
  | { readonly type: "granted"; readonly grant: Grant }
  /** The authority's own word, such as `access_denied`. */
  | { readonly type: "refused"; readonly code: string }
  /** Nobody answers, or not as an authority does. */
  | { readonly type: "silent" };

/** A key to be kept. */
export interface NewKey {
  readonly provider: string;
  readonly label?: string;
  /** Behind all others when absent. */
  readonly priority?: number;
  /** It is sent to this server alone. */
  readonly baseUrl?: string;
  readonly key: string | Grant;
}

/**
 * The keys that are kept in a folder, and those that lie elsewhere. Every method throws KeyFileError, or rejects with it,
 * where the file cannot be used.
 */
export interface KeyChest {
  /** All of them, without the keys. */
  list(): readonly KnownKey[];
  add(key: NewKey): Promise<KnownKey>;
  /** `which`: an id, a label or a fingerprint, where the provider has several. */
  remove(provider: string, which: string | undefined, dryRun: boolean): Promise<Removal>;
}

export type Removal =
  | { readonly type: "removed"; readonly key: KnownKey }
  | { readonly type: "none" }
  /** It has to be said which. */
  | { readonly type: "several"; readonly keys: readonly KnownKey[] };

/** The file of keys cannot be used; the message is one sentence and holds nothing of any key. */
export class KeyFileError extends Error {
  override readonly name = "KeyFileError";
  readonly remedy: KeyFileRemedy | undefined;

  constructor(message: string, remedy?: KeyFileRemedy) {
    super(message);
    this.remedy = remedy;
  }
}

/** What helps: it is made its owner's alone, or put aside. */
export interface KeyFileRemedy {
  readonly do: "close" | "put-aside";
  readonly path: string;
}

/** Whether a header can carry it. */
export const isKey = (text: string): boolean => /^[\x21-\x7e]+$/u.test(text);

/** Grants go over TLS, or stay on this machine; a person opens nothing else. */
export function isSafeAddress(address: string): boolean {
  const url = URL.parse(address);
  if (url === null || url.username !== "" || url.password !== "") return false;
  return (
    url.protocol === "https:" ||
    (url.protocol === "http:" && /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/u.test(url.hostname))
  );
}
