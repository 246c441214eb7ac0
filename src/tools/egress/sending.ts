import type { IncomingMessage } from "node:http";
import type { EgressPurpose } from "../../protocol/egress.ts";
import type { Target } from "./judge-url.ts";
import type { Hop } from "./redirect.ts";

/** A request, and how long its server may take. */
export interface Sending {
  readonly hop: Hop;
  readonly purpose: EgressPurpose;
  readonly signal: AbortSignal;
  /** Undefined: as long as the signal lets it. */
  readonly headersMs: number | undefined;
  /** Redirects are for whoever asks. */
  readonly manual?: boolean;
}

export interface Answered {
  readonly response: IncomingMessage;
  readonly target: Target;
  readonly redirects: number;
}

/** Rejects with EgressRefusal, or with the reason of the signal. */
export type Send = (sending: Sending) => Promise<Answered>;

/** One of each name; what came more than once stands behind commas. */
export const headersOf = ({ headers }: IncomingMessage): [string, string][] =>
  Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, typeof value === "string" ? value : value.join(", ")]],
  );
