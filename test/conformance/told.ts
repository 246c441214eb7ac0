import type { Tool } from "../../src/protocol/tool.ts";

/** The scripts the plain model of the loop is told, and what it says of them; see loop-model.ts. */
export interface ToldReply {
  /** After `line` asking again may help, after `smaller` it does with a smaller limit. */
  readonly type: "reply" | "refusal" | "line" | "smaller" | "rejected" | "overflow";
  readonly text: string;
  readonly thoughts: boolean;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly input: string }[];
  /** The output limit ended it. */
  readonly cut: boolean;
}

export interface ToldScript {
  readonly replies: readonly ToldReply[];
  /** Roles of what is kept from before, and of what of it is sent. */
  readonly before: readonly string[];
  readonly tools: readonly Tool[];
  /** What a tool says the n-th time, and whether it failed. */
  readonly answer: (name: string, nth: number) => { readonly said: string; readonly failed: boolean };
  readonly maxIterations: number;
  readonly maxOutput?: number;
  readonly failOnToolError?: boolean;
  /** Accepted while request n is answered. */
  readonly injections?: readonly (readonly string[])[];
}

export type ToldRow =
  | { readonly role: "assistant"; readonly text: string; readonly names: readonly string[]; readonly closes?: true }
  | { readonly role: "user"; readonly text: string }
  | { readonly role: "tool"; readonly name: string; readonly says: string; readonly as: Outcome };

/** How a call ended. */
export type Outcome = "ran" | "failed" | "unknown" | "refused" | "repeated" | "skipped" | "cancelled";

/** The private words of an attempt. */
export type Note = "nudge" | "finalise" | "continue" | "budget";

export interface ToldRequest {
  readonly roles: readonly string[];
  readonly last: ToldRow | Note;
  readonly noTools: boolean;
  readonly maxOutput: number | null;
}

export interface Told {
  readonly requests: readonly ToldRequest[];
  /** What the turn has added behind the user's message. */
  readonly rows: readonly ToldRow[];
  /** What ran, in order, with its arguments as they were read. */
  readonly runs: readonly (readonly [name: string, input: unknown])[];
  readonly exit: string;
  readonly answer: string | null;
  /** The server's words for what ended the turn; empty where it was no failure. */
  readonly because: string;
  readonly iterations: number;
  readonly refunded: number;
  /** What of each iteration would outlive a crash: a batch that was asked for, one that is answered, a whole answer. */
  readonly marks: readonly Mark[];
}

export interface Mark {
  readonly phase: "awaiting_tools" | "tools_completed" | "final_response";
  /** From 0. */
  readonly iteration: number;
  readonly calls: number;
}

export interface Cut {
  text: string;
  times: number;
  thought: number;
  dropped: boolean;
}

/** Where a turn that is being told stands. */
export interface Loop {
  readonly script: ToldScript;
  readonly rows: ToldRow[];
  readonly requests: ToldRequest[];
  readonly runs: (readonly [string, unknown])[];
  readonly lookUps: string[];
  readonly inbox: string[];
  readonly marks: Mark[];
  exit: string | undefined;
  answer: string | null;
  because: string;
  iteration: number;
  refunded: number;
  /** The request is made again within its iteration. */
  again: boolean;
  failures: number;
  grace: boolean;
  blank: { readonly thoughts: boolean } | undefined;
  rungs: string[];
  rung: string | undefined;
  cut: Cut | undefined;
  invalid: number;
  housekeeping: string | undefined;
  toolError: string | undefined;
  drains: number;
}
