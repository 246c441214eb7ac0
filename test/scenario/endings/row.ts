import type { ReceivedRequest } from "../../support/fake-provider.ts";
import { say, type Step, type Wait } from "../../support/wire-script.ts";

/** Bytes as they stand, for what no HTTP server would send. */
export interface Raw {
  readonly raw: readonly (string | Buffer | Wait)[];
  readonly end: "cut" | "reset" | "open";
}

/** What a rule may speak of. */
export interface Surroundings {
  /** Another host: no request may ever come there. */
  readonly elsewhere: string;
}

type Rule<Reply> = (request: ReceivedRequest, surroundings: Surroundings) => Reply;

/**
 * Who is asked: a server that speaks HTTP, one that writes raw bytes, one that takes connections and never reads,
 * one that is not there.
 */
export type Server =
  | { readonly http: Rule<Step> }
  | { readonly bytes: Rule<Raw> }
  | { readonly reads: "nothing" }
  | { readonly listens: false };

/** A signal, and the moment it comes: the models are asked for, the request is there, half the answer is out, a tool runs. */
export interface Act {
  readonly signal: "SIGINT" | "SIGTERM" | "SIGKILL";
  readonly at: "models" | "request" | "text" | "tool";
  readonly twice?: true;
}

/** What the program finds on this machine. */
export type Machine = "calm" | "full" | "read-only" | "busy" | "damaged";

/** One hostile ending, as data. */
export interface Row {
  readonly id: string;
  /** Rows of docs/features.md. */
  readonly shows: string;
  readonly server: Server;
  readonly act?: Act;
  readonly machine?: Machine;
  readonly args?: readonly string[];
  /** There is a usable answer, this one: exit code 0. Absent: there is none, and any other code. */
  readonly answer?: string | RegExp;
  /** Exit reason and code, such as `request_rejected 76`; where there is an answer, that of `text_response`. */
  readonly ends?: readonly string[];
  /** Model requests it may make at most. */
  readonly requests?: number;
  /** Nothing was kept, so that there is nothing to go on with. */
  readonly unkept?: true;
}

/** It has ended by then, s: half a minute more than any of them takes, for a machine that is busy with others. */
export const WITHIN_S = 40;
export const REQUESTS = 10;

export const http = (rule: Step | Rule<Step>): Server => ({ http: typeof rule === "function" ? rule : () => rule });
export const bytes = (raw: Raw["raw"], end: Raw["end"] = "cut"): Server => ({ bytes: () => ({ raw, end }) });

/** `first` for the first `count` requests, then a good answer. */
export const recovers = (first: Step, count = 1): Server => http(({ index }) => (index < count ? first : say("fine")));

/** What a model asks for first; once it has the receipts it answers. */
export const thenDone = (first: Step): Server =>
  http(({ body }) => (body.messages.at(-1)?.role === "tool" ? say("done") : first));

export const OUT_OF_REACH = "all_retries_exhausted_no_response 75";
export const EMPTY = "empty_response_exhausted 76";
export const PARTIAL = "partial_stream_recovery 10";
