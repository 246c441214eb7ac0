import { reasonOf } from "../../../protocol/reason-of.ts";
import { PathError } from "../../paths.ts";

/** Pages that are read. */
const MOST_PAGES = 200;

export interface DocumentText {
  readonly text: string;
  readonly pages: number;
  /** Pages at the end that were not read. */
  readonly left: number;
}

/** The text of a PDF document, page by page. Throws PathError for one that is broken, locked, or holds pictures alone. */
export async function documentText(bytes: Uint8Array, shown: string, signal: AbortSignal): Promise<DocumentText> {
  const { getDocumentProxy } = await import("unpdf");
  const document = await getDocumentProxy(new Uint8Array(bytes), { verbosity: 0 }).catch((error: unknown) => {
    throw new PathError(`${shown} is a PDF document that cannot be read: ${reasonOf(error)}`, { cause: error });
  });
  try {
    const pages = document.numPages;
    const read = Math.min(pages, MOST_PAGES);
    const texts: string[] = [];
    for (let number = 1; number <= read; number++) {
      signal.throwIfAborted();
      const { items } = await (await document.getPage(number)).getTextContent();
      texts.push(items.map((item) => ("str" in item ? item.str + (item.hasEOL ? "\n" : "") : "")).join(""));
    }
    if (texts.every((text) => text.trim() === ""))
      throw new PathError(`${shown} is a PDF document of ${pages} pages without text: its pages are pictures.`);
    const text = texts.map((page, n) => `--- page ${n + 1} of ${pages} ---\n${page.trimEnd()}\n`).join("");
    return { text, pages, left: pages - read };
  } finally {
    await document.loadingTask.destroy();
  }
}
