import type { RuleBook } from "../protocol/approval.ts";
import type { Extend } from "../protocol/extension.ts";
import type { Fact } from "../protocol/fact.ts";
import type { MoneyLimit } from "../protocol/money.ts";
import type { TurnPorts } from "../protocol/ports.ts";
import type { SessionPrompt } from "../protocol/prompt.ts";
import type { StoredSession } from "../protocol/store.ts";
import type { ToolSpec } from "../protocol/tool.ts";
import type { Setup } from "../turn/state.ts";
import type { EndedTurn } from "./after-work.ts";
import type { Diagnostic } from "./diagnostic.ts";
import type { ToldModel } from "./kit.ts";
import type { Lane } from "./lane.ts";
import type { Backup } from "./model-routes.ts";
import type { About } from "./result.ts";
import type { TurnTools } from "./turn-tools.ts";

/** What a session is run with. */
export interface LaneOptions {
  readonly stored: StoredSession;
  readonly setup: Setup;
  readonly ports: Omit<TurnPorts, "sessionId" | "model" | "tools">;
  /** What its turns can call, until one begins with others. */
  readonly tools: TurnTools;
  /** Its own model, told of these tools. */
  readonly open: (tools: readonly ToolSpec[]) => ToldModel;
  readonly about: About;
  readonly newId: () => string;
  /** The version of the program, which each turn is kept with. */
  readonly program?: (() => string | undefined) | undefined;
  readonly log: (diagnostic: Diagnostic) => void;
  /** Told of each fact as it is recorded, for logs. It must not throw. */
  readonly trace?: ((fact: Fact, where: { readonly session: string; readonly turn: string }) => void) | undefined;
  /** What its models are told first; absent: nothing. */
  readonly prompt?: SessionPrompt | undefined;
  /** The models behind the first one; absent: there is none. */
  readonly backup?: Backup | undefined;
  /** Hooks, plug-ins and middleware, where there are any. */
  readonly extend?: Extend | undefined;
  /** Says what time it is where the user is; absent: the model is not told (row A12). */
  readonly localTime?: ((ms: number) => string) | undefined;
  /** What the next turn may spend; `ownUsd`: its own limit. Absent: as much as it takes. */
  readonly limit?: ((ownUsd: number | undefined) => MoneyLimit | undefined) | undefined;
  /** What people have allowed for good; absent: nothing is learnt. */
  readonly rules?: RuleBook | undefined;
  /** A long conversation is summed up between two turns, while nobody waits (row F4). */
  readonly consolidates?: boolean | undefined;
  /** Told of each turn that has ended, and is saved, a moment before the session is free again. */
  readonly afterTurn?: ((ended: EndedTurn) => void) | undefined;
  /** The turn that ran here is over. It must not throw. */
  readonly onIdle?: (() => void) | undefined;
  /** How long a turn may run in one go, ms; it then ends as `time_limit`. */
  readonly maxTimeMs?: number | undefined;
  /**
   * Takes the messages a turn had accepted and did not deliver, in the tick in which the lane is idle again. Absent:
   * they come back with the result.
   */
  readonly onUndelivered?: ((lane: Lane, texts: readonly string[]) => void) | undefined;
}
