/** What a person may allow for good, as it is shown before and kept (security §3.2). */
export interface Grant {
  readonly tool: string;
  /** The program, its links resolved; absent: the tool runs none. */
  readonly program?: string;
  /** Literal words that come first, matched whole, one by one. */
  readonly prefix: readonly string[];
  /** Absolute, its links resolved: it holds for calls that run in this folder alone. */
  readonly folder: string;
}

/** One part of a call that needs a yes, such as one program of a command line. */
export interface PlanPart {
  readonly why: string;
  /** Literal words behind the program, as far as they are known. */
  readonly words: readonly string[];
  /** What "always" would allow; absent: no rule may ever cover this part, and none can be learned from it. */
  readonly grant?: Grant;
}

/** What exactly would run: shown to whoever decides, and all that their yes allows (security §3.2). */
export interface Plan {
  /** SHA-256 of the exact bytes, the programs, the folder, the environment and the version of the policy. */
  readonly digest: string;
  /** For a person, one line each: the folder, programs, what is written, what would be deleted. */
  readonly shown: readonly string[];
  readonly parts: readonly PlanPart[];
}

/** How strict a judge is: the strictest of all counts, and no mode, limit or failure makes it milder. */
export type Verdict =
  | { readonly type: "auto" }
  | { readonly type: "ask"; readonly why: string; readonly plan?: Plan }
  /** In no mode, whoever says yes. */
  | { readonly type: "deny"; readonly why: string };

/** How far a yes reaches: this very call when absent. */
export type Scope = "session" | "always";

/** Why a call that needed a yes did not get one; none of them lets it run. */
export type Unapproved =
  /** A person said no. */
  | "denied"
  /** Nobody had answered when the turn's time was over. */
  | "timeout"
  /** There is nobody to ask. */
  | "undeliverable"
  /** The turn was stopped before anybody answered. */
  | "cancelled";

export interface Rule extends Grant {
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly createdMs: number;
  /** SHA-256 of the program where it lies in the folder: with other content it is another one. */
  readonly content?: string;
  /** Of this session alone; absent: of every one. */
  readonly sessionId?: string;
  readonly hits: number;
  /** When it last allowed a call, ms since the epoch; absent: never. */
  readonly usedMs?: number;
}

/** What people have allowed for good. */
export interface RuleBook {
  /** Reads what is kept, so that `covers` can answer. Never rejects: what cannot be read allows nothing. */
  ready(): Promise<void>;
  /** The ids of the rules that cover every part; undefined when one part is covered by none. */
  covers(parts: readonly PlanPart[], sessionId: string | undefined): readonly string[] | undefined;
  /** Told of rules that let a call run. Never rejects. */
  used(ids: readonly string[]): Promise<void>;
  learn(grants: readonly Grant[], scope: Scope, sessionId: string): Promise<readonly Rule[]>;
  list(): Promise<readonly Rule[]>;
  /** Undefined when there is no such rule. */
  forget(id: string): Promise<Rule | undefined>;
}

/** A call as inspectors see it; its arguments are read and repaired. */
export interface InspectedCall {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly sessionId?: string;
  /** What the inspectors before this one made of it. */
  readonly verdict: Verdict;
}

/**
 * Looks at a call before it may run. It can only be stricter than those before it; one that throws means that a person is
 * asked.
 */
export interface Inspector {
  readonly name: string;
  inspect(call: InspectedCall): Verdict | undefined;
}
