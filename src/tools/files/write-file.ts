import { plural } from "../../protocol/plural.ts";
import { randomUUID } from "node:crypto";
import { constants, type Stats } from "node:fs";
import { access, open, rename, rm, type FileHandle } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Tool } from "../../protocol/tool.ts";
import { codeOf, explain, insideOf, openOrMakeFolder, openRegularFile, replaceable } from "./open-file.ts";
import {
  askAbout,
  canonicalPath,
  claimPath,
  PathError,
  permittedPath,
  printable,
  shownPath,
  whyAskToWrite,
  type Place,
} from "../paths.ts";

/** Bytes; a larger old file is replaced without being compared or counted. */
const MAX_COMPARED = 10 * 1024 * 1024;

/**
 * Writes a whole text file at once: other programs see the old file or the new one, never a part.
 * The effect is "effect", not "idempotent": run again after a crash it would undo what somebody wrote in between.
 */
export function writeFileTool(place: Place): Tool {
  return {
    name: "write_file",
    toolset: "files",
    description:
      "Write a whole text file: creates it, with its folders, or replaces it completely. " +
      "Says how many lines and bytes were written. Does not write through links that leave the working folder.",
    parameters: {
      type: "object",
      properties: {
        path: { type: "string", description: "The file, relative to the working folder or absolute." },
        content: { type: "string", description: "The complete new text of the file." },
      },
      required: ["path", "content"],
      additionalProperties: false,
    },
    effect: "effect",
    concurrency: "paths",
    claim: (input) => claimPath(input["path"], place, "writes"),
    changes: (input) => writtenTo(input["path"], place),
    ask: (input) => askAbout(input["path"], place, whyAskToWrite),
    run: async (input, context) => {
      const target = resolveTarget(String(input["path"]), place, context.approved);
      return replaceFile(target, Buffer.from(String(input["content"])), context.signal);
    },
  };
}

/** The file a call would write, where there is one to be named; it says itself what is wrong with any other. */
function writtenTo(given: unknown, place: Place): string[] {
  try {
    return typeof given === "string" ? [canonicalPath(given, place)] : [];
  } catch {
    return [];
  }
}

interface Target {
  readonly real: string;
  readonly shown: string;
}

function resolveTarget(given: string, place: Place, approved: string | undefined): Target {
  if (given.endsWith("/")) throw new PathError(`${printable(given)} names a folder: give the name of a file.`);
  const real = permittedPath(given, place, { mode: "writes", approved });
  return { real, shown: shownPath(real, place) };
}

async function replaceFile(target: Target, bytes: Buffer, signal: AbortSignal): Promise<string> {
  const { real, shown } = target;
  try {
    await using folder = await openOrMakeFolder(dirname(real), shown);
    const before = await existing(folder, target);
    if (before?.content?.equals(bytes) === true)
      return `${shown} already has exactly this content; nothing was changed.`;
    await writeBeside(folder, real, { bytes, mode: before?.stats.mode, signal });
    const now = `${plural(lineCount(bytes), "line")}, ${plural(bytes.length, "byte")}`;
    if (before === undefined) return `Created ${shown}: ${now}.`;
    const old = before.content === undefined ? "" : `${plural(lineCount(before.content), "line")}, `;
    return `Replaced ${shown}: ${now} (before: ${old}${plural(before.stats.size, "byte")}).`;
  } catch (error) {
    if (error instanceof PathError || signal.aborted || codeOf(error) === undefined) throw error;
    throw new PathError(explain(error, shown), { cause: error });
  }
}

async function existing(
  folder: FileHandle,
  { real, shown }: Target,
): Promise<{ stats: Stats; content?: Buffer } | undefined> {
  const stats = await replaceable(folder, real, shown);
  if (stats === undefined) return undefined;
  // A rename would replace a file that its owner made read-only.
  await access(insideOf(folder, real), constants.W_OK);
  if (stats.size > MAX_COMPARED) return { stats };
  const opened = await openRegularFile(real, shown);
  await using file = opened.file;
  return { stats, content: await file.readFile() };
}

/** A new file in the same folder, complete and synced, takes the name in one step. */
async function writeBeside(folder: FileHandle, real: string, { bytes, mode, signal }: NewFile): Promise<void> {
  const temporary = insideOf(folder, join(dirname(real), `.evander-${randomUUID()}.tmp`));
  try {
    await using file = await open(temporary, "wx", mode === undefined ? 0o666 : 0o600);
    if (mode !== undefined) await file.chmod(mode & 0o7777);
    await file.writeFile(bytes, { signal });
    await file.sync();
    await rename(temporary, insideOf(folder, real));
    await folder.sync();
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

interface NewFile {
  readonly bytes: Buffer;
  /** That of the file it replaces. */
  readonly mode: number | undefined;
  readonly signal: AbortSignal;
}

const lineCount = (bytes: Buffer): number => {
  let lines = 0;
  for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, at + 1)) lines += 1;
  return bytes.length > 0 && bytes.at(-1) !== 10 ? lines + 1 : lines;
};
