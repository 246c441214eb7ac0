import type { JsonObject } from "../../protocol/json.ts";
import type { McpServer } from "../../protocol/mcp.ts";
import { reasonOf } from "../../protocol/reason-of.ts";
import { type Asking, connect, type Connection } from "./connection.ts";
import type { McpOptions, ServerStatus } from "./desk.ts";
import { openLink } from "./open-link.ts";
import { type ServerTool, serverTools, type ServerTools } from "./server-tool.ts";

/** Security §3.8: it begins so often within this time, ms; then not again. */
const MOST_STARTS = 6;
const WITHIN_MS = 600_000;
/** After the first failure, then twice as long each time, ms. */
const BACK_OFF_MS = 1_000;

const NONE: ServerTools = { tools: [], withheld: [] };

/** One server through all its lives: begun when it is needed, one life at a time. */
export class Server {
  readonly #server: McpServer;
  readonly #options: McpOptions;
  readonly #closing = new AbortController();
  #connection: Connection | undefined;
  #connecting: Promise<Connection | undefined> | undefined;
  #tools: ServerTools = NONE;
  #starts: number[] = [];
  /** Lives in a row that came to nothing. */
  #failures = 0;
  #notBeforeMs = 0;
  #why: string | undefined;
  #told: string | undefined;
  /** What it listed has changed since: looked at between turns, however often it says so. */
  #isStale = false;

  constructor(server: McpServer, options: McpOptions) {
    this.#server = server;
    this.#options = options;
  }

  get name(): string {
    return this.#server.name;
  }

  /** What is offered: also of one that has died and will be begun again when it is called. */
  get offered(): readonly ServerTool[] {
    return this.#state === "off" ? [] : this.#tools.tools;
  }

  /** There is something new to be had of it. */
  get isDue(): boolean {
    return this.#isStale || this.#starts.length === 0 || this.#connecting !== undefined;
  }

  get status(): ServerStatus {
    const { tools, withheld } = this.#tools;
    return {
      name: this.name,
      state: this.#state,
      ...(this.#why !== undefined && { why: this.#why }),
      tools: tools.map(({ tool }) => tool.name),
      withheld,
    };
  }

  /** Begins what is due: a life, or a look at what has changed. Never rejects. */
  async look(): Promise<void> {
    const connection = await this.#alive();
    if (connection === undefined || !this.#isStale) return;
    this.#isStale = false;
    try {
      await this.#list(connection);
    } catch (error) {
      this.#say(`it does not say what it offers now: ${reasonOf(error)}`);
    }
  }

  async call(tool: ServerTool, input: JsonObject, asking: Asking): Promise<JsonObject> {
    const connection = await this.#ready(tool, asking.signal);
    try {
      return await connection.call(tool.listed, input, asking);
    } catch (error) {
      asking.signal.throwIfAborted();
      // What it may have done before it died is done twice only where that is the same.
      if (!connection.isOver || !tool.repeats) throw error;
      const again = await this.#ready(tool, asking.signal);
      return again.call(tool.listed, input, asking);
    }
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error("the program ends"));
    await this.#connecting;
    await this.#connection?.end();
  }

  /** Rejects with why it cannot be called now. */
  async #ready(tool: ServerTool, signal: AbortSignal): Promise<Connection> {
    const connection = await unlessAborted(this.#alive(), signal);
    if (connection === undefined)
      throw new Error(`The server ${this.name} cannot be reached: ${this.#why ?? "it was closed"}.`);
    const now = this.#tools.tools.find(({ listed }) => listed === tool.listed);
    if (now?.digest !== tool.digest)
      throw new Error(`The server ${this.name} does not offer this as it did any more, so it was not called.`);
    return connection;
  }

  /** Undefined: not now. */
  async #alive(): Promise<Connection | undefined> {
    if (this.#connection?.isOver === false) return this.#connection;
    if (this.#connecting === undefined && (this.#state === "off" || this.#options.clock.elapsed() < this.#notBeforeMs))
      return undefined;
    this.#connecting ??= this.#begin().finally(() => {
      this.#connecting = undefined;
    });
    return this.#connecting;
  }

  get #state(): ServerStatus["state"] {
    if (this.#connection?.isOver === false) return "ready";
    if (this.#connecting !== undefined) return "connecting";
    if (this.#closing.signal.aborted || this.#recent().length >= MOST_STARTS) return "off";
    return this.#starts.length === 0 ? "idle" : "waiting";
  }

  #recent(): readonly number[] {
    const nowMs = this.#options.clock.elapsed();
    return this.#starts.filter((startMs) => nowMs - startMs < WITHIN_MS);
  }

  async #begin(): Promise<Connection | undefined> {
    const { folder, clock } = this.#options;
    const { signal } = this.#closing;
    this.#starts = [...this.#recent(), clock.elapsed()];
    try {
      const open = (): ReturnType<typeof openLink> => openLink(this.#server.reach, this.#options);
      const onChange = (): void => {
        this.#isStale = true;
      };
      const connection = await connect(this.#server, { open, folder, clock, onChange }, signal);
      this.#follow(connection);
      await this.#list(connection).catch(async (error: unknown) => {
        await connection.end();
        throw error;
      });
      this.#connection = connection;
      this.#failures = 0;
      this.#why = undefined;
      return connection;
    } catch (error) {
      this.#fail(reasonOf(error));
      return undefined;
    }
  }

  #follow(connection: Connection): void {
    connection.over
      .then((why) => {
        // One that was never in use has said why already.
        if (this.#connection === connection) this.#fail(why);
      })
      .catch(() => undefined);
  }

  #fail(why: string): void {
    if (this.#closing.signal.aborted) return;
    this.#notBeforeMs = this.#options.clock.elapsed() + BACK_OFF_MS * 2 ** this.#failures;
    this.#failures++;
    this.#say(why);
  }

  /** Once for each reason, and not for a life that ended after it had been of use. */
  #say(why: string): void {
    this.#why = why;
    if (this.#told === why) return;
    this.#told = why;
    this.#options.tell?.(this.name, why);
  }

  async #list(connection: Connection): Promise<void> {
    const listing = await connection.list(this.#closing.signal);
    const admitted = await this.#server.admit(listing);
    const { folder } = this.#options;
    const call = this.call.bind(this);
    const { tools, withheld } = serverTools(this.#server, listing, { admitted, folder, call });
    const known = new Map(this.#tools.tools.map((tool) => [tool.digest, tool]));
    // The same tool stays the same object: whoever has it sees that nothing has changed.
    this.#tools = { tools: tools.map((tool) => known.get(tool.digest) ?? tool), withheld };
  }
}

async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = (): void => reject(signal.reason);
  signal.addEventListener("abort", stop, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
