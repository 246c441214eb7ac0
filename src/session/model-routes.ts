import type { Model } from "../protocol/ports.ts";

/** A model by its name and who serves it. */
export interface ModelName {
  readonly provider: string;
  readonly model: string;
}

const keyOf = ({ provider, model }: ModelName): string => `${provider}\n${model}`;

/** The models that the turns of a session can ask, each with its own view of the conversation. */
export class ModelRoutes {
  readonly #first: Model;
  readonly #others = new Map<string, Model>();
  #asked: Model | undefined;

  /** `first` is asked for every name that no other model has. */
  constructor(first: Model) {
    this.#first = first;
  }

  add(name: ModelName, model: Model): void {
    this.#others.set(keyOf(name), model);
  }

  has(name: ModelName): boolean {
    return this.#others.has(keyOf(name));
  }

  readonly model: Model = {
    prepare: (request) => {
      const model = this.#others.get(keyOf(request)) ?? this.#first;
      const before = this.#asked;
      this.#asked = model;
      return model.prepare(before === undefined || before === model ? request : { ...request, anew: true });
    },
  };
}
