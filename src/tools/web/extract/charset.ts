import { isUtf8 } from "node:buffer";
import { textOf } from "../../files/text/file-text.ts";

/** Bytes of a page in which it says what it is written in. */
const HEAD = 4_096;

/** Bytes as text: by their mark, what the server says, what the page says of itself, and at last by their looks. */
export function decoded(body: Uint8Array, contentType: string): string {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const named = markedAs(bytes) ?? known(inHeader(contentType)) ?? known(inPage(bytes));
  if (named !== undefined) return new TextDecoder(named).decode(bytes);
  const whole = isUtf8(bytes) ? undefined : textOf(bytes);
  // What is odd UTF-8 for files is shown with the sign for what cannot be read.
  return whole !== undefined && whole.encoding !== "odd" ? whole.text : new TextDecoder().decode(bytes);
}

function markedAs(bytes: Buffer): string | undefined {
  const start = bytes.toString("hex", 0, 3);
  if (start === "efbbbf") return "utf-8";
  return start.startsWith("fffe") ? "utf-16le" : start.startsWith("feff") ? "utf-16be" : undefined;
}

const inHeader = (contentType: string): string | undefined =>
  /charset\s*=\s*["']?(?<name>[\w:.-]{1,40})/iu.exec(contentType)?.groups?.["name"];

/** A page that could be read until here is not in UTF-16, whatever it says. */
function inPage(bytes: Buffer): string | undefined {
  const head = bytes.toString("latin1", 0, HEAD);
  const found =
    /<meta\s[^<>]{0,300}?charset\s*=\s*["']?\s*(?<name>[\w:.-]{1,40})/iu.exec(head) ??
    /^\s*<\?xml\s[^<>]{0,200}?encoding\s*=\s*["'](?<name>[\w:.-]{1,40})/iu.exec(head);
  const name = found?.groups?.["name"];
  return name !== undefined && /^utf-?16/iu.test(name) ? "utf-8" : name;
}

/** As it is called here; undefined for one that nobody knows. */
function known(name: string | undefined): string | undefined {
  try {
    return name === undefined ? undefined : new TextDecoder(name).encoding;
  } catch {
    return undefined;
  }
}
