import type { ClientRequest, IncomingMessage } from "node:http";
import type { Failure } from "../protocol/failure.ts";
import type { Delta } from "../protocol/fact.ts";
import type { ModelReply } from "../protocol/ports.ts";
import { LONGEST_ERROR, type Sent } from "./failure/facts.ts";
import { failureOfNetwork, failureOfStall } from "./failure/network.ts";
import type { CallLimits } from "./stream-limits.ts";
import { type Timers, Watchdog } from "./watchdog.ts";
import { failureOfReply, type Refusal } from "./failure/refusal.ts";
import type { Progress } from "./reply-builder.ts";
import type { ReplyDecoder } from "./reply-decoder.ts";

export interface ExchangeOptions {
  readonly where: string;
  readonly limits: CallLimits;
  readonly timers: Timers;
  readonly mask: (text: string) => string;
  readonly now: () => number;
  readonly sent: Sent;
  readonly emit: (deltas: readonly Delta[]) => void;
  readonly signal: AbortSignal;
  /** Reads a reply whose status is not 2xx. */
  readonly failureOfStatus: (refusal: Refusal) => Failure;
}

/** How long a server may leave the connection open behind a complete reply, ms: after `[DONE]`, after a finish reason. */
const GRACE_MS = { done: 250, finished: 2_000 };

/** One attempt: everything that servers and networks do becomes a reply. */
export class Exchange {
  readonly #options: ExchangeOptions;
  readonly #decoder: ReplyDecoder;
  readonly #settled = Promise.withResolvers<ModelReply>();
  #over = false;
  #begun = false;
  /** The response was read to its end, so that its connection can serve the next request. */
  #complete = false;
  #watchdog: Watchdog | undefined;
  #progress: Progress = "open";
  #endGrace: () => void = () => undefined;

  constructor(options: ExchangeOptions, decoder: ReplyDecoder) {
    this.#options = options;
    this.#decoder = decoder;
  }

  /** Sends `body`, whose bytes may be reused once this has resolved. */
  async run(request: ClientRequest, body: Buffer): Promise<ModelReply> {
    const { signal, limits, timers, where } = this.#options;
    const onAbort = (): void => this.#finish(() => this.#decoder.aborted());
    signal.addEventListener("abort", onAbort, { once: true });
    this.#watchdog = new Watchdog(limits, timers, (stall, ms) => this.#lose(failureOfStall(stall, ms, where)));
    request.on("response", (response) => this.#onResponse(response));
    request.on("error", (error) => this.#onNetworkError(error));
    request.on("close", () => {
      if (!this.#over) this.#onNetworkError(new Error("closed"));
    });
    request.end(body);
    try {
      return await this.#settled.promise;
    } finally {
      this.#watchdog.stop();
      this.#endGrace();
      signal.removeEventListener("abort", onAbort);
      // A reply that came before all was sent: the rest must never leave, for its bytes are about to be reused.
      if (!request.writableFinished || !this.#complete) request.destroy();
    }
  }

  #onResponse(response: IncomingMessage): void {
    const { where } = this.#options;
    const status = response.statusCode ?? 0;
    response.on("error", (error) => this.#onNetworkError(error));
    this.#begun = true;
    if (status < 200 || status > 299) {
      this.#onRefusal(response, status);
      return;
    }
    const encoding = response.headers["content-encoding"] ?? "identity";
    if (encoding !== "identity") {
      this.#break(failureOfReply(`${where} sent a compressed reply (${encoding}) that was not asked for.`));
      return;
    }
    response.on("data", (chunk: Buffer) => this.#onChunk(chunk));
    response.on("end", () => {
      this.#complete = true;
      this.#finish(() => this.#decoder.reply());
    });
  }

  #onRefusal(response: IncomingMessage, status: number): void {
    const { where, mask, now, sent, failureOfStatus } = this.#options;
    let body = "";
    response.setEncoding("utf8");
    const settle = (): void => {
      const { headers } = response;
      this.#break(failureOfStatus({ status, headers, body: mask(body), where, nowMs: now(), sent }));
    };
    response.on("data", (chunk: string) => {
      this.#watchdog?.content();
      body += chunk;
      if (body.length > LONGEST_ERROR) settle();
    });
    response.on("end", () => {
      this.#complete = true;
      settle();
    });
  }

  #onChunk(chunk: Buffer): void {
    if (this.#over) return;
    this.#watchdog?.byte();
    if (this.#decoder.feed(chunk)) this.#watchdog?.content();
    this.#show();
    const { failure } = this.#decoder;
    if (failure !== undefined) this.#break(failure);
    else if (this.#decoder.progress !== this.#progress) this.#onProgress(this.#decoder.progress);
  }

  /** A complete reply does not wait for a server that forgets to end its response. */
  #onProgress(progress: Progress): void {
    this.#progress = progress;
    this.#endGrace();
    if (progress === "open") return;
    // As a rule the response ends in what was just read, and needs no timer.
    queueMicrotask(() => {
      if (!this.#over && this.#progress === progress) this.#giveGrace(GRACE_MS[progress]);
    });
  }

  #giveGrace(ms: number): void {
    this.#endGrace = this.#options.timers.set(ms, () => this.#finish(() => this.#decoder.reply()));
  }

  #show(): void {
    const deltas = this.#decoder.take();
    if (deltas.length > 0) this.#options.emit(deltas);
  }

  #onNetworkError(error: Error): void {
    const { where, sent } = this.#options;
    this.#lose(failureOfNetwork(error, where, { begun: this.#begun, sent }));
  }

  /** The connection is gone. Behind a finish reason it takes nothing of the reply along. */
  #lose(failure: Failure): void {
    if (this.#decoder.progress === "open") this.#break(failure);
    else this.#finish(() => this.#decoder.reply());
  }

  #break(failure: Failure): void {
    const message = this.#options.mask(failure.message);
    this.#finish(() => this.#decoder.broken({ ...failure, message }));
  }

  /** What was held back is shown before the reply is settled: what is stored is what was shown. */
  #finish(reply: () => ModelReply): void {
    if (this.#over) return;
    this.#over = true;
    this.#decoder.end();
    this.#show();
    this.#settled.resolve(reply());
  }
}
