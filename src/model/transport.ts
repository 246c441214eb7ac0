import type { OutgoingHttpHeaders } from "node:http";
import type { Failure } from "../protocol/failure.ts";
import type { PictureLimit } from "../protocol/adjustment.ts";
import type { ImagePart } from "../protocol/message.ts";
import type { Delta } from "../protocol/fact.ts";
import type { Key, KeyHold, KeyRing } from "../protocol/keys.ts";
import type { Model, ModelReply, ModelRequest, PreparedRequest, RequestRecord } from "../protocol/ports.ts";
import type { Wire } from "../protocol/replay.ts";
import { type Address, openAddress } from "./address.ts";
import { authorise } from "./authorise.ts";
import { withoutRoom } from "./context-room.ts";
import { Conversation, type Encoded, type Opening } from "./conversation.ts";
import type { Dialect, Reader, Route } from "./dialect.ts";
import { type Connect, type Endpoint, openEndpoint, parseBaseUrl } from "./endpoint.ts";
import { Exchange, type ExchangeOptions } from "./exchange.ts";
import type { Sent } from "./failure/facts.ts";
import { roughTokens } from "../protocol/window.ts";
import { strangeInKey } from "./key-check.ts";
import { knownOverload } from "./failure/known-overload.ts";
import { ReplyDecoder } from "./reply-decoder.ts";
import type { KnownValues } from "../protocol/redact/known.ts";
import { KnownSecrets, secretsIn, withoutSecrets } from "./secrets.ts";
import { type CallLimits, type StreamLimits, streamLimits } from "./stream-limits.ts";
import { systemTimers, type Timers } from "./watchdog.ts";

export interface TransportOptions extends Pick<Reader, "effort" | "thinking" | "cacheTtl"> {
  readonly dialect: Dialect;
  /** http(s) address below which the paths of the dialect lie; a trailing slash and a query are kept in order. */
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  /** In place of `apiKey`: one of them is taken for each request. */
  readonly keys?: KeyRing | undefined;
  /** Its own keys are added, and those of others are masked as well. */
  readonly secrets?: KnownSecrets | undefined;
  /** Its name, for the provenance of reasoning. */
  readonly provider: string;
  /** Tokens a request and its reply may have together; undefined: unknown. */
  readonly contextWindow?: number | undefined;
  /** Tokens the model takes, as a list says; undefined: unknown. */
  readonly usualWindow?: number | undefined;
  /** The longest reply of the model, tokens; undefined: unknown. */
  readonly maxOutput?: number | undefined;
  /** Whether the model sees pictures; undefined: nobody knows, and they are sent. */
  readonly sees?: boolean | undefined;
  readonly shrink?: ((picture: ImagePart, limit: PictureLimit) => Promise<ImagePart | undefined>) | undefined;
  /** Limits that were set explicitly, ms; they always hold (row C6). */
  readonly stream?: Partial<StreamLimits> | undefined;
  readonly timers?: Timers | undefined;
  readonly connect?: Connect | undefined;
}

export interface Transport {
  /** One conversation's view of the provider: it keeps the encoded head. One call at a time. */
  open(opening: Opening): Model;
  /** Closes the connections. */
  close(): void;
}

/** Throws a TypeError with one sentence for a key that no header can carry. */
export function checkKey(apiKey: string | undefined): void {
  const strange = apiKey === undefined ? undefined : strangeInKey(apiKey);
  if (strange !== undefined)
    throw new TypeError(`The API key cannot be used: ${strange.en}; copy it again, as plain text.`);
}

/** A server that is asked in one dialect. Throws a TypeError when the base URL or the key cannot be used. */
export function createTransport(options: TransportOptions): Transport {
  const { dialect, apiKey, provider, maxOutput, sees, shrink, effort, thinking, cacheTtl } = options;
  checkKey(apiKey);
  const endpoint = openEndpoint(options.baseUrl, options.connect);
  const address = openAddress(endpoint, dialect);
  const mask = maskOf(options);
  return {
    open(opening) {
      const hold = options.keys?.hold();
      const conversation = new Conversation(opening, {
        dialect,
        host: endpoint.host,
        provider,
        maxOutput,
        sees,
        shrink,
        effort,
        thinking,
        cacheTtl,
      });
      const view = { options, endpoint, address, mask, conversation, hold };
      return {
        wire: wireOf(options),
        credentials: hold,
        ready: (request) => conversation.ready(request),
        prepare: (request) => prepare(view, request),
      };
    },
    close: () => endpoint.close(),
  };
}

/** An address may ask for a key behind its `?`: nothing that is written depends on that. */
function wireOf(options: TransportOptions): Wire {
  const { dialect, baseUrl, provider, contextWindow, usualWindow, maxOutput, sees } = options;
  const { effort, thinking, cacheTtl, stream } = options;
  const { origin, pathname } = parseBaseUrl(baseUrl);
  const known = { contextWindow, usualWindow, maxOutput, sees, effort, thinking, cacheTtl };
  return { api: dialect.mode, baseUrl: `${origin}${pathname}`, provider, ...known, callMs: stream?.callMs };
}

interface View {
  readonly options: TransportOptions;
  readonly endpoint: Endpoint;
  readonly address: Address;
  readonly mask: () => Mask;
  readonly conversation: Conversation;
  readonly hold: KeyHold | undefined;
}

function prepare(view: View, asked: ModelRequest): PreparedRequest {
  const request = { ...asked, maxOutput: withinReach(asked.maxOutput, view.options.maxOutput) };
  const { body, weight, record, size } = view.conversation.encode(request);
  const key = view.hold?.take();
  const { provider, contextWindow, usualWindow } = view.options;
  const window = contextWindow ?? usualWindow;
  const sent = { provider, model: request.model, tokens: roughTokens(weight), messages: size.messages, window };
  const limits = streamLimits(view.options.stream ?? {}, {
    local: view.endpoint.local,
    bodyBytes: weight,
    streaming: request.streaming,
  });
  return {
    record: masked(record, view.mask()),
    size,
    limitMs: limits.callMs,
    ...(key && { key: key.fingerprint }),
    send: (emit, signal) => send(view, { request, body, weight, limits, sent, key }, emit, signal),
  };
}

/** Servers refuse to be asked for a longer reply than the model can give. */
const withinReach = (wanted: number | undefined, longest: number | undefined): number | undefined =>
  wanted === undefined ? undefined : Math.min(wanted, longest ?? wanted);

interface Sending extends Pick<Encoded, "body" | "weight"> {
  readonly request: ModelRequest;
  readonly limits: CallLimits;
  readonly sent: Sent;
  readonly key: Key | undefined;
}

async function send(
  view: View,
  sending: Sending,
  emit: (deltas: readonly Delta[]) => void,
  signal: AbortSignal,
): Promise<ModelReply> {
  const { options, endpoint, address } = view;
  const { request, weight } = sending;
  const { dialect, contextWindow } = options;
  // Whoever asks has decided by its own estimate what is to be sent.
  const tokens = request.weight?.tokens ?? roughTokens(weight);
  const room = { tokens, maxOutput: request.maxOutput, contextWindow, where: endpoint.where };
  const failure = withoutRoom(room);
  if (failure !== undefined) return { type: "failure", failure };
  const route = dialect.route(request);
  const release = sending.key && view.hold?.lease(sending.key);
  const reply = await address.seek(route.path, (path) => exchange(view, sending, { ...route, path }, { emit, signal }));
  release?.({ failed: reply.type === "failure" || reply.type === "aborted" });
  if (reply.type !== "failure") return reply;
  if (isOfNetwork(reply.failure)) endpoint.dropIdle();
  return { ...reply, failure: asSent(reply.failure, sending, view) };
}

async function exchange(
  view: View,
  { request, body, limits, sent, key }: Sending,
  { path, headers: own }: Route,
  around: Pick<ExchangeOptions, "emit" | "signal">,
): Promise<ModelReply> {
  const { options, endpoint } = view;
  const { dialect, apiKey, timers = systemTimers } = options;
  const mask = view.mask();
  const { where } = endpoint;
  const { failureOfStatus } = dialect;
  const vouching = await authorise(dialect, key?.secret ?? apiKey, { method: "POST", url: endpoint.url(path), body });
  if (around.signal.aborted) return { type: "aborted", text: "", reasoning: "" };
  const headers = { "content-type": "application/json", "content-length": body.length, ...together(own, vouching) };
  const settings = { where, limits, timers, mask: mask.text, now: Date.now, sent, failureOfStatus, ...around };
  return new Exchange(settings, decoderOf({ ...view, mask }, request, sent)).run(
    endpoint.request("POST", path, headers),
    body,
  );
}

function decoderOf(
  view: Omit<View, "mask"> & { readonly mask: Mask },
  { model, continues }: ModelRequest,
  sent: Sent,
): ReplyDecoder {
  const { options, endpoint, address, mask, conversation } = view;
  const { dialect, provider } = options;
  const { host, where, local } = endpoint;
  const { calls } = conversation;
  const { seemsCut } = dialect;
  const asked = { provider, model, host, local, afterTools: calls.size > 0 };
  return new ReplyDecoder({
    dialect,
    seemsCut: seemsCut && ((text) => seemsCut(text, asked)),
    provenance: { provider, model },
    takenIds: calls,
    continues,
    where,
    advice: address.advice,
    mask: mask.text,
    known: mask.known,
    now: Date.now,
    sent,
  });
}

/** A header that both name has the values of both. */
const together = (own: OutgoingHttpHeaders, more: OutgoingHttpHeaders): OutgoingHttpHeaders => ({
  ...own,
  ...Object.fromEntries(
    Object.entries(more).map(([name, value]) => [
      name,
      own[name] === undefined ? value : [own[name], value].flat().join(),
    ]),
  ),
});

/** Idle connections to a server whose network failed are likely to be as dead (hermes.md §9.2, step 22). */
const isOfNetwork = ({ reason, status }: Failure): boolean => reason === "timeout" && status === undefined;

/** With what can only be known of what was sent, and to whom: what was not sent cannot be left out. */
function asSent(failure: Failure, { request, body }: Sending, { conversation, endpoint }: View): Failure {
  const { refusesParameter: parameter, refusesTool, ...others } = failure;
  const isSent = parameter !== undefined && body.includes(`"${parameter}":`);
  const overload = knownOverload(failure, { url: endpoint.url(""), model: request.model });
  const tool = refusesTool === undefined ? undefined : conversation.toolSent(refusesTool);
  const named = {
    ...others,
    ...(isSent && { refusesParameter: parameter }),
    ...(tool !== undefined && { refusesTool: tool }),
    ...(overload !== undefined && { overload }),
  };
  if (failure.reason !== "llama_cpp_grammar_pattern" || request.adjusted?.schemaWords === false) return named;
  return conversation.hasSchemaWords ? { ...named, refusesSchemaWords: true } : named;
}

interface Mask {
  /** What is cut out of a model's own words. */
  readonly known: KnownValues;
  readonly text: (text: string) => string;
  readonly bytes: (bytes: Uint8Array) => Uint8Array;
}

/**
 * Every key of a ring is masked, whichever is sent, and of other models those that no text holds by chance; they are read
 * anew only where one has come.
 */
function maskOf({ apiKey, keys, secrets: known = new KnownSecrets() }: TransportOptions): () => Mask {
  const own = keys ?? { secrets: apiKey === undefined ? [] : [apiKey] };
  known.add(own);
  let { secrets } = own;
  let { known: values } = known;
  let mask = masking(secrets, values);
  return () => {
    if (own.secrets !== secrets || known.known !== values) {
      ({ secrets } = own);
      ({ known: values } = known);
      mask = masking(secrets, values);
    }
    return mask;
  };
}

/**
 * Servers echo keys in their error texts, models in their answers, and tools print them: what is shown or kept holds none
 * of ours.
 */
function masking(keys: readonly string[], known: KnownValues): Mask {
  const secrets = [...new Set(keys.flatMap(secretsIn))].toSorted((a, b) => b.length - a.length);
  const text = (open: string): string => withoutSecrets(known.redact(open), secrets);
  const bytes = (open: Uint8Array): Uint8Array => {
    const whole = Buffer.from(open.buffer, open.byteOffset, open.byteLength);
    const isOpen =
      secrets.some((secret) => whole.includes(secret)) || known.secrets.some((secret) => whole.includes(secret));
    return isOpen ? Buffer.from(text(whole.toString())) : open;
  };
  return { known, text, bytes };
}

const masked = (record: RequestRecord, mask: Mask): RequestRecord => ({
  ...record,
  add: record.add.map((piece) => mask.bytes(piece)),
  tail: mask.text(record.tail),
});
