import type { Scope } from "../protocol/approval.ts";
import type { WaitingCall } from "../protocol/outcome.ts";
import type { Store } from "../protocol/store.ts";
import type { Lane } from "./lane.ts";
import type { Sessions } from "./sessions.ts";
import type { Turn } from "./turn.ts";
import type { TurnHandle } from "./turn-handle.ts";

/** A turn that stands still: it waits for a person, or its process died. */
export interface ParkedTurn {
  readonly turnId: string;
  readonly sessionId: string;
  /** The calls that wait for a person now. */
  readonly pending: readonly WaitingCall[];
  /** Keeps what a person decided; runs nothing. False when this call does not wait any more. */
  decide(approvalId: string, allow: boolean, scope?: Scope): Promise<boolean>;
  /** Keeps what a person said to a question; runs nothing. False when this question does not wait any more. */
  answer(approvalId: string, words: string): Promise<boolean>;
  /** Goes on with the turn: what was done is not done again. With calls undecided it stands still again. */
  resume(): TurnHandle;
}

interface Around {
  readonly store: Store;
  readonly sessions: Sessions;
  readonly handle: (sessionId: string, begun: Promise<Turn>) => TurnHandle;
}

/** Undefined when there is no such turn, when it has ended, and while it runs here. */
export async function openTurn(turnId: string, { store, sessions, handle }: Around): Promise<ParkedTurn | undefined> {
  const sessionId = store.turn(turnId)?.sessionId;
  if (sessionId === undefined) return undefined;
  let lane = await sessions.lane(sessionId);
  if (lane.turnId !== turnId || !lane.unfinished || lane.running !== undefined) return undefined;
  // A person takes their time: the session may have been let go meanwhile.
  const now = async (): Promise<Lane> => (lane = await sessions.lane(sessionId));
  const resume = async (): Promise<Turn> => {
    const { turnId: found } = await now();
    if (found !== turnId) throw new Error("this turn has ended, and another one has begun in its session");
    return lane.resume();
  };
  return {
    turnId,
    sessionId,
    get pending() {
      return lane.asked;
    },
    decide: async (approvalId, allow, scope) => (await now()).approve(approvalId, allow, scope),
    answer: async (approvalId, words) => (await now()).answer(approvalId, words),
    resume: () => handle(sessionId, resume()),
  };
}
