import type { Failure, FailureReason } from "../protocol/failure.ts";
import type { Asked, Chain, Credentials, Model, ModelName, Successor } from "../protocol/ports.ts";
import type { Wire } from "../protocol/replay.ts";
import type { OtherModel, SessionOpening } from "./turn.ts";

/** The models that may stand in for the first one, as all sessions of an agent have them. Never rejects, never throws. */
export interface Backup {
  /** How many there are, usable or not. */
  readonly size: number;
  readonly left: (asked: Asked) => number;
  /** As `Chain.next`. */
  readonly next: (asked: Asked, failure: Failure | undefined) => Promise<OtherModel | undefined>;
  /** Why the model had better not be asked now; undefined: nothing is known against it. */
  readonly against: (name: ModelName) => FailureReason | undefined;
  /** The one of this name, for a turn that another process had handed to it. */
  readonly reopen: (name: ModelName) => Promise<OtherModel | undefined>;
}

const keyOf = ({ provider, model }: ModelName): string => `${provider}\n${model}`;

/** See Successor. */
interface Known extends Pick<OtherModel, "provider" | "model" | "price" | "contextWindow"> {
  readonly overhead?: number | undefined;
  readonly wire?: Wire | undefined;
}

/** What a turn knows of the model that it asks from here on. */
export const successor = ({ provider, model, price, contextWindow, overhead, wire }: Known): Successor => ({
  provider,
  model,
  ...(price && { price }),
  ...(contextWindow !== undefined && { contextWindow }),
  ...(overhead !== undefined && { overhead }),
  ...(wire && { wire }),
});

interface Behind extends SessionOpening {
  readonly backup: Backup | undefined;
}

/** The models that the turns of a session can ask, each with its own view of the conversation. */
export class ModelRoutes {
  readonly #first: Model;
  readonly #behind: Behind;
  readonly #others = new Map<string, Model>();
  #asked: Model | undefined;

  /** `first` is asked for every name that no other model has. */
  constructor(first: Model, behind: Behind) {
    this.#first = first;
    this.#behind = behind;
  }

  /** Another view of the conversation, for a model that a person chose. */
  add(other: OtherModel): Successor {
    this.#others.set(keyOf(other), other.open(this.#behind));
    return this.#known(other);
  }

  readonly model: Model = {
    ready: async (request) => this.#of(request).ready?.(request),
    prepare: (request) => {
      const model = this.#of(request);
      const before = this.#asked;
      this.#asked = model;
      return model.prepare(before === undefined || before === model ? request : { ...request, anew: true });
    },
  };

  /** The keys of whichever model was asked. */
  readonly credentials: Credentials = {
    look: (sent) => this.#of(sent).credentials?.look(sent),
    rotate: async (sent, failure) => this.#of(sent).credentials?.rotate(sent, failure),
    refresh: async (sent) => this.#of(sent).credentials?.refresh(sent),
  };

  /** Undefined: nobody stands behind the first model. */
  get chain(): Chain | undefined {
    const { backup } = this.#behind;
    if (backup === undefined || backup.size === 0) return undefined;
    return {
      left: (asked) => backup.left(asked),
      next: async (asked, failure) => this.#take(await backup.next(asked, failure)),
    };
  }

  /** Whom the first model of a turn had better hand over to at once (row A13). */
  async standIn(asked: Asked): Promise<(Successor & { readonly because: FailureReason }) | undefined> {
    const { backup } = this.#behind;
    const because = backup?.against(asked);
    if (because === undefined || backup?.left(asked) === 0) return undefined;
    const taken = this.#take(await backup?.next(asked, undefined));
    return taken && { ...taken, because };
  }

  /** Whether a model can be asked that another process had switched to. */
  async reach(name: ModelName): Promise<boolean> {
    if (this.#others.has(keyOf(name))) return true;
    return this.#take(await this.#behind.backup?.reopen(name)) !== undefined;
  }

  /** One that was asked before goes on with what it knows of the conversation. */
  #take(other: OtherModel | undefined): Successor | undefined {
    if (other === undefined) return undefined;
    return this.#others.has(keyOf(other)) ? this.#known(other) : this.add(other);
  }

  #known(other: OtherModel): Successor {
    const { wire } = this.#of(other);
    return successor({ ...other, overhead: other.overhead?.(this.#behind), wire });
  }

  #of(name: ModelName): Model {
    return this.#others.get(keyOf(name)) ?? this.#first;
  }
}
