import type { Text } from "../words/language.ts";
import type { ProposalOf } from "../words/proposals.ts";

/** A change of what outlives a session that waits for a person. */
export interface Proposed {
  readonly of: ProposalOf;
  readonly id: string;
}

/** Those that turns of this process have left; nothing is read for it. */
export class Proposals {
  private readonly known = new Set<string>();
  private readonly untold = new Map<ProposalOf, number>();

  private untoldTroubles: Text[] = [];

  /** Something that goes on beside the turns and that whoever asks should know. */
  trouble(sentence: Text): void {
    this.untoldTroubles.push(sentence);
  }

  /** What nobody has been told of; it is told with it. */
  takeTroubles(): readonly Text[] {
    const fresh = this.untoldTroubles;
    this.untoldTroubles = [];
    return fresh;
  }

  /** One that was asked for again is told once. */
  add({ of, id }: Proposed): void {
    if (this.known.has(`${of} ${id}`)) return;
    this.known.add(`${of} ${id}`);
    this.untold.set(of, (this.untold.get(of) ?? 0) + 1);
  }

  /** How many of each kind there are that nobody has been told of; they are told with it. */
  take(): (readonly [of: ProposalOf, count: number])[] {
    const fresh = [...this.untold];
    this.untold.clear();
    return fresh;
  }
}
