import type { ImagePart, TextPart } from "../../../protocol/message.ts";
import type { ToolContext } from "../../../protocol/tool.ts";
import { reasonOf } from "../../../protocol/reason-of.ts";
import { type PageRead, readPage, type Ways } from "./read-page.ts";

export interface Asked extends Ways {
  /** Characters of each. */
  readonly most: number;
  readonly keep: ToolContext["keep"];
}

type Told = string | readonly (TextPart | ImagePart)[];

interface Answer {
  readonly url: string;
  readonly read: PageRead | { readonly failed: string };
}

/** Each address answers by itself; throws, in a sentence for each, where none of them gave anything. */
export async function readPages(urls: readonly string[], asked: Asked): Promise<Told> {
  const answers = await Promise.all(urls.map(async (url) => answer(url, asked)));
  const failures = answers.flatMap(({ read }) => ("failed" in read ? [read.failed] : []));
  if (failures.length === answers.length) throw new Error(failures.join("\n"));
  const texts = await Promise.all(answers.map(async (one) => told(one, asked)));
  const text = texts.join("\n\n---\n\n");
  const pictures = answers.flatMap(({ read }) => ("picture" in read && read.picture ? [read.picture] : []));
  return pictures.length === 0 ? text : [{ type: "text", text }, ...pictures];
}

async function answer(url: string, asked: Asked): Promise<Answer> {
  try {
    return { url, read: await readPage(url, asked) };
  } catch (error) {
    asked.signal.throwIfAborted();
    return { url, read: { failed: reasonOf(error) } };
  }
}

async function told({ url, read }: Answer, { most, keep }: Asked): Promise<string> {
  if ("failed" in read) return `# ${url}\nNot read: ${read.failed}`;
  const { about, text } = read;
  const shown = text.length <= most ? text : `${cutAt(text, most)}\n\n(${await restOf(text, most, keep)})`;
  return [`# ${url}`, ...about, "", shown].join("\n");
}

async function restOf(text: string, most: number, keep: Asked["keep"]): Promise<string> {
  const path = await keep?.(text);
  const rest = path === undefined ? "ask for more with max_chars" : `all of it lies in ${path}; read on with read_file`;
  return `cut: these are the first ${most} of ${text.length} characters; ${rest}`;
}

/** No half of a character. */
const cutAt = (text: string, most: number): string => text.slice(0, most).replace(/[\uD800-\uDBFF]$/u, "");
