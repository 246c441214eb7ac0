/** What a request is made for: what may be reached besides the open network is set for each (security §3.5 step 8). */
export type EgressPurpose = "tool" | "search" | "mcp" | "picture" | "home";

/** What of this machine or its network its owner lets be reached, and what for (security §3.5 step 8). */
export interface Allowance {
  readonly for: EgressPurpose;
  /**
   * A host name, an address, or a network such as `192.168.1.0/24`. `localhost` is this machine, as long as it is named by
   * that name or by an address of its own.
   */
  readonly to: string;
  /** Absent: any but those that are closed. */
  readonly ports?: readonly number[];
}

export interface EgressRequest {
  readonly url: string;
  readonly method?: "GET" | "POST" | "DELETE" | "PUT";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly purpose: EgressPurpose;
  readonly signal: AbortSignal;
  /** Bytes of the body after which it is cut; 5 MB when absent. */
  readonly most?: number;
}

export interface EgressResponse {
  readonly status: number;
  /** Where the last redirect led. */
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Unpacked. */
  readonly body: Uint8Array;
  /** There was more of it. */
  readonly cut?: true;
}

/** Why nothing was sent, or went no further; a sentence for whoever asked is its message. */
export class EgressRefusal extends Error {
  override readonly name = "EgressRefusal";
  /** `blocked`: the address may not be reached. `failed`: it was tried. */
  readonly kind: "blocked" | "failed";

  constructor(kind: "blocked" | "failed", message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** Every request that a tool makes leaves through it: parsed once, looked up once, connected to what was checked. */
export interface Egress {
  /** Redirects are followed, each judged anew. Rejects with EgressRefusal. */
  request(asked: EgressRequest): Promise<EgressResponse>;
  /** The same as a `fetch` whose body streams, for clients of protocols. */
  fetchFor(purpose: EgressPurpose): Fetch;
}
