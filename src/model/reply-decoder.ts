import type { Delta } from "../protocol/fact.ts";
import type { Failure } from "../protocol/failure.ts";
import { isObject } from "../protocol/json.ts";
import type { ModelReply } from "../protocol/ports.ts";
import type { Dialect, EventReader, FrameReader } from "./dialect.ts";
import { LONGEST_ERROR, type Sent } from "./failure/facts.ts";
import { failureOfReply, NO_REASON } from "./failure/refusal.ts";
import { verdict } from "./failure/verdict.ts";
import { parseOrText } from "./reading.ts";
import { type BuilderOptions, type Progress, ReplyBuilder } from "./reply-builder.ts";

export interface DecoderOptions extends BuilderOptions {
  readonly dialect: Dialect;
  /** What helps where this is no API. A clause. */
  readonly advice: string;
  /** Hides secrets that a server may have echoed. */
  readonly mask: (text: string) => string;
  /** The wall clock, ms. */
  readonly now: () => number;
  /** What is replied to; absent: nothing that a model reads. */
  readonly sent?: Sent | undefined;
}

/** Longer than any model writes, bytes: a server that never stops must not fill the memory. */
const LONGEST_REPLY = 64_000_000;

type Shape = "unknown" | "events" | "json" | "page";

/** Reads one reply, streamed or whole. `feed` takes network chunks; `take` hands out what became visible since the last time. */
export class ReplyDecoder {
  readonly #options: DecoderOptions;
  readonly #builder: ReplyBuilder;
  readonly #reader: EventReader;
  readonly #frames: FrameReader;
  #shape: Shape = "unknown";
  #held: Uint8Array[] = [];
  #length = 0;
  /** Some event was part of a reply. */
  #known = false;
  /** The first event that was none. */
  #unread: string | undefined;

  constructor(options: DecoderOptions) {
    this.#options = options;
    this.#builder = new ReplyBuilder(options);
    this.#reader = options.dialect.events(this.#builder);
    this.#frames = options.dialect.frames((data, name) => this.#onEvent(data, name));
  }

  /** Set as soon as the reply itself says that it failed: nothing that follows counts. */
  get failure(): Failure | undefined {
    return this.#builder.failure;
  }

  get progress(): Progress {
    return this.#builder.progress;
  }

  /** Returns whether there was content: comments, pings and empty deltas are not life. */
  feed(chunk: Uint8Array): boolean {
    this.#length += chunk.length;
    if (this.#length > LONGEST_REPLY) this.#builder.fail(this.#tooLong());
    if (this.#shape === "events") this.#frames.feed(chunk);
    else this.#feedWhole(chunk);
    return this.#builder.tookLife() || this.#shape === "json";
  }

  /** A server that was asked for a stream may answer with plain JSON, or is no API at all. */
  #feedWhole(chunk: Uint8Array): void {
    this.#held.push(chunk);
    if (this.#shape !== "unknown") return;
    const first = firstSign(chunk);
    if (first === undefined) return;
    this.#shape = first === "{" || first === "[" ? "json" : first === "<" ? "page" : "events";
    // However much of it follows, a page is no reply.
    if (this.#shape === "page") this.#builder.fail(this.#noApi("sent a web page instead of a reply"));
    if (this.#shape !== "events") return;
    const held = this.#held;
    this.#held = [];
    for (const bytes of held) this.#frames.feed(bytes);
  }

  #onEvent(data: string, name: string | undefined): void {
    if (this.failure !== undefined || this.progress === "done") return;
    if (data.trim() === "[DONE]") {
      this.#builder.done();
      return;
    }
    const event = parseOrText(data);
    if (!isObject(event)) {
      this.#builder.fail(failureOfReply(`${this.#options.where} sent an event that is not a JSON object.`));
      return;
    }
    if (event["error"] !== undefined && event["error"] !== null) {
      this.#builder.fail(this.#errorIn(data));
      return;
    }
    const reading = this.#reader.read(event, name);
    this.#known ||= reading === "part";
    if (reading === "failure") this.#builder.fail(this.#errorIn(data));
    if (reading === "unknown") this.#unread ??= data;
  }

  #errorIn(data: string): Failure {
    const { dialect, mask, where, now, sent } = this.#options;
    return dialect.failureOfError(parseOrText(mask(data.slice(0, LONGEST_ERROR))), { where, nowMs: now(), sent });
  }

  /** What became visible since the last call. */
  take(): Delta[] {
    return this.#builder.take();
  }

  /** The reply has ended; releases what was held back. Call `take` before `reply`, so that what is stored was shown. */
  end(): void {
    if (this.#shape === "json") this.#onWhole();
    else if (this.#shape === "events") this.#frames.end();
    if (this.failure === undefined && !this.#known) this.#builder.fail(this.#noReply());
    this.#builder.end();
  }

  #onWhole(): void {
    const text = new TextDecoder().decode(Buffer.concat(this.#held));
    const list: unknown = /^\s*\[/.test(text) ? parseOrText(text) : undefined;
    // Google's servers give the events of a stream in one list, unless they are asked for server-sent events.
    if (Array.isArray(list)) for (const event of list) this.#onEvent(JSON.stringify(event), undefined);
    else this.#onEvent(text, undefined);
    this.#builder.done();
  }

  aborted(): ModelReply {
    return this.#builder.aborted();
  }

  broken(failure: Failure): ModelReply {
    return this.#builder.broken(failure);
  }

  reply(): ModelReply {
    return this.#builder.reply();
  }

  /** Asking again would bring as much again. */
  #tooLong(): Failure {
    const message = `${this.#options.where} sent more than ${LONGEST_REPLY / 1_000_000} MB in one reply.`;
    return { ...failureOfReply(message), ...verdict("format_error", "endless-reply") };
  }

  #noApi(what: string): Failure {
    const { where, advice } = this.#options;
    return failureOfReply(`${where} ${what}; ${advice}.`);
  }

  /** An error that a server did not put under "error" still has words. */
  #noReply(): Failure {
    const told = this.#unread === undefined ? undefined : this.#errorIn(this.#unread);
    if (told !== undefined && !told.message.endsWith(NO_REASON)) return told;
    const isEmpty = this.#length === 0 || (this.progress === "done" && this.#shape === "events");
    return this.#noApi(
      isEmpty ? "ended its reply without sending anything" : "sent something that is no reply of a model",
    );
  }
}

/** The first character that is neither white space nor part of a byte order mark; undefined where there is none. */
function firstSign(chunk: Uint8Array): string | undefined {
  for (const byte of chunk) if (!BLANK.has(byte)) return String.fromCodePoint(byte);
  return undefined;
}

const BLANK: ReadonlySet<number> = new Set([0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x20, 0xef, 0xbb, 0xbf]);
