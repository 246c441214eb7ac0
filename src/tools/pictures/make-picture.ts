import { Buffer } from "node:buffer";
import { type Egress, EgressRefusal } from "../../protocol/egress.ts";
import { isObject } from "../../protocol/json.ts";

export const SHAPES = ["square", "landscape", "portrait"] as const;
export type Shape = (typeof SHAPES)[number];

/** Who makes pictures. */
export interface PictureMaker {
  readonly provider: string;
  readonly model: string;
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  /** How it is asked: as Google's generateContent, or as OpenAI's images and what is like them. */
  readonly dialect: "gemini" | "openai";
}

/** Tokens, where it says what it took. */
export interface Took {
  readonly input: number;
  readonly output: number;
}

export interface Made {
  readonly bytes: Buffer;
  readonly took: Took | undefined;
}

interface Wanted {
  readonly prompt: string;
  readonly shape: Shape;
}

interface Ways {
  readonly egress: Egress;
  readonly signal: AbortSignal;
}

/** Such a request answers when the picture is done, ms. */
const LIMIT_MS = 180_000;

/** Throws, in one sentence that holds no key, where there is no picture. */
export async function makePicture(wanted: Wanted, maker: PictureMaker, { egress, signal }: Ways): Promise<Made> {
  const over = AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]);
  try {
    const answer = await answerOf(requestOf(wanted, maker), maker, egress.fetchFor("picture"), over);
    return await madeOf(answer, maker, egress, over);
  } catch (error) {
    signal.throwIfAborted();
    if (over.aborted) throw new Error(`${maker.provider} took longer than ${LIMIT_MS / 1_000} s.`, { cause: error });
    if (error instanceof EgressRefusal)
      throw new Error(`${maker.provider} could not be asked: ${error.message}`, { cause: error });
    throw error;
  }
}

interface MakerRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
}

function requestOf({ prompt, shape }: Wanted, { dialect, baseUrl, model, apiKey }: PictureMaker): MakerRequest {
  const base = baseUrl.replace(/\/+$/u, "");
  if (dialect === "gemini") {
    const path = `/models/${encodeURIComponent(model.replace(/^(?:google\/|models\/)+/u, ""))}:generateContent`;
    const config = { responseModalities: ["TEXT", "IMAGE"], imageConfig: { aspectRatio: RATIOS[shape] } };
    return {
      url: `${base.replace(/\/v1(?:beta)?$/u, "")}/v1beta${path}`,
      headers: apiKey === undefined ? {} : { "x-goog-api-key": apiKey },
      body: { contents: [{ role: "user", parts: [{ text: prompt }] }], generationConfig: config },
    };
  }
  const sizes = model.includes("dall-e-3") ? DALLE_SIZES : SIZES;
  return {
    url: `${/\/v\d\w*(?:\/|$)/u.test(base) ? base : `${base}/v1`}/images/generations`,
    headers: apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` },
    body: { model, prompt, n: 1, size: sizes[shape] },
  };
}

const RATIOS: Readonly<Record<Shape, string>> = { square: "1:1", landscape: "3:2", portrait: "2:3" };
const SIZES: Readonly<Record<Shape, string>> = { square: "1024x1024", landscape: "1536x1024", portrait: "1024x1536" };
const DALLE_SIZES: typeof SIZES = { ...SIZES, landscape: "1792x1024", portrait: "1024x1792" };

async function answerOf(
  { url, headers, body }: MakerRequest,
  { provider, model }: PictureMaker,
  send: typeof fetch,
  signal: AbortSignal,
): Promise<Readonly<Record<string, unknown>>> {
  const sent = { "content-type": "application/json", accept: "application/json", ...headers };
  const response = await send(url, { method: "POST", headers: sent, body: JSON.stringify(body), signal });
  const text = await response.text();
  if (!response.ok)
    throw new Error(`${provider} made no picture with ${model} (status ${response.status})${why(text)}`);
  const answer = parsed(text);
  if (answer === undefined) throw new Error(`${provider} answers with something else than JSON.`);
  return answer;
}

function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Characters of what a provider says of a refusal. */
const SAID = 300;

function why(text: string): string {
  const error = parsed(text)?.["error"];
  const message = isObject(error) ? error["message"] : error;
  return typeof message === "string" ? `: ${message.replaceAll(/\s+/gu, " ").slice(0, SAID)}` : ".";
}

type Answer = Readonly<Record<string, unknown>>;

async function madeOf(answer: Answer, maker: PictureMaker, egress: Egress, signal: AbortSignal): Promise<Made> {
  const { data, url, took } = maker.dialect === "gemini" ? inGemini(answer) : inOpenAi(answer);
  if (data !== undefined) return { bytes: Buffer.from(data, "base64"), took };
  if (url === undefined)
    throw new Error(`${maker.provider} answered without a picture: it may refuse what was asked for.`);
  const { status, body } = await egress.request({ url, purpose: "picture", signal, most: MOST_BYTES });
  if (status !== 200) throw new Error(`The picture of ${maker.provider} could not be fetched (status ${status}).`);
  return { bytes: Buffer.from(body), took };
}

/** Of a picture that lies elsewhere. */
const MOST_BYTES = 20_000_000;

interface Given {
  readonly data: string | undefined;
  readonly url: string | undefined;
  readonly took: Took | undefined;
}

const textIn = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);
const first = (value: unknown): unknown => (Array.isArray(value) ? value[0] : undefined);

function inOpenAi({ data, usage }: Answer): Given {
  const picture = first(data);
  const took = tokens(usage, "input_tokens", "output_tokens");
  if (!isObject(picture)) return { data: undefined, url: undefined, took };
  return { data: textIn(picture["b64_json"]), url: textIn(picture["url"]), took };
}

function inGemini({ candidates, usageMetadata }: Answer): Given {
  const candidate = first(candidates);
  const content = isObject(candidate) ? candidate["content"] : undefined;
  const parts: readonly unknown[] = isObject(content) && Array.isArray(content["parts"]) ? content["parts"] : [];
  const inline = parts.flatMap((part) => (isObject(part) && isObject(part["inlineData"]) ? [part["inlineData"]] : []));
  const took = tokens(usageMetadata, "promptTokenCount", "candidatesTokenCount");
  return { data: textIn(inline[0]?.["data"]), url: undefined, took };
}

function tokens(usage: unknown, input: string, output: string): Took | undefined {
  if (!isObject(usage)) return undefined;
  const [given, made] = [usage[input], usage[output]];
  return typeof given === "number" && typeof made === "number" ? { input: given, output: made } : undefined;
}
