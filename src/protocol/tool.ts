import type { Plan, Verdict } from "./approval.ts";
import type { FileChange } from "./checkpoint.ts";
import type { Delegation } from "./delegation.ts";
import type { Author } from "./memory.ts";
import type { ImagePart, KnownFile, Message, ToolCallPart } from "./message.ts";
import type { Reach } from "./reach.ts";
import type { Question } from "./question.ts";
import type { Sentence } from "./sentence.ts";

/**
 * What happens if a call runs twice: decides crash policy, and whether its start must be durable first. `resumable`: what
 * it starts outlives it and can be found again, so a call whose process died is not run again, but asked what became of it.
 */
export type Effect = (typeof EFFECTS)[number];

/** The mildest first. */
export const EFFECTS = ["pure", "idempotent", "resumable", "effect"] as const;

/** What one call touches: decides what may run beside it. Paths are absolute and resolved through symlinks. */
export type Claim =
  | { readonly mode: "shared" }
  | { readonly mode: "exclusive" }
  | { readonly mode: "paths"; readonly reads: readonly string[]; readonly writes: readonly string[] };

export const SHARED: Claim = { mode: "shared" };
export const EXCLUSIVE: Claim = { mode: "exclusive" };

/** The name of a call that came without one. */
export const UNNAMED_TOOL = "unknown_tool";

/** What a model is told about a tool. */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments; its root is an object. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

/**
 * What was observed about one call when the reply that holds it arrived. It is recorded with the reply, so planning,
 * approval and crash policy stay pure and stay the same when the turn is resumed by another program version.
 */
export interface Inspection {
  readonly claim: Claim;
  readonly effect: Effect;
  /** Why a person must agree before it runs; absent when it may run. */
  readonly ask?: string;
  /** What exactly was judged, where the tool can say it; a yes allows no other (security §3.2). */
  readonly plan?: Plan;
  /** The rules by which it may run without a question, although it has one. */
  readonly rules?: readonly string[];
  /** What the user is asked before it runs, where somebody can answer. */
  readonly question?: Question;
  /** Why it cannot run at all (unknown tool, arguments that are no JSON object); it only gets an error receipt. */
  readonly refuse?: string;
  /** Why it need not run, although nothing is wrong with it (row E2: it stands twice in its batch); a receipt says so. */
  readonly skip?: string;
  /** The tool it runs, where the model wrote the name in another way (row C11). */
  readonly name?: string;
  /** SHA-256 of the canonical arguments: the same text means the same call. The values are not kept (row E7). */
  readonly signature?: string;
  /**
   * SHA-256 of the place outside of the folders it works in that it reaches for: a third try at the same one is told to stop,
   * whatever tool it is made with (nanobot §9.3).
   */
  readonly outside?: string;
  /** It looks something up outside: the third identical call of a turn is refused (row E6). */
  readonly external?: true;
}

/** The inspection of a call that needs no care. */
export const HARMLESS: Inspection = { claim: SHARED, effect: "pure" };

/** Where the message that a turn answers came from, and where its answer goes (row E13). */
export interface Route {
  readonly channel: string;
  readonly chatId: string;
  readonly messageId?: string;
}

/** How a result that is told whole could be told by a file. */
export interface Movable {
  /** What all results of one reply may have together, characters. */
  readonly batch: number;
  /** About what is told in its place, characters. */
  readonly kept: number;
  /** Keeps it, and says what is told then; undefined: it could not be kept. Never rejects. */
  readonly move: () => Promise<string | undefined>;
}

/** What one run of a call gave. */
export interface ToolResult {
  /** The text for the model. */
  readonly text: string;
  /** Absent: it is told as it is. */
  readonly movable?: Movable;
  /** Pictures for the model, beside the text. */
  readonly images?: readonly ImagePart[];
  /** SHA-256 of what the result says: the same text means that nothing changed. */
  readonly digest?: string;
  /** The call came back, and tells of a failure. */
  readonly failed?: true;
  /** Files that the model knows by it. */
  readonly files?: readonly KnownFile[];
  readonly disk?: DiskTrace;
}

/** What a call did to files (rows E11, E12). */
export interface DiskTrace {
  readonly changes: readonly FileChange[];
  /** So many more, which are not listed. */
  readonly more?: number;
  /** Files that had changed before it ran, while the turn did, by no call of it. */
  readonly foreign?: readonly string[];
  /** What no undo will bring back, and why. */
  readonly unkept?: Sentence;
}

/** A call that failed, and what it had done to files by then. */
export class FailedCall extends Error {
  override readonly name = "FailedCall";
  readonly disk: DiskTrace;

  constructor(message: string, disk: DiskTrace, options?: ErrorOptions) {
    super(message, options);
    this.disk = disk;
  }
}

/** `signal`: nobody waits for it any more; it is aborted with the call it is made for as well. */
export type CallTool = (
  name: string,
  input: Readonly<Record<string, unknown>>,
  signal?: AbortSignal,
) => Promise<ToolResult>;

export interface ToolContext {
  readonly callId: string;
  readonly sessionId: string;
  /** The session so far, for tools whose state is a fold over it (row E1); the slots of open calls are empty. */
  readonly history: readonly (Message | undefined)[];
  /** Messages below this place are not sent any more, or not as they were; absent: all are. */
  readonly sentFrom?: number;
  /** Of the turn that makes this call; absent where the turn was given none. */
  readonly route?: Route;
  /** The turn that makes this call; absent where a person runs the tool. */
  readonly turnId?: string;
  /** Model calls of that turn so far. */
  readonly iteration?: number;
  /** In whose name what `outlives` is written: of a review, with the turn that is reviewed. Absent: the turn's own. */
  readonly author?: Author;
  /** What others' words came from that were read before: set for tools that `outlives` alone (taint.ts). */
  readonly tainted?: string;
  /** What the user has said to its question; absent: nobody could be asked. */
  readonly answer?: string;
  /** The recorded question (`Inspection.ask`) that was answered with yes; absent when the call may run unasked. */
  readonly approved?: string;
  /** The digest of the plan that this answer allows (`Plan.digest`). */
  readonly approvedPlan?: string;
  /** Nobody was asked: rules let it run (`Inspection.rules`), and must still do so. */
  readonly byRules?: true;
  /** A person gave that answer; absent also where all is allowed unasked (`approvals: "all"`). */
  readonly byPerson?: true;
  /** Aborted when the user interrupts; a tool then has about 2 s to settle before nobody waits for it any more. */
  readonly signal: AbortSignal;
  /** Says that the model knows a file by this call, once it has come back; absent where nobody keeps it. */
  readonly knows?: (file: KnownFile) => void;
  /** A process that died had started this very call: `resume` is asked. */
  readonly resumed?: true;
  /**
   * Runs another tool of the session on behalf of this call: looked at, cleaned and kept as if the model had called it; what
   * it changes counts as changed by this call. Nobody is asked: what needs a yes runs by `unasked` or not at all. Rejects
   * with what the model would have been told. Absent for a call that is such a one itself.
   */
  readonly call?: CallTool;
  /** By what calls on behalf of this one run that need a yes; absent: by nothing. */
  readonly unasked?: "rules" | "all";
  /** Stands before each of them: may give it other arguments, and rejects what must not run. */
  readonly screen?: (call: ToolCallPart) => Promise<ToolCallPart>;
  /** Gives work to child agents; absent where there are none, as in a child. */
  readonly delegation?: Delegation;
  /** Keeps a text that is too long for a model; resolves with where it lies. Absent, or undefined: it cannot be kept. */
  readonly keep?: (text: string) => Promise<string | undefined>;
  /** Shows output on screens while the call runs; what the model sees is the returned text alone. */
  readonly output: (text: string) => void;
}

export interface ResultJudgement {
  readonly failed: boolean;
  /** The part of the result that differs when a repeated call has come further: no times, no counters. */
  readonly substance: string;
}

/** A tool as its author writes it. Arguments are the parsed JSON object. */
export interface Tool extends ToolSpec {
  /** A function: of a call with these arguments. */
  readonly effect: Effect | ((input: Readonly<Record<string, unknown>>) => Effect);
  readonly concurrency: "shared" | "exclusive" | "paths";
  /** The set it belongs to, by which whole groups are chosen (row E1); absent: `other`. */
  readonly toolset?: string;
  /** Why it cannot be used here, such as a program that is missing; undefined: it can. Not offered to a model then. */
  available?(): string | undefined;
  /** What others wrote may stand in its results: they are told as data, in a fence. */
  readonly untrustedOutput?: true;
  /** The longest result that is told whole, characters; longer ones lie in a file. Infinity: never. Absent: as is set for all. */
  readonly resultLimit?: number;
  /** It looks something up outside this machine: asking the same a third time in one turn is refused (row E6). */
  readonly external?: true;
  /**
   * What it returns are this program's own words, or its user's: nobody else can speak to the model through it. A function
   * tells it of one result, from what its own words say of it.
   */
  readonly trusted?: true | ((result: string) => boolean);
  /**
   * What it writes is told to later sessions: once others' words were read in this one, a person is asked first; where nobody
   * can be asked it is told so (`tainted`), and must not do it. A function: whether this call writes at all.
   */
  readonly outlives?: true | ((input: Readonly<Record<string, unknown>>) => boolean);
  /**
   * Where it sends something to. A function: where this call does; undefined: nowhere. One that throws sends anything
   * anywhere. Absent: it reaches nothing beyond this machine, or what its owner has set up for it alone.
   */
  readonly reaches?: Reach | ((input: Readonly<Record<string, unknown>>) => Reach | undefined);
  /** What it returns names addresses that no caller of it has put together, such as a search: those are opened unasked. */
  readonly findsAddresses?: true;
  /** Names of arguments that change nothing in what the call does, such as a label: two calls that differ only there are the same. */
  readonly cosmetic?: readonly string[];
  /** For `paths`: what this call reads and writes. */
  claim?(input: Readonly<Record<string, unknown>>): Claim;
  /** Loads what `ask` needs: it is waited for before a call is looked at, as often as one is. */
  ready?(): Promise<void>;
  /** What exactly would run, judged; of a tool that says it, `ask` is not asked. */
  verdict?(input: Readonly<Record<string, unknown>>): Verdict;
  /**
   * Files, or folders with all below them, that this call may change: absolute, kept before it runs (row E12). `asked`: it
   * needed a yes, whoever gave it.
   */
  changes?(input: Readonly<Record<string, unknown>>, how: { readonly asked: boolean }): readonly string[];
  /** The first path outside of the folders it works in that this call reaches for: absolute, links resolved as far as they lead. */
  outside?(input: Readonly<Record<string, unknown>>): string | undefined;
  /** Why a person must agree to this call, or undefined. */
  ask?(input: Readonly<Record<string, unknown>>): string | undefined;
  /** What the user has to say before it runs; undefined: nothing. */
  question?(input: Readonly<Record<string, unknown>>): Question | undefined;
  /** How a result that came back is to be counted; absent: its whole text, and a JSON object that names an error has failed. */
  judge?(result: string): ResultJudgement;
  /**
   * Returns the text for the model; any other JSON value is written as JSON, and nothing at all is told as such. A list
   * of `{type: "text", text}` and `{type: "image", url}` is text and pictures.
   * A thrown error becomes an error receipt with its message.
   */
  run(input: Readonly<Record<string, unknown>>, context: ToolContext): unknown;
  /**
   * For `resumable`: what is known of a call that a process which died had started. It starts nothing anew; what it returns
   * is told as what `run` returns.
   */
  resume?(input: Readonly<Record<string, unknown>>, context: ToolContext): unknown;
}
