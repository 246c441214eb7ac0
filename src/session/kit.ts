import type { Model, TurnPorts } from "../protocol/ports.ts";
import type { ToolSpec } from "../protocol/tool.ts";
import type { Setup } from "../turn/state.ts";
import type { LaneOptions } from "./lane-options.ts";
import { ModelRoutes } from "./model-routes.ts";
import type { TurnTools } from "./turn-tools.ts";

/** A model that was told of some tools. */
export interface ToldModel {
  readonly model: Model;
  /** See Successor. */
  readonly overhead?: number | undefined;
}

type KitOptions = Pick<LaneOptions, "open" | "backup" | "setup" | "tools"> & {
  readonly nonce: string;
  /** The system prompt. */
  readonly system: string;
};

/** What the turns of a lane ask and call. It changes between two turns alone, where tools have come or gone (row A3). */
export class Kit {
  #tools: TurnTools;
  #routes: ModelRoutes;
  #setup: Setup;
  readonly #options: KitOptions;

  constructor(options: KitOptions) {
    this.#options = options;
    this.#tools = options.tools;
    [this.#routes, this.#setup] = this.#opened(options.tools.specs);
  }

  get routes(): ModelRoutes {
    return this.#routes;
  }

  get setup(): Setup {
    return this.#setup;
  }

  get ports(): Pick<TurnPorts, "model" | "chain" | "credentials" | "tools"> {
    const { model, chain, credentials } = this.#routes;
    return { model, chain, credentials, tools: this.#tools.port };
  }

  take(tools: TurnTools): void {
    if (tools === this.#tools) return;
    this.#tools = tools;
    [this.#routes, this.#setup] = this.#opened(tools.specs);
  }

  #opened(specs: readonly ToolSpec[]): [ModelRoutes, Setup] {
    const { open, setup, backup, nonce, system } = this.#options;
    const { model, overhead } = open(specs);
    const routes = new ModelRoutes(model, { backup, nonce, system, tools: specs });
    return [routes, overhead === undefined ? setup : { ...setup, overhead }];
  }
}
