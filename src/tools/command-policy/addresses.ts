import { innerAddress, type InnerAddress } from "../../protocol/inner-address.ts";
import type { Arg } from "./findings.ts";

/** `user@HOST:PORT/path`, `scheme://user@HOST:PORT/path`. */
const HOST = /^(?:[a-z][\w+.-]*:\/\/)?(?:[^@/?#\s]*@)?(\[[\da-f:.]+\]|[^:/?#\s,]+)/iu;
/** A word that is no URL is a host where it looks like one: a number alone may be anything else. */
const LOOKS_LIKE_HOST =
  /^(?:\[.*\]|0x[\da-f.]+|0[0-7]{8,}|\d{8,10}|(?:127|10|169|0x[\da-f]+|0\d+)(?:\.(?:0x[\da-f]+|\d+)){1,2}|(?:0x[\da-f]+|\d+)(?:\.(?:0x[\da-f]+|\d+)){3}|localhost|metadata\.goog|instance-data|.*\.(?:localhost|local|internal|home\.arpa))\.?$/iu;

/** What the words of a program that uses the network name inside of this network; the worst of it. */
export function namesInner(args: readonly Arg[]): InnerAddress | undefined {
  const found = args.flatMap(({ text }) => piecesOf(text).map(ofWord));
  return found.includes("metadata") ? "metadata" : found.find((kind) => kind !== undefined);
}

/** The word, what it says behind `=` or `@`, and each address that stands in it, as in `--resolve a:80:10.0.0.1`. */
function piecesOf(text: string): string[] {
  const value = /^-[\w-]*=(.*)$/su.exec(text)?.[1];
  return [text, ...(value === undefined ? [] : [value]), ...(text.match(/(?<![\d.])\d+(?:\.\d+){3}(?![\d.])/gu) ?? [])];
}

function ofWord(word: string): InnerAddress | undefined {
  const text = word.replace(/^@/u, "");
  if (/^[\da-f]*:[\da-f:]*:[\da-f:.]*$/iu.test(text)) return innerAddress(`[${text}]`);
  const host = HOST.exec(text)?.[1];
  if (host === undefined) return undefined;
  return /^[a-z][\w+.-]*:\/\//iu.test(text) || LOOKS_LIKE_HOST.test(host) ? innerAddress(host) : undefined;
}
