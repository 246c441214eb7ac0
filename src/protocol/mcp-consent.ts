import type { Sentence } from "./sentence.ts";
import type { Listing } from "./mcp.ts";

/**
 * All of a server that its owner agrees to: what is started or reached, with what. Values of variables and headers are not in
 * it, for they may be renewed (security §3.8).
 */
export type McpForm =
  | {
      readonly type: "stdio";
      readonly command: string;
      readonly args: readonly string[];
      readonly cwd: string;
      /** Names. */
      readonly env: readonly string[];
      readonly writes: readonly string[];
      readonly hosts: readonly string[];
    }
  | { readonly type: "http"; readonly url: string; readonly headers: readonly string[] };

/** What in the words of a tool is no description, but speaks to the model about something else. */
export type McpMarker =
  | "hidden-characters"
  | "hidden-comment"
  | "important-tag"
  | "secrecy"
  | "other-tools"
  | "private-path"
  | "secret"
  | "long";

/** A server as somebody has described it. */
export interface McpDescribed {
  readonly name: string;
  readonly command?: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly url?: string;
  /** By name; of values nothing is read. */
  readonly env: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly writes?: readonly string[];
  readonly hosts?: readonly string[];
}

export type McpFormed =
  | { readonly type: "form"; readonly form: McpForm }
  | { readonly type: "invalid"; readonly why: Sentence };

/** How a listing differs from what was agreed to. Lines begin with `+`, `-` or a blank. */
export interface McpChange {
  readonly type: "added" | "changed" | "removed" | "instructions";
  /** Absent: the instructions of the server. */
  readonly tool?: string;
  readonly lines: readonly string[];
}

/** Whether a server is used. */
export type McpStanding =
  | { readonly type: "agreed"; readonly tools: readonly string[]; readonly sinceMs: number }
  | { readonly type: "disabled" }
  /** Nobody has agreed to it yet. */
  | { readonly type: "new" }
  /** It is not what was agreed to any more: so much differs. */
  | { readonly type: "changed"; readonly fields: readonly string[] }
  /** What was agreed to cannot be read, or was changed by something else than this program. */
  | { readonly type: "damaged"; readonly why: Sentence }
  /** It can be no server. */
  | { readonly type: "invalid"; readonly why: Sentence };

export interface McpRow {
  readonly name: string;
  /** Where it is written. */
  readonly place: string;
  readonly form: McpForm | undefined;
  readonly standing: McpStanding;
  /** Of a server that is reached over HTTP: whether its authority has granted something. */
  readonly loggedIn?: boolean;
}

/** A server that a file of the working folder names: nothing of it is used. */
export interface McpProposal {
  readonly name: string;
  readonly file: string;
  /** Undefined: it can be no server; `why` says so. */
  readonly form: McpForm | undefined;
  readonly why?: Sentence;
  /** Whether its owner's config has it, as it stands there or otherwise. */
  readonly known: "no" | "same" | "other";
}

/** What a server has said when it was asked. */
export interface McpLook {
  readonly listing: Listing;
  /** Against what was agreed to; all is added where nothing was. */
  readonly changes: readonly McpChange[];
  readonly markers: ReadonlyMap<string, readonly McpMarker[]>;
  /** Names as the model knows them, by those of the server. */
  readonly names: ReadonlyMap<string, string>;
  /** What is not offered, whoever agrees to it, and why. */
  readonly withheld: readonly { readonly tool: string; readonly why: string }[];
  readonly ms: number;
}

/** Shown to whoever logs in. */
export interface McpLogin {
  readonly address: string;
}

/** The servers of an owner: what they agreed to, and what they are asked. Rejects with McpError. */
export interface McpBook {
  /** What would be agreed to of a server that is not named yet, or why it can be none. */
  readonly form: (given: McpDescribed) => Promise<McpFormed>;
  readonly rows: () => Promise<readonly McpRow[]>;
  readonly proposals: () => Promise<readonly McpProposal[]>;
  /** Connects to a server, whether or not its owner has agreed to it: they ask for it. */
  readonly look: (name: string, signal: AbortSignal) => Promise<McpLook>;
  /** Keeps that its owner agrees to the server as it is written now, and to these tools of it. */
  readonly agree: (name: string, listing: Listing | undefined) => Promise<void>;
  /** Takes away all that is kept of it but its settings. True: there was something. */
  readonly forget: (name: string) => Promise<boolean>;
  /** Has its authority grant something to this program. */
  readonly login: (name: string, tell: (login: McpLogin) => Promise<void>, signal: AbortSignal) => Promise<void>;
}

/** What cannot be done with a server, and why. */
export class McpError extends Error {
  override readonly name = "McpError";
  readonly kind: "unknown" | "invalid" | "unreachable" | "login" | "store";
  readonly sentence: Sentence;

  constructor(kind: McpError["kind"], sentence: Sentence) {
    super(typeof sentence === "string" ? sentence : sentence.en);
    this.kind = kind;
    this.sentence = sentence;
  }
}
