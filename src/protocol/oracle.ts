import type { InBoth } from "./sentence.ts";

/**
 * What holds of every store, whatever happened to the processes that wrote it (decision 0066). I1: what was accepted is there
 * exactly once. I2: in the order it came. I3: each call has one receipt, in its place. I4: roles are legal. I5: no effect is
 * started twice. I6: a turn that has not ended runs, waits, or can be taken up. I7: what was told is what is kept. I8: what a
 * session goes on from is there. I9: the file, its references and its index agree. I10: no secret. I11: usage and money add
 * up. I12: nothing is left over. I13: a yes is used once. I14: the record has no gap and can be folded.
 */
export const INVARIANTS = [
  "I1",
  "I2",
  "I3",
  "I4",
  "I5",
  "I6",
  "I7",
  "I8",
  "I9",
  "I10",
  "I11",
  "I12",
  "I13",
  "I14",
] as const;
export type Invariant = (typeof INVARIANTS)[number];

/** Each way in which an invariant can be broken, and which one that is. */
export const BREACHES = {
  "inbound-lost": "I1",
  "inbound-twice": "I1",
  "arrival-lost": "I1",
  "arrival-twice": "I1",
  "arrival-unknown": "I1",
  "key-differs": "I1",
  "inbound-order": "I2",
  "arrival-order": "I2",
  "receipt-missing": "I3",
  "receipt-twice": "I3",
  "receipt-unasked": "I3",
  "receipt-misplaced": "I3",
  "role-illegal": "I4",
  "assistant-empty": "I4",
  "last-word-missing": "I4",
  "call-id-bad": "I4",
  "signature-homeless": "I4",
  "effect-twice": "I5",
  "effect-unrecorded": "I5",
  "begun-after-stop": "I5",
  "effect-ran-twice": "I5",
  "effect-ran-unrecorded": "I5",
  "turn-left-open": "I6",
  "turn-row-differs": "I6",
  "fact-outside-turn": "I6",
  "went-on-parked": "I6",
  "lease-left": "I6",
  "turn-unfinished": "I6",
  "answer-differs": "I7",
  "parent-missing": "I8",
  "parent-short": "I8",
  "child-overlaps": "I8",
  "compaction-astray": "I8",
  "note-differs": "I8",
  "file-damaged": "I9",
  "row-stray": "I9",
  "search-differs": "I9",
  "opening-damaged": "I9",
  "charge-astray": "I9",
  "secret-kept": "I10",
  "attempt-number": "I11",
  "attempt-unbilled": "I11",
  "usage-impossible": "I11",
  "usage-differs": "I11",
  "limit-passed": "I11",
  "left-over": "I12",
  "answer-unasked": "I13",
  "ran-denied": "I13",
  "yes-expired": "I13",
  "place-gap": "I14",
  "place-twice": "I14",
  "message-missing": "I14",
  "message-unknown": "I14",
  "row-unreadable": "I14",
  "fact-malformed": "I14",
  "fold-failed": "I14",
  "outcome-differs": "I14",
  "request-missing": "I14",
  "request-unreadable": "I14",
} as const;
export type BreachKind = keyof typeof BREACHES;

/** An invariant that does not hold. */
export interface Breach {
  readonly invariant: Invariant;
  readonly kind: BreachKind;
  readonly sessionId?: string;
  readonly turnId?: string;
  /** What is wrong, and what to do about it. */
  readonly detail: InBoth;
}

/** What only somebody outside knows of what happened: all of it is optional, and what is absent is not asked about. */
export interface Given {
  /** Words of a user that a channel saw accepted (I1). */
  readonly acknowledged?: readonly string[];
  /** Ids of the calls with an effect that ran, one for each time they did (I5). */
  readonly ran?: readonly string[];
  /** Every turn was recorded in this store, and none brought from elsewhere: what its models were asked is kept (I14). */
  readonly recordedHere?: true;
  /** Nobody works in the store any more (I6): no lease is held. */
  readonly idle?: true;
  /** Every turn has come to its end, or waits for a person (I6). */
  readonly ended?: true;
  /** What people were shown as the answer of a turn (I7). */
  readonly answers?: ReadonlyMap<string, string | null>;
  /** Texts that must stand nowhere, and the files in which they might (I10). */
  readonly canaries?: readonly string[];
  readonly files?: Iterable<SeenFile>;
  /** What the provider has counted, tokens, and how much of it may not have arrived (I11). */
  readonly counted?: { readonly input: number; readonly output: number; readonly inFlight: number };
  /** Processes, sockets, temporary files and locks that are still there (I12). */
  readonly leftOver?: readonly string[];
}

export interface SeenFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}
