import { join } from "node:path";
import type { Folders } from "../config/folders.ts";
import { withoutKeys } from "../config/values.ts";
import { openNoteBook } from "../context/memory/book.ts";
import { locked } from "../credentials/lock.ts";
import type { NoteBook } from "../protocol/memory.ts";

/** The notes of a profile. */
export const openNotes = ({ data }: Pick<Folders, "data">): NoteBook =>
  openNoteBook({ folder: join(data, "memory"), now: Date.now, alone: locked, clean: withoutSecrets });

/** A name and a password in an address. */
const LOGIN = /:\/\/[^\s/@:]*:[^\s/@]+@/gu;

export const withoutSecrets = (text: string): string => withoutKeys(text).replaceAll(LOGIN, "://***@");
