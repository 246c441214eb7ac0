import type { Learnt } from "./adjustment.ts";
import type { Fact } from "./fact.ts";
import type { Message } from "./message.ts";
import type { ModelFacts } from "./model-facts.ts";
import type { Compaction } from "./projection/compaction.ts";
import type { ApiMode, CacheTtl, Effort } from "./provider.ts";
import type { StoredRequest, TimedFact } from "./store.ts";

/** How a model is spoken to, as far as the bytes of its requests depend on it. Plain data, and no secret. */
export interface Wire {
  readonly api: ApiMode;
  /** Without what it asks for behind a `?`, which may be a key. */
  readonly baseUrl: string;
  readonly provider: string;
  readonly contextWindow?: number | undefined;
  readonly usualWindow?: number | undefined;
  readonly maxOutput?: number | undefined;
  readonly sees?: boolean | undefined;
  readonly effort?: Effort | undefined;
  readonly thinking?: ModelFacts["thinking"] | undefined;
  readonly cacheTtl?: CacheTtl | undefined;
  /** The longest a call may take, ms. */
  readonly callMs?: number | undefined;
}

/** What a turn runs under and no fact says, as JSON: kept once for all turns that have the same. The same object while it is. */
export interface KitText {
  readonly text: string;
}

/** What a process had in hand when it began a turn, or took it up. */
export interface KeptKit {
  /** Place of the fact with which it did so, among the facts of the turn. */
  readonly at: number;
  /** The JSON of a KitText. */
  readonly kit: string;
  /** What the process had found out about the weight of requests by then, as JSON; absent: nothing. */
  readonly gauge?: string;
}

/** All that is kept of one turn: enough to run it again without a network. Plain data. */
export interface RecordedTurn {
  readonly turnId: string;
  readonly sessionId: string;
  readonly facts: readonly TimedFact[];
  /** Empty where they were not kept, or were dropped since. */
  readonly requests: readonly StoredRequest[];
  /** What was said before it. */
  readonly history: readonly (Message | undefined)[];
  /** Empty in records of older versions. */
  readonly kits: readonly KeptKit[];
  /** The session's code for the marker of the user's word, and its system prompt. */
  readonly nonce: string;
  readonly system: string;
  readonly compaction?: Compaction | undefined;
  readonly strikes: number;
  readonly learnt?: Learnt | undefined;
  /** Secrets were taken out of it when it was copied: what depends on how long texts are is not compared. */
  readonly redacted?: true;
}

/** A part of a request, whatever its dialect. `index`: in the list of the wire, the system prompt not counted. */
export type RequestPlace =
  | { readonly type: "tool"; readonly index: number; readonly name: string }
  | { readonly type: "system" }
  | { readonly type: "message"; readonly index: number; readonly role: string };

/** Where a replay came to something else than the record. */
export type Difference =
  | {
      readonly type: "fact";
      /** Its place among the facts of the turn, from 0. */
      readonly index: number;
      /** Null: the record ends there, or our code does. */
      readonly expected: Fact | null;
      readonly got: Fact | null;
      /** What our code did instead of recording a fact. */
      readonly instead?: string;
    }
  | {
      readonly type: "request";
      readonly index: number;
      readonly attempt: number;
      /** The first character that differs, from 0. */
      readonly at: number;
      /** The part of the request that it lies in; null: it is in none, or cannot be read. */
      readonly place: RequestPlace | null;
      /** Around it. */
      readonly expected: string;
      readonly got: string;
    };

/** Something that a record does not hold, so that it was not looked at. */
export type Unchecked = "no-kit" | "no-requests" | "no-wire";

/** What came of running a turn again against its record. */
export interface Replay {
  readonly turnId: string;
  readonly sessionId: string;
  /** Facts and requests that came out as they stand in the record. */
  readonly facts: number;
  readonly requests: number;
  readonly difference: Difference | null;
  readonly unchecked: readonly Unchecked[];
}
