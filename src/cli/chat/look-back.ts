import { oneLine } from "../../session/plain-text.ts";
import type { ReviewDeed, ReviewOutcome } from "../../session/review/outcome.ts";
import { systemClock } from "../../session/system-clock.ts";
import { changesWaitIn } from "../../words/proposals.ts";
import { lookingBack, NOT_LOOKED_BACK, reviewLine, type ReviewSaid } from "../../words/review.ts";
import type { Runtime } from "../adapters.ts";
import type { Proposals } from "../proposals.ts";
import type { Voice } from "./voice.ts";

/** Nobody who leaves waits longer, ms. */
const PATIENCE_MS = 60_000;

/** Where what waits is decided. */
const REVIEW = { memory: "/memory review", skill: "evander skill review" } as const;

interface LookBackParts {
  readonly voice: Voice;
  /** A turn or a command goes on, whose lines are not to be mixed with others. */
  readonly isBusy: () => boolean;
  /** Of turns and of reviews. */
  readonly proposals: Proposals;
}

/**
 * What is written where the conversation is looked back at, and what waits for a person: told between its turns, and waited
 * for where they leave.
 */
export class LookBack {
  private readonly voice: Voice;
  private readonly isBusy: () => boolean;
  private readonly proposals: Proposals;
  private readonly waiting: ReviewOutcome[] = [];
  private followed: Runtime | undefined;

  constructor({ voice, isBusy, proposals }: LookBackParts) {
    this.voice = voice;
    this.isBusy = isBusy;
    this.proposals = proposals;
  }

  follow(runtime: Runtime): void {
    if (this.followed === runtime) return;
    this.followed = runtime;
    runtime.reviews?.follow((outcome) => {
      this.waiting.push(outcome);
      if (!this.isBusy()) this.tell();
    });
  }

  /** All that has come meanwhile. */
  tell(): void {
    for (const outcome of this.waiting.splice(0)) {
      const line = reviewLine(saidOf(outcome));
      if (line !== undefined) this.voice.say(line);
    }
    for (const sentence of this.proposals.takeTroubles()) this.voice.say(sentence);
    for (const [of, count] of this.proposals.take()) this.voice.say(changesWaitIn(of, count, REVIEW[of]));
  }

  /** Another session is gone on with: nobody waits. */
  leave(runtime: Runtime, sessionId: string): void {
    const going = runtime.reviews?.leave(sessionId);
    if (going !== undefined) this.voice.follow(going);
    this.voice.follow(runtime.leaveSession(sessionId));
  }

  /** The person leaves for good. `whileStoppable` ends the wait when they do not want it. */
  async close(
    runtime: Runtime,
    sessionId: string,
    whileStoppable: (run: (signal: AbortSignal) => Promise<void>) => Promise<void>,
  ): Promise<void> {
    const going = runtime.reviews?.leave(sessionId);
    if (going !== undefined) {
      this.voice.say(lookingBack(PATIENCE_MS / 1_000));
      await whileStoppable((signal) => this.wait(going, signal));
    }
    this.tell();
  }

  private async wait(going: Promise<unknown>, signal: AbortSignal): Promise<void> {
    const over = new AbortController();
    const done = going.then(() => true);
    const patience = systemClock.sleep(PATIENCE_MS, AbortSignal.any([signal, over.signal])).then(() => false);
    if (!(await Promise.race([done, patience]))) this.voice.say(NOT_LOOKED_BACK);
    over.abort();
  }
}

function saidOf({ deeds }: ReviewOutcome): ReviewSaid {
  const notes = (what: string): string[] =>
    deeds.flatMap((deed) => (deed.type === "note" && deed.do === what ? [oneLine(deed.text)] : []));
  const skills = (isNew: boolean): string[] =>
    unique(deeds.flatMap((deed) => (deed.type === "skill" && isNew === isCreated(deed) ? [oneLine(deed.name)] : [])));
  const created = skills(true);
  return {
    added: notes("add"),
    changed: notes("replace"),
    dropped: notes("remove"),
    created,
    improved: skills(false).filter((name) => !created.includes(name)),
  };
}

const isCreated = (deed: ReviewDeed): boolean => deed.do === "create";

const unique = (names: readonly string[]): string[] => [...new Set(names)];
