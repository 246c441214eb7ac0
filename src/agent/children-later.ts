import type { Delegation } from "../protocol/delegation.ts";
import type { EndedTurn } from "../session/after-work.ts";
import { CHILD_LIMITS, type ChildLimits } from "../session/children/caps.ts";
import type { Children } from "../session/children/children.ts";
import { leftBehind } from "../session/children/left.ts";
import type { ChildSurroundings } from "./children.ts";

/** How an agent gives work on to child agents. */
export interface ChildOptions {
  /** Model calls of one child; 250 when absent. */
  readonly iterations?: number;
  /** Tasks that one call may give; 3 when absent. */
  readonly parallel?: number;
  /** 1, as when absent: children have none of their own; 2: they may. */
  readonly depth?: number;
  /** How long one child may run, ms, 30,000 at least; as long as it takes when absent. */
  readonly timeoutMs?: number;
}

/** The child agents of an agent; what runs them is loaded with the first one. */
export interface ChildrenLater extends Delegation {
  /** See `Children`. */
  settle(ended: EndedTurn): void;
  /** A session is opened: children that a process has left behind are closed. `openTurn`: its unfinished turn. */
  settleLeft(sessionId: string, openTurn: string | undefined): void;
  rest(): Promise<void>;
}

export function childrenLater(at: Omit<ChildSurroundings, "limits">): ChildrenLater {
  const limits = limitsOf(at.options.children);
  let opened: Promise<Children> | undefined;
  const open = (): Promise<Children> =>
    (opened ??= import("./children.ts").then(({ childrenOn }) => childrenOn({ ...at, limits })));
  return {
    run: async (tasks, context) => (await open()).at({ depth: 0 }).run(tasks, context),
    settle(ended) {
      // A process that died may have left some.
      if (opened === undefined && !(ended.result.interrupted && at.store.children(ended.sessionId).length > 0)) return;
      open().then(
        (children) => children.settle(ended),
        () => undefined,
      );
    },
    settleLeft(sessionId, openTurn) {
      const left = leftBehind(at.store, sessionId, openTurn);
      if (left.length === 0) return;
      open().then(
        (children) => left.forEach((turnId) => children.settleTurn(sessionId, turnId)),
        () => undefined,
      );
    },
    rest: async () => (await opened)?.rest(),
  };
}

/** Throws RangeError for what cannot be. */
function limitsOf({ timeoutMs, ...given }: ChildOptions = {}): ChildLimits {
  const limits = { ...CHILD_LIMITS, ...given, timeoutMs };
  const { iterations, parallel, depth } = limits;
  const isCount = (value: number, most: number): boolean => Number.isInteger(value) && value > 0 && value <= most;
  if (!isCount(iterations, Number.MAX_SAFE_INTEGER) || !isCount(parallel, MOST_PARALLEL) || !isCount(depth, MOST_DEPTH))
    throw new RangeError(
      `children: iterations is a whole number above zero, parallel one to ${MOST_PARALLEL}, depth one to ${MOST_DEPTH}.`,
    );
  if (timeoutMs !== undefined && !(Number.isInteger(timeoutMs) && timeoutMs >= SHORTEST_MS && timeoutMs < 2 ** 31))
    throw new RangeError(`children: timeoutMs is a whole number of ms from ${SHORTEST_MS}, below 2^31.`);
  return limits;
}

/** hermes.md §16. */
const MOST_PARALLEL = 10;
const SHORTEST_MS = 30_000;
/** security.md §3.10. */
const MOST_DEPTH = 2;
