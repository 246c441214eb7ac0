import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";
import { PAUSE, type Step } from "./wire-script.ts";

export interface Received<Body> {
  /** From 0, model lists not counted. */
  readonly index: number;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly text: string;
  readonly body: Body;
}

/** The bytes of a request, before anybody has judged them. */
export interface Asked {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly bytes: Buffer;
}

export interface Judged<Body> {
  readonly body: Body;
  /** One sentence for each. */
  readonly violations: readonly string[];
}

export interface Refusal {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Written as JSON. */
  readonly body: unknown;
}

/** How one server of a dialect listens: which requests are its own, what is illegal in them, and how it refuses. */
export interface Protocol<Body> {
  /** What stands between the origin and the paths that clients add. */
  readonly base: string;
  /** Of a stream. */
  readonly contentType: string;
  /** The key a request carries. */
  keyOf(headers: IncomingMessage["headers"]): string | undefined;
  /** `METHOD /path` of a request to the model. */
  isCall(route: string): boolean;
  /** What any other route is answered with, as JSON; undefined: nobody may ask. */
  list(route: string, models: readonly string[]): unknown;
  judge(asked: Asked): Judged<Body>;
  /** What is wrong with how a request goes on from the ones before it; `declared`: its head is allowed to be new. */
  watch(text: string, body: Body, declared: boolean): string | undefined;
  refusal(why: "bad_key" | "bad_request", message?: string): Refusal;
}

export interface FakeServerOptions<Body> {
  /** What the list of models names. */
  readonly models?: readonly string[];
  /** Requests without this key are refused with 401. */
  readonly apiKey?: string;
  /** `free` when the client is not ours and keeps no stable head. */
  readonly heads?: "watched" | "free";
  /** A request was read and judged, and nothing was answered yet. */
  readonly onRequest?: (request: Received<Body>) => void | Promise<void>;
  /** `sent` frames of the answer have left. */
  readonly onFrame?: (request: Received<Body>, sent: number) => void | Promise<void>;
  /** How the server waits, until the client has gone; by the machine's own time when absent. */
  readonly wait?: (ms: number, gone: AbortSignal) => Promise<void>;
  /** An answer has fallen silent, and stays so until the client has gone. */
  readonly onSilence?: (gone: AbortSignal) => void;
}

export type ScriptOf<Body> = Step | ((request: Received<Body>) => Step);

/**
 * A real HTTP server that speaks one dialect by script and polices every request. `close` fails for an illegal
 * request, for a request without a step, for a step without a request, and for an exception of its own.
 */
export class FakeServer<Body> implements AsyncDisposable {
  readonly requests: Received<Body>[] = [];
  readonly #protocol: Protocol<Body>;
  readonly #options: FakeServerOptions<Body>;
  readonly #steps: ScriptOf<Body>[];
  readonly #server: Server;
  readonly #faults: string[] = [];
  readonly #waiters: (() => void)[] = [];
  #port = 0;
  #connections = 0;
  #pausedAt = 0;
  #releases: (() => void)[] = [];
  #closed: Promise<void> | undefined;

  constructor(protocol: Protocol<Body>, steps: readonly ScriptOf<Body>[], options: FakeServerOptions<Body>) {
    this.#protocol = protocol;
    this.#steps = [...steps];
    this.#options = options;
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch((error: unknown) => this.#fault(response, String(error)));
    });
    this.#server.on("connection", () => this.#connections++);
  }

  /** Also again, at the same address, after it has left. */
  async listen(): Promise<this> {
    this.#server.listen(this.#port, "127.0.0.1");
    await once(this.#server, "listening");
    this.#port = (this.#server.address() as AddressInfo).port;
    return this;
  }

  /** Nobody is there any more: connections are closed, and new ones refused. */
  async leave(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  get port(): number {
    return this.#port;
  }

  get origin(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get baseUrl(): string {
    return `${this.origin}${this.#protocol.base}`;
  }

  /** How many connections were opened. */
  get connections(): number {
    return this.#connections;
  }

  script(...steps: readonly ScriptOf<Body>[]): void {
    this.#steps.push(...steps);
  }

  /** Resolves when `count` requests have been received in all. */
  async received(count: number): Promise<void> {
    await this.#until(() => this.requests.length >= count);
  }

  /** Resolves when an answer has come to a pause (in all: to its `count`th). */
  async paused(count = 1): Promise<void> {
    await this.#until(() => this.#pausedAt >= count);
  }

  /** Lets the paused answers go on. */
  release(): void {
    const releases = this.#releases;
    this.#releases = [];
    for (const release of releases) release();
  }

  /** Throws what went wrong so far. */
  verify(): void {
    const unused = this.#steps.length === 0 ? [] : [`${this.#steps.length} steps were never asked for`];
    const faults = [...this.#faults, ...unused];
    if (faults.length > 0) throw new Error(`The fake provider saw:\n- ${faults.join("\n- ")}`);
  }

  /** Stops the server and verifies. */
  async close(): Promise<void> {
    this.#closed ??= this.#stop();
    await this.#closed;
    this.verify();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #stop(): Promise<void> {
    this.release();
    await this.leave();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const bytes = await readAll(request);
    // The client went away before all was sent.
    if (bytes === undefined) return;
    const path = request.url ?? "";
    const route = `${request.method} ${path.split("?")[0]}`;
    const { apiKey, models = ["fake-1"] } = this.#options;
    if (apiKey !== undefined && this.#protocol.keyOf(request.headers) !== apiKey) {
      send(response, this.#protocol.refusal("bad_key"));
    } else if (this.#protocol.isCall(route)) {
      await this.#answer({ path, headers: request.headers, bytes }, response);
    } else {
      const list = this.#protocol.list(route, models);
      if (list === undefined) this.#fault(response, `unexpected ${route}`);
      else send(response, { status: 200, body: list });
    }
  }

  async #answer(asked: Asked, response: ServerResponse): Promise<void> {
    const script = this.#steps.shift();
    const { body, violations } = this.#protocol.judge(asked);
    const { path, headers, bytes } = asked;
    const received = { index: this.requests.length, path, headers, text: bytes.toString(), body };
    this.requests.push(received);
    const step = typeof script === "function" ? script(received) : script;
    const free = this.#options.heads === "free" || step?.newHead === true;
    const broke = this.#protocol.watch(received.text, body, free);
    const found = [
      ...violations,
      ...(broke === undefined ? [] : [broke]),
      ...(step === undefined ? ["no step is left"] : []),
    ];
    await this.#options.onRequest?.(received);
    this.#wake();
    if (step === undefined || found.length > 0)
      this.#fault(response, ...found.map((what) => `request ${received.index}: ${what}`));
    else await this.#play(step, received, response);
  }

  async #play(step: Step, request: Received<Body>, response: ServerResponse): Promise<void> {
    let sent = 0;
    const gone = goneOf(response);
    if (step.untilClose) response.removeHeader("transfer-encoding");
    for (const frame of step.frames) {
      if (response.destroyed) return;
      if (frame === PAUSE) {
        await this.#pause();
        continue;
      }
      if (typeof frame === "object" && "waitMs" in frame) {
        await this.#wait(frame.waitMs, gone);
        continue;
      }
      if (step.bare) {
        await new Promise<void>((resolve) => response.socket?.write(frame, () => resolve()));
        continue;
      }
      if (!response.headersSent) {
        this.#begin(step, response);
        response.socket?.setNoDelay(true);
      }
      await new Promise<void>((resolve) => response.write(frame, () => resolve()));
      await this.#options.onFrame?.(request, ++sent);
    }
    this.#end(step, response, gone);
  }

  #begin({ status = 200, headers }: Step, response: ServerResponse): void {
    response.writeHead(status, { "content-type": this.#protocol.contentType, ...headers });
  }

  #end(step: Step, response: ServerResponse, gone: AbortSignal): void {
    switch (step.end ?? "normal") {
      case "normal":
        if (step.bare) {
          response.socket?.end();
          return;
        }
        if (!response.headersSent) this.#begin(step, response);
        response.end();
        return;
      case "cut":
        response.socket?.destroySoon();
        return;
      case "reset":
        response.socket?.resetAndDestroy();
        return;
      case "open":
        this.#options.onSilence?.(gone);
        return;
    }
  }

  #wait(ms: number, gone: AbortSignal): Promise<unknown> {
    const { wait } = this.#options;
    return wait === undefined ? setTimeout(ms) : wait(ms, gone);
  }

  async #pause(): Promise<void> {
    const released = new Promise<void>((resolve) => this.#releases.push(resolve));
    this.#pausedAt++;
    this.#wake();
    await released;
  }

  async #until(reached: () => boolean): Promise<void> {
    while (!reached()) {
      // What is waited for will not come after a fault.
      if (this.#faults.length > 0) this.verify();
      await new Promise<void>((resolve) => this.#waiters.push(resolve));
    }
  }

  #wake(): void {
    for (const wake of this.#waiters.splice(0)) wake();
  }

  #fault(response: ServerResponse, ...faults: string[]): void {
    this.#faults.push(...faults);
    this.#wake();
    const refusal = this.#protocol.refusal("bad_request", `The fake provider refuses this: ${faults.join("; ")}`);
    if (response.headersSent) response.end(JSON.stringify(refusal.body));
    else send(response, refusal);
  }
}

function send(response: ServerResponse, { status, headers, body }: Refusal): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}

/** Aborted when the client has gone. */
function goneOf(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  if (response.destroyed) gone.abort();
  else response.once("close", () => gone.abort());
  return gone.signal;
}

async function readAll(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(chunk as Buffer);
  } catch {
    return undefined;
  }
  return Buffer.concat(chunks);
}
