/** What is told of work on a whole store while it goes on: so many pages of so many. */
export type OnPages = (done: number, all: number) => void;

/** How care of a store is asked for. */
export interface CareAsked {
  /** Of the store, absolute. */
  readonly folder: string;
  /** Nothing is changed. */
  readonly dryRun: boolean;
  readonly onPages: OnPages;
}

export interface RecoveredSession {
  readonly sessionId: string;
  readonly title: string;
  readonly messages: number;
  readonly turns: number;
  /** Messages that are kept and may not read as they did. */
  readonly changed: number;
  /** `whole`: as it was; `parted`: facts of it are lost, and what was said is kept without them. */
  readonly state: "whole" | "parted";
}

export type RecoverEnd =
  | { readonly type: "absent" }
  /** Another program has made it. */
  | { readonly type: "foreign" }
  /** Nothing is wrong with it. */
  | { readonly type: "sound" }
  /** Another store was about to take its place, and that would be finished. */
  | { readonly type: "unfinished" }
  /** What had been begun before was finished. */
  | { readonly type: "finished" }
  /** A process that lives works with it. */
  | { readonly type: "held"; readonly pid: number }
  | {
      readonly type: "recovered";
      readonly sessions: readonly RecoveredSession[];
      /** Rows that could not be read. */
      readonly lostRows: number;
      /** Pages of the file that are missing, or hold nothing that can be read. */
      readonly lostPages: number;
      /** What does not hold of what was recovered, as `doctor --check` counts it. */
      readonly breaches: number;
      /** Where the original is kept; undefined: nothing was changed. */
      readonly original: string | undefined;
    };

export type BackupEnd =
  | { readonly type: "absent" }
  /** There is a file of this name. */
  | { readonly type: "taken" }
  | {
      readonly type: "made";
      readonly sessions: number;
      readonly messages: number;
      /** Files beside the store that are in it: kept results, snapshots of files. */
      readonly files: number;
      readonly bytes: number;
    };

export type RestoreEnd =
  | { readonly type: "absent" }
  | { readonly type: "held"; readonly pid: number }
  | {
      readonly type: "restored";
      readonly sessions: number;
      readonly messages: number;
      readonly files: number;
      /** Where the store is kept that stood there; undefined: there was none, or nothing was changed. */
      readonly replaced: string | undefined;
    };

export type RebuildEnd = { readonly type: "absent" } | { readonly type: "rebuilt"; readonly messages: number };

/** What is done with a whole store. All of it throws StoreError. */
export interface StoreCare {
  readonly recover: (asked: CareAsked) => Promise<RecoverEnd>;
  /** `file`: absolute. */
  readonly backup: (file: string, asked: CareAsked) => Promise<BackupEnd>;
  readonly restore: (file: string, asked: CareAsked) => Promise<RestoreEnd>;
  /** The search index, out of what was said. */
  readonly rebuild: (asked: CareAsked) => Promise<RebuildEnd>;
}
