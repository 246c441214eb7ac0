import { createReadStream, statSync } from "node:fs";
import { resolve } from "node:path";
import type { Failure } from "../../protocol/failure.ts";
import type { FailureGiven } from "../../protocol/failure-given.ts";
import { isObject } from "../../protocol/json.ts";
import { printable } from "../../session/plain-text.ts";
import {
  classifiedLines,
  DEBUG_WORDS,
  noSuchFailureFile,
  notAFailure,
  notAHeader,
  notANumber,
} from "../../words/debug.ts";
import { NO_REGULAR_FILE } from "../../words/files.ts";
import { stdinUnreadable } from "../../words/prompt.ts";
import type { Text } from "../../words/language.ts";
import { helpOn } from "../../words/steps.ts";
import type { Adapters } from "../adapters.ts";
import type { Asked } from "../context.ts";
import { type Io, say, sayJson } from "../io.ts";
import type { Form } from "../options.ts";
import { whyOf } from "../prompt/attachments.ts";
import { type Capped, isCut, readCapped, textOfCapped } from "../prompt/capped.ts";
import { RefusalError, usageRefusal } from "../refusal.ts";

const refuse = (message: Text): RefusalError => usageRefusal(message, { steps: [helpOn("debug classify")] });

export interface ClassifyForm extends Form {
  readonly status?: string;
  readonly header?: readonly string[];
  readonly provider?: string;
  readonly model?: string;
  readonly tokens?: string;
  readonly messages?: string;
  readonly window?: string;
}

/** `evander debug classify`: the reason, the hints and the rule that decided, of each failure that is handed in. */
export async function classifyFailures(
  adapters: Pick<Adapters, "classifyFailure">,
  file: string | undefined,
  { io, json, language, ...form }: ClassifyForm & Asked,
): Promise<void> {
  const otherwise = sizesIn(form);
  const { status } = form;
  const reply =
    status === undefined ? undefined : { status: numberIn("--status", status), headers: headersIn(form.header ?? []) };
  const text = await handedIn(io, file);
  const given =
    reply === undefined
      ? failuresIn(text, otherwise)
      : [{ ...otherwise, what: { type: "reply", body: text, ...reply } as const }];
  for (const each of given) {
    const failure = await adapters.classifyFailure(each);
    if (json) sayJson(io, asCase(failure));
    else for (const line of classifiedLines(failure, language)) say(io.stdout, printable(line));
  }
}

/** As recorded cases write it. */
function asCase(failure: Failure): object {
  const { reason, status, rule, code, retryAfterMs, contextLimit, outputRoom, imageMaxDimension, message } = failure;
  return {
    reason,
    hints: {
      retryable: failure.retryable,
      compress: failure.shouldCompress,
      rotate_credential: failure.shouldRotateCredential,
      fallback: failure.shouldFallback,
    },
    status_code: status ?? null,
    rule,
    code: code ?? null,
    retry_after_ms: retryAfterMs ?? null,
    context_limit: contextLimit ?? null,
    output_room: outputRoom ?? null,
    image_max_dimension: imageMaxDimension ?? null,
    message,
  };
}

/** Of each end, bytes. */
const KEPT = 8 * 1024 * 1024;
const STDIN = "-";

async function handedIn(io: Io, file: string | undefined): Promise<string> {
  const capped = file === undefined || file === STDIN ? await fromStdin(io, file) : await fromFile(io, file);
  if (isCut(capped)) throw refuse(DEBUG_WORDS.tooLong);
  return textOfCapped(capped).replace(/^\uFEFF/u, "");
}

async function fromStdin({ stdin }: Pick<Io, "stdin">, file: string | undefined): Promise<Capped> {
  if (stdin.isTTY === true && file === undefined) throw refuse(DEBUG_WORDS.typed);
  try {
    return await readCapped(stdin, KEPT);
  } catch (error) {
    throw refuse(stdinUnreadable(whyOf(error)));
  }
}

async function fromFile({ cwd }: Pick<Io, "cwd">, file: string): Promise<Capped> {
  const path = resolve(cwd, file);
  try {
    // A pipe or a device may never end.
    if (!statSync(path).isFile()) throw refuse(noSuchFailureFile(file, NO_REGULAR_FILE));
    return await readCapped(createReadStream(path), KEPT);
  } catch (error) {
    throw error instanceof RefusalError ? error : refuse(noSuchFailureFile(file, whyOf(error)));
  }
}

/** One object, a list of them, or one a line; `otherwise` holds where they say nothing. */
function failuresIn(text: string, otherwise: Sizes): FailureGiven[] {
  const whole = parsed(text);
  const items = whole === undefined ? linesOf(text) : Array.isArray(whole) ? (whole as unknown[]) : [whole];
  if (items.length === 0) throw refuse(DEBUG_WORDS.nothing);
  return items.map((item, at) => thrownIn(item, at + 1, otherwise));
}

function linesOf(text: string): unknown[] {
  return text.split(/\r?\n/u).flatMap((line, at) => {
    if (line.trim() === "") return [];
    const item = parsed(line);
    if (item === undefined) throw refuse(notAFailure(at + 1));
    return [item];
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** One of them is there. */
const LOOKS_THROWN = ["message", "type", "name", "status_code", "statusCode", "status", "body", "cause"] as const;

function thrownIn(item: unknown, line: number, otherwise: Sizes): FailureGiven {
  const input = isObject(item) && isObject(item["input"]) ? item["input"] : item;
  const error = isObject(input) && isObject(input["error"]) ? input["error"] : input;
  if (!isObject(input) || !isObject(error) || !LOOKS_THROWN.some((key) => Object.hasOwn(error, key)))
    throw refuse(notAFailure(line));
  return {
    provider: textOr(input["provider"], otherwise.provider),
    model: textOr(input["model"], otherwise.model),
    tokens: numberOr(input["approx_tokens"], otherwise.tokens),
    messages: numberOr(input["num_messages"], otherwise.messages),
    window: numberOr(input["context_length"], otherwise.window),
    what: { type: "thrown", error },
  };
}

const textOr = (value: unknown, other: string): string => (typeof value === "string" ? value : other);
const numberOr = <T>(value: unknown, other: T): number | T => (typeof value === "number" ? value : other);

type Sizes = Omit<FailureGiven, "what">;

function sizesIn({ provider = "", model = "", tokens, messages, window }: ClassifyForm): Sizes {
  return {
    provider,
    model,
    tokens: tokens === undefined ? 0 : numberIn("--tokens", tokens),
    messages: messages === undefined ? 0 : numberIn("--messages", messages),
    window: window === undefined ? undefined : numberIn("--window", window),
  };
}

function numberIn(option: string, value: string): number {
  if (!/^\d{1,9}$/u.test(value)) throw refuse(notANumber(option, value));
  return Number(value);
}

const headersIn = (headers: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    headers.map((header) => {
      const at = header.indexOf("=");
      if (at <= 0) throw refuse(notAHeader(header));
      return [header.slice(0, at).trim().toLowerCase(), header.slice(at + 1).trim()];
    }),
  );
