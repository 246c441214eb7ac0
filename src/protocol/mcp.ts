import type { Fetch } from "./egress.ts";
import type { JsonObject } from "./json.ts";
import type { Needs } from "./sandbox.ts";

/** A tool as a server lists it: all that anybody is told of it, and all that its owner agreed to. */
export interface ListedTool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: unknown;
  readonly outputSchema?: unknown;
  readonly annotations?: JsonObject;
}

/** What a server says of itself. */
export interface Listing {
  readonly instructions?: string;
  readonly tools: readonly ListedTool[];
}

/** How a server is reached. Secrets are looked up when it is connected to, and not before; then it may reject. */
export type Reach =
  | {
      readonly type: "stdio";
      readonly command: string;
      readonly args: readonly string[];
      readonly cwd: string;
      /** All that it is given. */
      readonly env: () => Promise<Readonly<Record<string, string>>>;
      readonly needs: Needs;
    }
  | {
      readonly type: "http";
      readonly url: string;
      readonly headers: () => Promise<Readonly<Record<string, string>>>;
      /** The way out for this server alone; absent: that of all. */
      readonly fetch?: Fetch;
      /** What its authority has granted, for this server alone; absent: it is asked without. */
      readonly grants?: GrantShelf;
    };

/** A server of tools that its owner has agreed to. */
export interface McpServer {
  readonly name: string;
  readonly reach: Reach;
  /** How long a call may take, ms; 30 000 when absent (nanobot §9.5). */
  readonly callMs?: number;
  /** How long it may take until it can be asked, ms; 30 000 when absent. */
  readonly initMs?: number;
  /** Its owner says that its calls may run beside each other: those of tools that say of themselves that they only read. */
  readonly parallel?: true;
  /** Names of tools of which its owner says that the same call twice does what one does. */
  readonly idempotent?: readonly string[];
  /** Names of tools that its owner lets run without a question. */
  readonly unasked?: readonly string[];
  /** Names of its tools, as it calls them: these alone; and not these. */
  readonly only?: readonly string[];
  readonly off?: readonly string[];
  /**
   * Of a listing, the names that are as its owner saw them when they agreed; the others are off (security §3.8). Asked with
   * every listing; never rejects.
   */
  readonly admit: (listing: Listing) => Promise<ReadonlySet<string>>;
}

/** What an authority has granted for one server (OAuth 2.1). */
export interface ServerGrant {
  readonly token: string;
  readonly refreshToken?: string;
  /** Wall clock, ms. */
  readonly expiresMs?: number;
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret?: string;
  /** The server that it was granted for: it is sent to no other (RFC 8707). */
  readonly resource: string;
}

/** Where the grant for one server is kept. */
export interface GrantShelf {
  read(): ServerGrant | undefined;
  /** Undefined takes it away. */
  keep(grant: ServerGrant | undefined): Promise<void>;
  /** Does the work while nobody else does, here or in another process. */
  alone<T>(work: () => Promise<T>): Promise<T>;
}
