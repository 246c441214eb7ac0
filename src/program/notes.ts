import { join } from "node:path";
import type { Folders } from "../config/folders.ts";
import { openNoteBook } from "../context/memory/book.ts";
import { locked } from "../credentials/lock.ts";
import type { NoteBook } from "../protocol/memory.ts";
import { nothingKnown } from "../protocol/redact/known.ts";
import { redact } from "../protocol/redact/redact.ts";

/** The notes of a profile. */
export const openNotes = ({ data }: Pick<Folders, "data">): NoteBook =>
  openNoteBook({ folder: join(data, "memory"), now: Date.now, alone: locked, clean: withoutSecrets });

/** What looks like a secret: no note holds any. */
export const withoutSecrets = (text: string): string => redact(text, nothingKnown());
