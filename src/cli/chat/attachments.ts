import { statSync } from "node:fs";
import { resolve } from "node:path";
import { attached } from "../../words/chat.ts";
import type { Text } from "../../words/language.ts";
import { type Attachment, readFiles, type Reader } from "../prompt/attachments.ts";
import { RefusalError } from "../refusal.ts";

export type Attached =
  | { readonly type: "ready"; readonly files: readonly Attachment[] }
  /** Nothing is to be sent; `why` says what is wrong. */
  | { readonly type: "refused"; readonly why: string | Text };

const MENTION = /(?<=^|\s)@(?:"([^"\n]+)"|(\S+))/gu;

/** The files that a message names behind an @; a word that names no file is just a word. */
export async function attachFiles(text: string, reader: Reader, home: string): Promise<Attached> {
  const names = mentioned(text, reader.cwd, home);
  try {
    const files = await readFiles([...names], reader);
    for (const name of names) reader.warn(attached(name));
    return { type: "ready", files };
  } catch (error) {
    if (error instanceof RefusalError) return { type: "refused", why: error.refusal.message };
    throw error;
  }
}

function mentioned(text: string, cwd: string, home: string): Set<string> {
  const names = [...text.matchAll(MENTION)].flatMap(([, quoted, bare = ""]) => {
    // The full stop of a sentence is seldom the end of a name.
    const all = quoted === undefined ? [bare, bare.replace(/[.,;:!?)\]]+$/u, "")] : [quoted];
    const paths = all.filter((name) => name !== "").map((name) => name.replace(/^~(?=\/)/u, home));
    return paths
      .filter((name) => statSync(resolve(cwd, name), { throwIfNoEntry: false })?.isFile() === true)
      .slice(0, 1);
  });
  return new Set(names);
}
