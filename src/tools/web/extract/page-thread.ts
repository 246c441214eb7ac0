import { parentPort, workerData } from "node:worker_threads";
import { isObject } from "../../../protocol/json.ts";
import { reasonOf } from "../../../protocol/reason-of.ts";
import { plainHtml } from "./plain-html.ts";
import type { HtmlPage } from "./read-html.ts";

/** What a thread is given to read. */
export type Reading =
  | { readonly for: "page-thread"; readonly type: "html"; readonly html: string; readonly url: string }
  | { readonly for: "page-thread"; readonly type: "pdf"; readonly bytes: Uint8Array; readonly url: string };

interface ReadDocument {
  readonly text: string;
  readonly pages: number;
  /** Pages at the end that were not read. */
  readonly left: number;
}

/** All text of a page, which is said before it is taken apart: that may never end. */
export interface Bare {
  readonly type: "bare";
  readonly text: string;
}

export type Read =
  | { readonly type: "html"; readonly page: HtmlPage }
  | { readonly type: "pdf"; readonly document: ReadDocument }
  | { readonly type: "failed"; readonly why: string };

/** Where a thread that reads begins: this very module, so it is found in a bundle too. */
export const THREAD: URL = new URL(import.meta.url);

const isReading = (given: unknown): given is Reading => isObject(given) && given["for"] === "page-thread";

async function read(reading: Reading, tell: (bare: Bare) => void): Promise<Read> {
  try {
    if (reading.type === "html") {
      tell({ type: "bare", text: plainHtml(reading.html) });
      const { readHtml } = await import("./read-html.ts");
      return { type: "html", page: await readHtml(reading.html, reading.url) };
    }
    const { documentText } = await import("../../files/reading/document-text.ts");
    const document = await documentText(reading.bytes, reading.url, new AbortController().signal);
    return { type: "pdf", document };
  } catch (error) {
    return { type: "failed", why: reasonOf(error) };
  }
}

const given: unknown = workerData;
if (parentPort !== null && isReading(given)) {
  const port = parentPort;
  port.postMessage(await read(given, (bare) => port.postMessage(bare)));
}
