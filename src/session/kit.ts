import type { Model, TurnPorts } from "../protocol/ports.ts";
import type { KitText } from "../protocol/replay.ts";
import type { Writer } from "../protocol/store.ts";
import type { ToolSpec } from "../protocol/tool.ts";
import { gaugeText } from "../turn/gauge.ts";
import type { Setup, TurnState } from "../turn/state.ts";
import { kitText } from "./kit-text.ts";
import type { LaneOptions } from "./lane-options.ts";
import { ModelRoutes } from "./model-routes.ts";
import type { TurnTools } from "./turn-tools.ts";

/** A model that was told of some tools. */
export interface ToldModel {
  readonly model: Model;
  /** See Successor. */
  readonly overhead?: number | undefined;
}

type KitOptions = Pick<LaneOptions, "open" | "backup" | "setup" | "tools" | "stored" | "prompt"> & {
  readonly nonce: string;
  /** The system prompt. */
  readonly system: string;
};

/** What the turns of a lane ask and call. It changes between two turns alone, where tools have come or gone (row A3). */
export class Kit {
  #tools: TurnTools;
  #routes: ModelRoutes;
  #setup: Setup;
  #model: Model;
  #text: KitText | undefined;
  #keptFor = "";
  readonly #options: KitOptions;

  constructor(options: KitOptions) {
    this.#options = options;
    this.#tools = options.tools;
    [this.#model, this.#routes, this.#setup] = this.#opened(options.tools.specs);
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

  /** As one turn runs under it. */
  setupFor(maxIterations: number = this.#setup.maxIterations): Setup {
    return { ...this.#setup, maxIterations };
  }

  /** For whoever runs the turn again: kept once for each that this process has in hand. */
  keepFor({ turnId, gauge }: Pick<TurnState, "turnId" | "gauge">, writer: Writer): void {
    if (this.#keptFor === turnId) return;
    this.#keptFor = turnId;
    const { stored, prompt, system } = this.#options;
    const isKept = prompt?.built !== undefined || (stored.prompt.state === "present" && stored.prompt.text === system);
    this.#text ??= kitText({
      setup: this.#setup,
      wire: this.#model.wire,
      tools: this.#tools.specs,
      ...(!isKept && system !== "" && { system }),
    });
    writer.keepKit(this.#text, gaugeText(gauge));
  }

  take(tools: TurnTools): void {
    if (tools === this.#tools) return;
    this.#tools = tools;
    this.#text = undefined;
    [this.#model, this.#routes, this.#setup] = this.#opened(tools.specs);
  }

  #opened(specs: readonly ToolSpec[]): [Model, ModelRoutes, Setup] {
    const { open, setup, backup, nonce, system } = this.#options;
    const { model, overhead } = open(specs);
    const routes = new ModelRoutes(model, { backup, nonce, system, tools: specs });
    return [model, routes, overhead === undefined ? setup : { ...setup, overhead }];
  }
}
