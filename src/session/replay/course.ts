import type { Fact } from "../../protocol/fact.ts";
import type { Difference, RecordedTurn } from "../../protocol/replay.ts";
import { apply } from "../../turn/apply.ts";
import type { TurnState } from "../../turn/state.ts";
import { type Leniency, sameFact } from "./compare.ts";
import { isOutside, takesUp } from "./outside.ts";

/** Why a life of the turn is over, or the replay with it. Thrown through our own code, so that nothing goes on behind it. */
export class Over extends Error {
  override readonly name = "Over";
  readonly how: "life" | "replay";

  constructor(how: "life" | "replay") {
    super(how);
    this.how = how;
  }
}

/** The facts of a turn as they stand in its record, and how far our code has come along them. */
export class Course {
  index = 0;
  difference: Difference | undefined;
  readonly facts: readonly Fact[];
  /** The state of the life that goes on. */
  state: TurnState;

  constructor(turn: RecordedTurn, state: TurnState) {
    this.facts = turn.facts.map(({ fact }) => fact);
    this.state = state;
  }

  get next(): Fact | undefined {
    return this.facts[this.index];
  }

  /** What our code has come to last. */
  get last(): Fact | undefined {
    return this.facts[this.index - 1];
  }

  get nextIsOutside(): boolean {
    return this.next !== undefined && isOutside(this.next, this.state.attempt > 0);
  }

  /** What the loop itself is to record next. */
  get nextOwn(): Fact | undefined {
    return this.facts.slice(this.index).find((fact) => !isOutside(fact, this.state.attempt > 0));
  }

  /** The next fact holds as it stands. */
  take(): Fact | undefined {
    const { next } = this;
    if (next !== undefined) apply(this.state, next);
    this.index++;
    return next;
  }

  /** Our code has come to this. Throws Over where the record goes on otherwise. */
  compare(got: Fact, lenient: Leniency): void {
    const { next } = this;
    // What a process records in its last moment may never have reached the disk.
    if (takesUp(next)) throw new Over("life");
    if (next === undefined) throw new Over("replay");
    if (!sameFact(next, got, lenient)) this.differ({ got });
    this.take();
  }

  /** Notes the first difference, and ends the replay. */
  differ({ got, instead }: { readonly got?: Fact; readonly instead?: string }): never {
    const { index, next } = this;
    const difference = { type: "fact", index, expected: next ?? null, got: got ?? null } as const;
    return this.end({ ...difference, ...(instead !== undefined && { instead }) });
  }

  end(difference: Difference): never {
    this.difference ??= difference;
    throw new Over("replay");
  }
}
