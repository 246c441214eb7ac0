import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type Duplex, duplexPair } from "node:stream";
import type { Clock } from "../protocol/ports.ts";
import type { ScriptStep, ScriptUsage } from "./steps.ts";

/** One request as the model got it. */
export interface ScriptRequest {
  readonly model: string;
  readonly messages: readonly { readonly role: string; readonly content?: unknown }[];
  /** Names of the tools it was offered. */
  readonly tools: readonly string[];
  /** The whole body. */
  readonly body: Readonly<Record<string, unknown>>;
}

/**
 * A model that does what its script says, request by request. It is a whole HTTP server without a port: requests reach
 * it over a connection in memory, so encoding, decoding, limits and retries are the real ones.
 */
export class ScriptedModel {
  /** All requests so far. */
  readonly requests: ScriptRequest[] = [];
  private readonly steps: readonly ScriptStep[];
  private readonly server: Server;
  private readonly clocks = new WeakMap<object, Clock>();
  private calls = 0;

  constructor(steps: readonly ScriptStep[]) {
    this.steps = [...steps];
    this.server = createServer((request, response) => {
      this.answer(request, response).catch((error: unknown) => response.destroy(error as Error));
    });
  }

  /** The client's end of a new connection; the server waits by this clock. */
  connect(clock: Clock): Duplex {
    const [client, server] = duplexPair();
    client.once("close", () => server.destroy());
    server.once("close", () => client.destroy());
    this.clocks.set(server, clock);
    this.server.emit("connection", server);
    return client;
  }

  /** Throws an Error when the model was asked more often than the script says. */
  assertExpected(): void {
    const { length } = this.steps;
    const asked = this.requests.length;
    if (asked <= length) return;
    const last = this.requests[length]?.messages.at(-1);
    throw new Error(
      `The script has ${count(length, "step")}, and the model was asked ${asked} times. ` +
        `The first request without a step ends with: ${shown(JSON.stringify(last) ?? "nothing")}`,
    );
  }

  /** Throws an Error for that, and for steps that nobody asked for. Closing the agent does the same. */
  assertUsed(): void {
    this.assertExpected();
    const unused = this.steps.slice(this.requests.length);
    if (unused.length === 0) return;
    const of = `${unused.length} of ${count(this.steps.length, "step")}`;
    throw new Error(`The script was not played to its end: ${of} were never asked for. Next: ${told(unused[0])}`);
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = JSON.parse(Buffer.concat(await request.toArray()).toString()) as Readonly<Record<string, unknown>>;
    const step = this.steps[this.requests.length];
    this.requests.push(requestOf(body));
    if (step === undefined) return refuse(response, 400, { message: "The script of this model has ended." });
    switch (step.type) {
      case "refusal":
        return refuse(response, step.status, step.error, step.headers);
      case "reply":
        for (const delta of step.deltas) response.write(frame(choice(this.named(delta))));
        response.write(frame(choice({}, step.finish)));
        if (step.usage !== undefined) response.write(frame({ choices: [], usage: wireUsage(step.usage) }));
        response.end("data: [DONE]\n\n");
        return undefined;
      case "cut":
        await sent(response, step.text);
        response.destroy();
        return undefined;
      case "stall":
        await sent(response, step.text);
        return this.silence(response);
    }
  }

  /** Until whoever asked gives up. */
  private async silence(response: ServerResponse): Promise<void> {
    const gone = new AbortController();
    const { socket } = response;
    socket?.once("close", () => gone.abort());
    const clock = socket === null ? undefined : this.clocks.get(socket);
    while (!gone.signal.aborted) await clock?.sleep(LONG_MS, gone.signal);
  }

  /** Every call has an id of its own. */
  private named(delta: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    const { tool_calls: calls } = delta;
    if (!Array.isArray(calls)) return delta;
    return { tool_calls: calls.map((call: object) => ({ id: `call_${(this.calls += 1)}`, ...call })) };
  }
}

/** Longer than any limit of a call, ms. */
const LONG_MS = 3_600_000;

/** The steps of a model, one for each request. */
export const script = (steps: readonly ScriptStep[]): ScriptedModel => new ScriptedModel(steps);

const count = (many: number, what: string): string => `${many} ${what}${many === 1 ? "" : "s"}`;

const shown = (text: string): string => (text.length <= 200 ? text : `${text.slice(0, 199)}…`);

const told = (step: ScriptStep | undefined): string => shown(JSON.stringify(step) ?? "");

function requestOf(body: Readonly<Record<string, unknown>>): ScriptRequest {
  const {
    model,
    messages = [],
    tools = [],
  } = body as {
    readonly model: string;
    readonly messages?: ScriptRequest["messages"];
    readonly tools?: readonly { readonly function: { readonly name: string } }[];
  };
  return { model, messages, tools: tools.map((tool) => tool.function.name), body };
}

function refuse(
  response: ServerResponse,
  status: number,
  error: object,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify({ error }));
}

const frame = (data: object): string => `data: ${JSON.stringify(data)}\n\n`;

const choice = (delta: object, finish: string | null = null): object => ({
  object: "chat.completion.chunk",
  choices: [{ index: 0, delta, finish_reason: finish }],
});

const wireUsage = ({ input, output, cacheRead = 0 }: ScriptUsage): object => ({
  prompt_tokens: input,
  completion_tokens: output,
  total_tokens: input + output,
  prompt_tokens_details: { cached_tokens: cacheRead },
});

/** Resolves when the text has left. */
const sent = (response: ServerResponse, text: string): Promise<void> =>
  new Promise((resolve) =>
    response.write(frame(choice(text === "" ? { role: "assistant" } : { content: text })), () => resolve()),
  );
