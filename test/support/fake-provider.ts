import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";
import { type ChatBody, inspectRequest, PrefixWatch } from "./protocol-police.ts";
import { PAUSE, type Step } from "./wire-script.ts";

export interface ReceivedRequest {
  /** From 0, model lists not counted. */
  readonly index: number;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly text: string;
  readonly body: ChatBody;
}

export interface FakeProviderOptions {
  /** What `GET /models` lists. */
  readonly models?: readonly string[];
  /** Requests without this key are refused with 401. */
  readonly apiKey?: string;
  /** `free` when the client is not ours and keeps no stable head. */
  readonly heads?: "watched" | "free";
  /** A request was read and judged, and nothing was answered yet. */
  readonly onRequest?: (request: ReceivedRequest) => void | Promise<void>;
  /** `sent` frames of the answer have left. */
  readonly onFrame?: (request: ReceivedRequest, sent: number) => void | Promise<void>;
}

export type Script = Step | ((request: ReceivedRequest) => Step);

/**
 * A real HTTP server that speaks chat completions by script and polices every request. `close` fails for an illegal
 * request, for a request without a step, for a step without a request, and for an exception of its own.
 */
export class FakeProvider implements AsyncDisposable {
  readonly requests: ReceivedRequest[] = [];
  readonly #options: FakeProviderOptions;
  readonly #steps: Script[];
  readonly #server: Server;
  readonly #faults: string[] = [];
  readonly #prefixes = new PrefixWatch();
  readonly #waiters: (() => void)[] = [];
  #connections = 0;
  #pausedAt = 0;
  #releases: (() => void)[] = [];
  #closed: Promise<void> | undefined;

  constructor(steps: readonly Script[], options: FakeProviderOptions = {}) {
    this.#steps = [...steps];
    this.#options = options;
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch((error: unknown) => this.#fault(response, String(error)));
    });
    this.#server.on("connection", () => this.#connections++);
  }

  async listen(): Promise<this> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return this;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${this.port}/v1`;
  }

  /** How many connections were opened. */
  get connections(): number {
    return this.#connections;
  }

  script(...steps: readonly Script[]): void {
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
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const bytes = await readAll(request);
    // The client went away before all was sent.
    if (bytes === undefined) return;
    const path = request.url ?? "";
    const route = `${request.method} ${path.split("?")[0]}`;
    if (this.#options.apiKey !== undefined && request.headers.authorization !== `Bearer ${this.#options.apiKey}`) {
      response.writeHead(401, { "content-type": "application/json" });
      response.end(JSON.stringify({ error: { message: "Invalid API key", code: "invalid_api_key" } }));
    } else if (route === "GET /v1/models") {
      const data = (this.#options.models ?? ["fake-1"]).map((id) => ({ id, object: "model" }));
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ object: "list", data }));
    } else if (route === "POST /v1/chat/completions") {
      await this.#answer(request, response, bytes);
    } else {
      this.#fault(response, `unexpected ${route}`);
    }
  }

  async #answer(request: IncomingMessage, response: ServerResponse, bytes: Buffer): Promise<void> {
    const { body, violations } = inspectRequest(bytes);
    const text = bytes.toString();
    const received = { index: this.requests.length, path: request.url ?? "", headers: request.headers, text, body };
    this.requests.push(received);
    const script = this.#steps.shift();
    const step = typeof script === "function" ? script(received) : script;
    const free = this.#options.heads === "free" || step?.newHead === true;
    const broke = this.#prefixes.check(text, body, free);
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

  async #play(step: Step, request: ReceivedRequest, response: ServerResponse): Promise<void> {
    let sent = 0;
    if (step.untilClose) response.removeHeader("transfer-encoding");
    for (const frame of step.frames) {
      if (response.destroyed) return;
      if (frame === PAUSE) {
        await this.#pause();
        continue;
      }
      if (typeof frame === "object" && "waitMs" in frame) {
        await setTimeout(frame.waitMs);
        continue;
      }
      if (!response.headersSent) {
        response.writeHead(step.status ?? 200, { "content-type": "text/event-stream", ...step.headers });
        response.socket?.setNoDelay(true);
      }
      await new Promise<void>((resolve) => response.write(frame, () => resolve()));
      await this.#options.onFrame?.(request, ++sent);
    }
    this.#end(step, response);
  }

  #end({ end = "normal", status, headers }: Step, response: ServerResponse): void {
    switch (end) {
      case "normal":
        if (!response.headersSent)
          response.writeHead(status ?? 200, { "content-type": "text/event-stream", ...headers });
        response.end();
        return;
      case "cut":
        response.socket?.destroySoon();
        return;
      case "reset":
        response.socket?.resetAndDestroy();
        return;
      case "open":
        return;
    }
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
    if (!response.headersSent) response.writeHead(400, { "content-type": "application/json" });
    response.end(JSON.stringify({ error: { message: `The fake provider refuses this: ${faults.join("; ")}` } }));
  }
}

export const fakeProvider = async (
  steps: readonly Script[],
  options: FakeProviderOptions = {},
): Promise<FakeProvider> => new FakeProvider(steps, options).listen();

async function readAll(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(chunk as Buffer);
  } catch {
    return undefined;
  }
  return Buffer.concat(chunks);
}
