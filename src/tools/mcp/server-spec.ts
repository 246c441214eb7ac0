import type { Transport } from "@modelcontextprotocol/client";

/** A server that its owner has named: it speaks MCP, and what it says is others' words. */
export interface McpServerSpec {
  /** Part of the names of its tools: 1 to 32 letters, digits, "_" and "-", without "__". */
  readonly name: string;
  readonly reach: McpReach;
  /** How long it may take until it can be asked, ms; 30,000 when absent. */
  readonly initMs?: number;
  /** How long it may be silent in a call, ms; 30,000 when absent. */
  readonly callMs?: number;
  /** Its owner says that calls of its tools that only read may run side by side. */
  readonly parallel?: boolean;
  /** Tools of which its owner says that the same call twice does what one does. */
  readonly idempotent?: readonly string[];
  /** Tools that its owner lets run without a question. */
  readonly unasked?: readonly string[];
  /** The only tools that are offered; absent: all that are not in `without`. */
  readonly only?: readonly string[];
  readonly without?: readonly string[];
}

export type McpReach = McpStdio | McpHttp;

/** A program of this machine, spoken to over its stdin and stdout. */
export interface McpStdio {
  readonly type: "stdio";
  readonly command: string;
  readonly args: readonly string[];
  /** Absolute; where the tools work when absent. */
  readonly cwd?: string;
  /** What it gets of variables beside PATH, HOME and the like. */
  readonly env?: Readonly<Record<string, string>>;
  /** Folders it may write in, and hosts it may reach, in a sandbox. */
  readonly writes?: readonly string[];
  readonly hosts?: readonly string[];
}

export interface McpHttp {
  readonly type: "http";
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** `oauth`: its tokens are got and kept for it; absent: nothing beside the headers. */
  readonly auth?: "oauth";
}

/** A tool as a server lists it: nothing of it is checked. */
export type McpDefinition = Readonly<Record<string, unknown>>;

/** What a server says of itself once it is connected. */
export interface McpListing {
  readonly instructions?: string;
  readonly definitions: readonly McpDefinition[];
}

/** Decides what of the servers is used (security §3.8). Neither rejects. */
export interface McpConsent {
  /** Why it is not started or reached, as a sentence for its owner; undefined: it is. Asked before each connection. */
  refusal(spec: McpServerSpec): Promise<string | undefined>;
  /** Of which tools no use is made, by the name that the server gives them, and why. */
  withheld(spec: McpServerSpec, listed: McpListing): Promise<ReadonlyMap<string, string>>;
}

/** A way to one server, as far as it can be talked over: the program is started, the address is known. */
export interface McpLink {
  /** Not started: the client does that. */
  readonly transport: Transport;
  /** Why it ended or does not answer, as far as the way itself knows: the code it exited with, its last words. */
  trouble(): string | undefined;
  /** Resolves when nothing of it is left. Never rejects. */
  end(): Promise<void>;
}

/** Opens a way anew, for each connection. Rejects with what the owner is to be told, also when the signal aborts. */
export type OpenMcpLink<Reach extends McpReach> = (
  spec: McpServerSpec & { readonly reach: Reach },
  signal: AbortSignal,
) => Promise<McpLink>;
