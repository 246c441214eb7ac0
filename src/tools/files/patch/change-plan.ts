import type { ToolContext } from "../../../protocol/tool.ts";
import { PathError, type Place } from "../../paths.ts";
import { binaryKind } from "../binary.ts";
import { changeFiles, type FileChange } from "../change-files.ts";
import { existingFile, type ExistingFile } from "../existing-file.ts";
import { MOST_HASHED, versionOf } from "../file-version.ts";
import { isKnown } from "../known.ts";
import { targetOf, type Target } from "../target.ts";
import { bytesOf, textOf, type FileText } from "../text/file-text.ts";
import { edited, type Edit } from "../text/lines.ts";

/** One file in the middle of a patch. */
export interface PlannedFile {
  readonly target: Target;
  readonly before: ExistingFile | undefined;
  /** The model knows what it holds. */
  known: boolean;
  /** What it will hold; undefined: there will be none. */
  bytes: Buffer | undefined;
  mode: number | undefined;
}

/** What a patch makes of files, all in memory until `write`. */
export class ChangePlan {
  readonly #files = new Map<string, PlannedFile>();
  readonly #place: Place;
  readonly #context: ToolContext;

  constructor(place: Place, context: ToolContext) {
    this.#place = place;
    this.#context = context;
  }

  async at(given: string): Promise<PlannedFile> {
    const target = targetOf(given, this.#place, this.#context.approved);
    const before = this.#files.get(target.real) ?? (await this.#look(target));
    this.#files.set(target.real, before);
    return before;
  }

  async #look(target: Target): Promise<PlannedFile> {
    const before = await existingFile(target);
    const known = before !== undefined && isKnown(target, before, this.#context);
    return { target, before, known, bytes: before?.bytes, mode: before?.stats.mode };
  }

  /** Throws PathError; then every file is as it was. */
  async write(): Promise<void> {
    const changes: FileChange[] = [];
    for (const { target, before, bytes, mode } of this.#files.values()) {
      const same = before === undefined ? bytes === undefined : bytes !== undefined && before.bytes?.equals(bytes);
      if (same !== true) changes.push({ target, before, after: bytes, mode });
    }
    await changeFiles(changes, this.#context.signal);
    for (const { target, known, bytes } of this.#files.values())
      if (known && bytes !== undefined) this.#context.knows?.({ path: target.real, version: versionOf(bytes) });
  }
}

/** The bytes of a file that must be there. */
export function bytesIn({ target: { shown }, before, bytes }: PlannedFile): Buffer {
  if (bytes !== undefined) return bytes;
  if (before?.bytes === undefined && before !== undefined)
    throw new PathError(`${shown} is larger than ${MOST_HASHED} bytes: change it with a command.`);
  throw new PathError(`${shown} does not exist: nothing was changed.`);
}

/** Its text, from which the same bytes can be made again. */
export function textIn(file: PlannedFile): FileText {
  const bytes = bytesIn(file);
  const text = textOf(bytes);
  if (text !== undefined) return text;
  throw new PathError(
    `${file.target.shown} is ${binaryKind(bytes) ?? "a binary file"}, not text, and was not changed.`,
  );
}

/** Puts edits into a file; bytes outside of them stay. */
export function putEdits(file: PlannedFile, before: FileText, edits: readonly Edit[]): void {
  const { shown } = file.target;
  if (before.encoding === "odd" && edits.some(({ text }) => text.includes("\uFFFD")))
    throw new PathError(
      `${shown} holds bytes that are no UTF-8, which read_file shows as \uFFFD; that sign would take their place, so ` +
        "nothing was changed: leave those characters out of old_string and new_string.",
    );
  const bytes = bytesOf({ ...before, text: edited(before.text, edits) });
  if (bytes === undefined)
    throw new PathError(
      `${shown} is in ${before.encoding}, which lacks a character of the new text: nothing was changed.`,
    );
  file.bytes = bytes;
}
