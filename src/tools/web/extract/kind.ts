import { binaryKind } from "../../files/binary.ts";
import { pictureType } from "../../pictures/picture.ts";

/** What was sent, whatever it is called. */
export type Kind =
  | { readonly type: "html" }
  | { readonly type: "text" }
  | { readonly type: "pdf" }
  | { readonly type: "picture" }
  | { readonly type: "binary"; readonly what: string };

const PDF = "a PDF document";

/** By its bytes where they say it, else by what the server calls it. */
export function kindOf(body: Uint8Array, contentType: string): Kind {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const what = binaryKind(bytes);
  if (pictureType(bytes) !== undefined) return { type: "picture" };
  if (what === PDF) return { type: "pdf" };
  const media = /^[\w.+-]+\/[\w.+-]+/u.exec(contentType.trim().toLowerCase())?.[0] ?? "";
  if (what !== undefined && !isUtf16(bytes, contentType)) return { type: "binary", what: named(what, media) };
  if (media === "text/html" || media === "application/xhtml+xml") return { type: "html" };
  return media === "" && looksLikeHtml(bytes) ? { type: "html" } : { type: "text" };
}

const isUtf16 = (bytes: Buffer, contentType: string): boolean =>
  /charset\s*=\s*["']?utf-16/iu.test(contentType) || /^(?:fffe|feff)/u.test(bytes.toString("hex", 0, 2));

const looksLikeHtml = (bytes: Buffer): boolean =>
  /^\s*(?:<!--[^]{0,1000}?-->\s*)?<(?:!doctype html|html|head|body)\b/iu.test(bytes.toString("latin1", 0, 2_000));

const named = (what: string, media: string): string => (media === "" ? what : `${what}, called ${media}`);
