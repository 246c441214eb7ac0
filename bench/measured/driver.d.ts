/** The slot for a runtime: one file in drivers/ exports `create`. */

export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  /** JSON Schema. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

export interface BoundTool extends ToolSpec {
  readonly execute: (input: { readonly text: string }) => Promise<string>;
}

export interface DriverOptions {
  /** A chat-completions server, up to and with `/v1`. */
  readonly baseUrl: string;
  readonly model: string;
  /** From peers.json; `none` saves nothing. */
  readonly persist: string;
  /** An empty folder for this process. */
  readonly stateDir: string;
  /** Never stop before this many model calls. */
  readonly maxIterations: number;
  /** The tools every turn will bring. */
  readonly tools: readonly ToolSpec[];
}

export interface TurnRequest {
  /** Turns of different sessions may run at once; the same session again goes on with it. */
  readonly sessionId: string;
  readonly prompt: string;
  readonly tools: readonly BoundTool[];
  /** To be called for each piece of the answer as it arrives. */
  readonly onText?: ((text: string) => void) | undefined;
}

export interface Driver {
  /** One whole turn: model calls with streaming on, tools of a reply in parallel, until the final text. */
  turn(request: TurnRequest): Promise<{ readonly text: string | null }>;
  /** Durable drivers: adds messages of the chat-completions wire to a session, in one commit. */
  save?(sessionId: string, messages: readonly { readonly role: string; readonly content: string }[]): Promise<void>;
  /** Durable drivers: how many messages of the session are on disk. */
  stored?(sessionId: string): number;
  close(): Promise<void>;
}

export type Create = (options: DriverOptions) => Promise<Driver>;
