import { statSync } from "node:fs";
import { resolve } from "node:path";
import { attached, namesNoFile } from "../../words/chat.ts";
import type { Text } from "../../words/language.ts";
import { type Attachment, readFiles, type Reader } from "../prompt/attachments.ts";
import { RefusalError } from "../refusal.ts";

export type Attached =
  | { readonly type: "ready"; readonly files: readonly Attachment[] }
  /** Nothing is to be sent; `why` says what is wrong. */
  | { readonly type: "refused"; readonly why: string | Text };

const MENTION = /(?<=^|\s)@(?:"([^"\n]+)"|(\S+))/gu;

/** The files that a message names behind an @; a word that names no file is just a word, which is told if it looks like one. */
export async function attachFiles(text: string, reader: Reader, home: string): Promise<Attached> {
  const mentions = mentionsIn(text, reader.cwd, home);
  const names = new Set(mentions.flatMap(({ name, isFile }) => (isFile ? [name] : [])));
  try {
    const files = await readFiles([...names], reader);
    for (const name of names) reader.warn(attached(name));
    for (const { name, isFile } of mentions) if (!isFile && LIKE_FILE.test(name)) reader.warn(namesNoFile(name));
    return { type: "ready", files };
  } catch (error) {
    if (error instanceof RefusalError) return { type: "refused", why: error.refusal.message };
    throw error;
  }
}

const LIKE_FILE = /[/.]\w/u;

interface Mention {
  readonly name: string;
  readonly isFile: boolean;
}

function mentionsIn(text: string, cwd: string, home: string): Mention[] {
  const isFile = (name: string): boolean => statSync(resolve(cwd, name), { throwIfNoEntry: false })?.isFile() === true;
  return [...text.matchAll(MENTION)].map(([, quoted, bare = ""]) => {
    // The full stop of a sentence is seldom the end of a name.
    const all = quoted === undefined ? [bare, bare.replace(/[.,;:!?)\]]+$/u, "")] : [quoted];
    const paths = all.filter((name) => name !== "").map((name) => name.replace(/^~(?=\/)/u, home));
    const found = paths.find(isFile);
    return { name: found ?? paths.at(-1) ?? "", isFile: found !== undefined };
  });
}
