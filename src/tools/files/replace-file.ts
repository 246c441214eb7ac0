import { plural } from "../../protocol/plural.ts";
import type { ToolContext } from "../../protocol/tool.ts";
import { PathError } from "../paths.ts";
import { changeFiles } from "./change-files.ts";
import { existingFile, type ExistingFile } from "./existing-file.ts";
import { versionOf } from "./file-version.ts";
import { isKnown } from "./known.ts";
import { codeOf, explain } from "./open-file.ts";
import { syntaxNote } from "./syntax-note.ts";
import type { Target } from "./target.ts";
import { bytesOf, textOf, type FileText } from "./text/file-text.ts";

interface Wanted {
  readonly content: string;
  /** Also a file that the model has not read. */
  readonly overwrite: boolean;
}

/** Puts a file in its place, whole. Throws PathError. */
export async function replaceFile(target: Target, wanted: Wanted, context: ToolContext): Promise<string> {
  try {
    return await replaced(target, wanted, context);
  } catch (error) {
    if (error instanceof PathError || context.signal.aborted || codeOf(error) === undefined) throw error;
    throw new PathError(explain(error, target.shown), { cause: error });
  }
}

async function replaced(target: Target, wanted: Wanted, context: ToolContext): Promise<string> {
  const before = await existingFile(target);
  if (before?.bytes?.equals(Buffer.from(wanted.content)) === true) return unchanged(target);
  if (before !== undefined) mayReplace(before, target, { wanted, context });
  const { bytes, notes } = before === undefined ? newBytes(wanted) : bytesLike(before, target, wanted);
  if (before?.bytes?.equals(bytes) === true) return unchanged(target);
  await changeFiles([{ target, before, after: bytes, mode: before?.stats.mode }], context.signal);
  context.knows?.({ path: target.real, version: versionOf(bytes) });
  const syntax = await syntaxNote(target.real, bytes, before?.bytes);
  return [headline(target, before, bytes), ...notes, syntax].filter((line) => line !== undefined).join("\n");
}

interface Asked {
  readonly wanted: Wanted;
  readonly context: ToolContext;
}

function mayReplace(before: ExistingFile, target: Target, { wanted, context }: Asked): void {
  // An empty file has nothing to lose.
  if (isKnown(target, before, context) || wanted.overwrite || before.stats.size === 0) return;
  throw new PathError(
    `${target.shown} exists and was not read in this session, so nothing was written: read it first, or set overwrite to true.`,
  );
}

const unchanged = ({ shown }: Target): string => `${shown} already has exactly this content; nothing was changed.`;

function headline({ shown }: Target, before: ExistingFile | undefined, bytes: Buffer): string {
  const now = `${plural(lineCount(bytes), "line")}, ${plural(bytes.length, "byte")}`;
  if (before === undefined) return `Created ${shown}: ${now}.`;
  const old = before.bytes === undefined ? "" : `${plural(lineCount(before.bytes), "line")}, `;
  return `Replaced ${shown}: ${now} (before: ${old}${plural(before.stats.size, "byte")}).`;
}

interface New {
  readonly bytes: Buffer;
  readonly notes: readonly string[];
}

const newBytes = ({ content }: Pick<Wanted, "content">): New => ({ bytes: Buffer.from(content), notes: [] });

/** As the file was: its mark, its encoding, and its line breaks where they are all the same. */
function bytesLike(before: ExistingFile, target: Target, wanted: Wanted): New {
  const old = before.bytes === undefined ? undefined : textOf(before.bytes);
  if (old === undefined || old.text === "") return newBytes(wanted);
  const { encoding } = old;
  if (encoding === "odd") return asUtf8(target, wanted, "holds bytes that are no text in an encoding known here");
  const bytes = bytesOf(like(old, wanted.content));
  if (bytes === undefined)
    return asUtf8(target, wanted, `is in ${encoding}, which lacks a character of the new content`);
  return { bytes, notes: encoding === "utf-8" ? [] : [`It stays in ${encoding}.`] };
}

/** A file that cannot stay as it was is not made another one in passing. */
function asUtf8({ shown }: Target, wanted: Wanted, why: string): New {
  if (!wanted.overwrite)
    throw new PathError(
      `${shown} ${why}, so nothing was written: change parts of it with patch, or set overwrite to true to make it UTF-8.`,
    );
  return { ...newBytes(wanted), notes: ["It is UTF-8 now, and was not before."] };
}

function like(old: FileText, content: string): FileText {
  const text = content.startsWith("\uFEFF") ? content.slice(1) : content;
  const returns = old.text.includes("\r\n") && !/(?<!\r)\n/u.test(old.text) && !text.includes("\r\n");
  return { ...old, mark: old.mark || text !== content, text: returns ? text.replaceAll("\n", "\r\n") : text };
}

function lineCount(bytes: Buffer): number {
  let lines = 0;
  for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, at + 1)) lines += 1;
  return bytes.length > 0 && bytes.at(-1) !== 10 ? lines + 1 : lines;
}
