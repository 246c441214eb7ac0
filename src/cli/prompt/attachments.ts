import { createReadStream, statSync } from "node:fs";
import { resolve } from "node:path";
import type { ContextPart, ImagePart } from "../../protocol/message.ts";
import { readInput } from "../../session/input.ts";
import {
  attachmentCut,
  noSuchFile,
  notAPicture,
  notText,
  tooManyFiles,
  unreadableDocument,
} from "../../words/prompt.ts";
import { fileFault, kindOfFile, NO_REGULAR_FILE } from "../../words/files.ts";
import type { Text } from "../../words/language.ts";
import type { Adapters } from "../adapters.ts";
import { RefusalError, usageRefusal } from "../refusal.ts";
import { type Capped, isCut, KEPT_BYTES, readCapped, sizeOf, textOfCapped } from "./capped.ts";

export type Attachment = ImagePart | ContextPart;

/** What reading needs besides the files. */
export interface Reader {
  readonly cwd: string;
  readonly fileKind: Adapters["fileKind"];
  readonly readPicture: Adapters["readPicture"];
  /** Told once for each attachment that is sent in part. */
  readonly warn: (words: Text) => void;
}

const MOST_FILES = 20;
const PICTURE = /\.(?:png|jpe?g|gif|webp)(?:[?#].*)?$/iu;

/** `-f`: text files as contexts, pictures and addresses of pictures as pictures. Throws RefusalError for all else. */
export async function readFiles(names: readonly string[], reader: Reader): Promise<Attachment[]> {
  if (names.length > MOST_FILES) throw usageRefusal(tooManyFiles(names.length, MOST_FILES));
  const attachments: Attachment[] = [];
  for (const name of names) attachments.push(...(await readOne(name, reader)));
  return attachments;
}

async function readOne(name: string, reader: Reader): Promise<Attachment[]> {
  if (/^https?:\/\//iu.test(name)) {
    if (!PICTURE.test(name)) throw usageRefusal(notAPicture(name));
    return [{ type: "image", url: name }];
  }
  const picture = await reader.readPicture(resolve(reader.cwd, name), name);
  if (picture?.type === "unfit") throw usageRefusal(picture.why);
  if (picture !== undefined) return [picture.picture];
  return asContext(name, await readFile(name, reader, noSuchFile), reader);
}

/** A file whole, or its two ends; `refused` says why it cannot be read. */
export async function readFile(
  name: string,
  { cwd, kept }: Pick<Reader, "cwd"> & { readonly kept?: number },
  refused: (name: string, why: Text) => Text,
): Promise<Capped> {
  const path = resolve(cwd, name);
  try {
    // A pipe or a device may never end.
    if (!statSync(path).isFile()) throw usageRefusal(refused(name, NO_REGULAR_FILE));
    return await readCapped(createReadStream(path), kept);
  } catch (error) {
    throw error instanceof RefusalError ? error : usageRefusal(refused(name, whyOf(error)));
  }
}

export const whyOf = (error: unknown): Text => {
  const code = error instanceof Error && "code" in error ? String(error.code) : undefined;
  return fileFault(code, error instanceof Error ? error.message : String(error));
};

/** As a context of the user message; nothing when it shows nothing. Throws RefusalError when it is no text. */
export async function asContext(name: string, capped: Capped, { fileKind, warn }: Reader): Promise<ContextPart[]> {
  if (capped.bytes === 0) return [];
  const kind = await fileKind(capped.head);
  if (kind !== undefined) throw usageRefusal(notATextWords(name, kind));
  const input = readInput(textOfCapped(capped));
  if (input.type === "blank") return [];
  if (isCut(capped)) warn(attachmentCut(name, sizeOf(capped.bytes), sizeOf(KEPT_BYTES)));
  return [{ type: "context", source: name, text: input.text }];
}

function notATextWords(name: string, kind: string): Text {
  const told = kindOfFile(kind);
  return kind.includes("document") ? unreadableDocument(name, told) : notText(name, told);
}
