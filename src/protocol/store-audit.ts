import type { Fact } from "./fact.ts";

/** What a store says of itself to whoever checks it, all of one moment. It judges nothing and repairs nothing. */
export interface StoreAudit {
  /** Of its file: pages and indexes that do not agree. Empty: none. */
  readonly damage: readonly string[];
  readonly strays: readonly Stray[];
  readonly search: SearchAudit;
  /** Every session, also those that are never listed, the oldest first. One at a time: each ends when the next is taken. */
  readonly sessions: Iterable<AuditedSession>;
}

/** A row that refers to what is not there, or is not what it is called. */
export interface Stray {
  readonly kind: "row" | "opening" | "charge";
  /** The row, as `message 12`. */
  readonly what: string;
}

/** Entries of the search index that belong to no message, and messages it should know and does not; row numbers. */
export interface SearchAudit {
  readonly unknown: readonly number[];
  readonly missing: readonly number[];
  /** It says that it has seen more rows than there are. */
  readonly ahead: boolean;
}

export interface AuditedSession {
  readonly sessionId: string;
  readonly purpose: string | null;
  readonly parent: AuditedParent | null;
  /** Its owner's name and whether that is a process that lives; null: it was given back. */
  readonly lease: { readonly owner: string; readonly alive: boolean } | null;
  /** As they are kept beside the journal, parsed; null: there is none, undefined: it cannot be read. */
  readonly notes: { readonly compaction: unknown; readonly learnt: unknown; readonly strikes: number };
  /** In the order they began. */
  readonly turns: readonly AuditedTurn[];
  /** In the order they were written. */
  readonly rows: Iterable<AuditedRow>;
  /** Of its own, ordered by place. */
  readonly places: Iterable<AuditedPlace>;
}

/** What a session begins with of another one. */
export interface AuditedParent {
  /** Undefined: it is not there, or goes on from this one. */
  readonly sessionId: string | undefined;
  /** So many of its messages; null: none. */
  readonly shared: number | null;
  /** So many it has, those of its own parent among them. */
  readonly messages: number;
}

export interface AuditedTurn {
  readonly turnId: string;
  /** Numbers of journal rows; `last` is null until it has ended. */
  readonly first: number;
  readonly last: number | null;
  readonly key: string | null;
}

export interface AuditedPlace {
  readonly seq: number;
  readonly part: number;
}

export interface AuditedRow {
  readonly id: number;
  /** When it was written, ms since the epoch. */
  readonly atMs: number;
  readonly facts: readonly AuditedFact[];
  /** Of what was kept of a request in this row: `whole`, or why it cannot be read again; null: nothing was kept. */
  readonly request: "whole" | { readonly trouble: string } | null;
}

/** A fact with its content, or what of it cannot be read, and the places that it fills all the same. */
export type AuditedFact =
  | { readonly fact: Fact }
  | { readonly trouble: "row" | "message"; readonly what: string; readonly places: readonly AuditedPlace[] };
