import { isObject } from "../../protocol/json.ts";
import type {
  AssistantMessage,
  ImagePart,
  ReasoningPart,
  ToolCallPart,
  ToolMessage,
  UserMessage,
} from "../../protocol/message.ts";
import { UNNAMED_TOOL } from "../../protocol/tool.ts";
import type { Reader } from "../dialect.ts";
import { isAtHome } from "../provenance.ts";
import { objectOf, parseOrText, string } from "../reading.ts";
import { canonicalArguments, quote, safeName, shownReceipt, userContent, userPiece } from "../wire-text.ts";

/** What the user said, or showed, as parts. */
export function userParts(message: UserMessage): string {
  if (message.sent !== undefined || message.parts.every((part) => part.type !== "image"))
    return `{"text":${quote(userContent(message))}}`;
  const parts = message.parts.flatMap((part) => {
    if (part.type === "image") return [imagePart(part)];
    const text = userPiece(part);
    return text === "" ? [] : [`{"text":${quote(text)}}`];
  });
  return parts.join();
}

const DATA_URL = /^data:([\w.+-]+\/[\w.+-]+)(?:;[\w.+-]+=[^;,]*)*;base64,(.*)$/s;

const KINDS: Readonly<Record<string, string>> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  webp: "image/webp",
  heic: "image/heic",
  heif: "image/heif",
};

/** The bytes, where the address holds them; else the address, of which Gemini wants to know the kind. */
function imagePart({ url }: ImagePart): string {
  const [, kind, data] = DATA_URL.exec(url) ?? [];
  if (kind !== undefined && data !== undefined)
    return `{"inlineData":{"mimeType":${quote(kind)},"data":${quote(data)}}}`;
  const ending = /\.(\w+)$/.exec(URL.parse(url)?.pathname ?? "")?.[1]?.toLowerCase() ?? "";
  const type = KINDS[ending] === undefined ? "" : `"mimeType":${quote(KINDS[ending])},`;
  return `{"fileData":{${type}"fileUri":${quote(url)}}}`;
}

/** A receipt names the function of the call that it answers; the id goes back where it came from. Pictures stand behind it. */
export function receiptParts(message: ToolMessage, reader: Reader): string {
  const call = reader.calls.get(message.callId);
  const id = call !== undefined && hasOwnId(call, reader) ? `"id":${quote(message.callId)},` : "";
  const name = functionName(call?.name ?? UNNAMED_TOOL);
  const { text, images } = shownReceipt(message, reader.nonce);
  const key = message.status === "ok" ? "output" : "error";
  const isJson = text.startsWith("{") && isObject(parseOrText(text));
  const response = isJson ? canonicalArguments(text) : `{"${key}":${quote(text)}}`;
  let parts = `{"functionResponse":{${id}"name":"${name}","response":${response}}}`;
  for (const image of images) parts += `,${imagePart(image)}`;
  return parts;
}

/** Unlike elsewhere, a name begins with a letter. */
export function functionName(name: string): string {
  const safe = safeName(name);
  return /^[A-Za-z_]/.test(safe) ? safe : `_${safe}`.slice(0, 64);
}

const hasOwnId = ({ provenance, opaque }: ToolCallPart, reader: Reader): boolean =>
  opaque !== undefined && isAtHome(provenance, reader);

/** One part of what the model said, before it is written. */
interface Piece {
  /** Fields of the part. */
  readonly fields: string;
  /** A text that more text can be added to. */
  readonly text?: string;
  seal?: string | undefined;
}

/**
 * What the model said, thought and called, in its order. Signatures stand on the parts they came with; thoughts without
 * one are not sent.
 */
export function modelParts({ parts }: AssistantMessage, reader: Reader): string {
  const pieces: Piece[] = [];
  let calls = 0;
  for (const part of parts) {
    switch (part.type) {
      case "text":
        addText(pieces, part.text);
        break;
      case "reasoning":
        addThought(pieces, part, reader);
        break;
      case "tool-call":
        pieces.push(callPiece(part, reader, calls++ === 0));
    }
  }
  return pieces.filter(isSent).map(written).join();
}

/** A text on which a signature stands is never joined with another. */
function addText(pieces: Piece[], text: string): void {
  const last = pieces.at(-1);
  const joins = last?.text !== undefined && last.seal === undefined;
  const whole = joins ? `${last.text}${text}` : text;
  if (joins) pieces.pop();
  pieces.push({ fields: `"text":${quote(whole.trim())}`, text: whole });
}

const isSent = ({ text, seal }: Piece): boolean => text === undefined || text.trim() !== "" || seal !== undefined;

const written = ({ fields, seal }: Piece): string =>
  seal === undefined ? `{${fields}}` : `{${fields},"thoughtSignature":${quote(seal)}}`;

function addThought(pieces: Piece[], { text, opaque, provenance }: ReasoningPart, reader: Reader): void {
  const seal = string(opaque?.["thoughtSignature"]);
  if (seal === "" || !isAtHome(provenance, reader)) return;
  const last = pieces.at(-1);
  if (text !== "") pieces.push({ fields: `"text":${quote(text)},"thought":true`, seal });
  else if (opaque?.["text"] === undefined && last?.text !== undefined && last.seal === undefined) last.seal = seal;
  else pieces.push({ fields: `"text":""`, text: "", seal });
}

/** Gemini 3 and later refuse the first call of a step without its signature. */
const DEMANDING = /^(?:models\/|google\/)?gemini-(?:[3-9]|[1-9]\d|[a-z-]*latest)/;

/** The word that stands for the signature of a call that Gemini has not made itself (ai.google.dev, thought signatures). */
const UNSIGNED = "skip_thought_signature_validator";

function callPiece(call: ToolCallPart, reader: Reader, isFirst: boolean): Piece {
  const own = hasOwnId(call, reader);
  const signature = own
    ? string(objectOf(objectOf(call.opaque?.["extra_content"])["google"])["thought_signature"])
    : "";
  const needed = isFirst && DEMANDING.test(reader.model) ? UNSIGNED : undefined;
  const id = own ? `"id":${quote(call.callId)},` : "";
  const args = canonicalArguments(call.input);
  return {
    fields: `"functionCall":{${id}"name":"${functionName(call.name)}","args":${args}}`,
    seal: signature === "" ? needed : signature,
  };
}
