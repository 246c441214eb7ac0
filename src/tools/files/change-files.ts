import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { access, open, rename, rm, unlink, type FileHandle } from "node:fs/promises";
import { dirname, join } from "node:path";
import { PathError } from "../paths.ts";
import type { ExistingFile } from "./existing-file.ts";
import { codeOf, explain, insideOf, openOrMakeFolder, replaceable } from "./open-file.ts";
import type { Target } from "./target.ts";

/** What becomes of one file. */
export interface FileChange {
  readonly target: Target;
  /** As it was looked at; absent: there was none. */
  readonly before: ExistingFile | undefined;
  /** The bytes it has then; undefined: it is gone. */
  readonly after: Buffer | undefined;
  /** Its permissions; absent: those that new files get. */
  readonly mode: number | undefined;
}

interface Staged {
  readonly change: FileChange;
  readonly folder: FileHandle;
  /** The complete new file, which takes the name in one step. */
  readonly temporary: string | undefined;
}

/**
 * Changes files, all of them or none: other programs see each of them old or new, never a part. All new files are complete
 * on the disk before the first one takes its name; what has changed since it was looked at stops everything. When a later
 * one cannot take its name, those before it are put back; folders made on the way stay. Throws PathError.
 */
export async function changeFiles(changes: readonly FileChange[], signal: AbortSignal): Promise<void> {
  await using handles = new AsyncDisposableStack();
  const staged: Staged[] = [];
  const done: Staged[] = [];
  let at: Target | undefined;
  try {
    for (const change of changes) {
      at = change.target;
      staged.push(await stage(change, handles, signal));
    }
    for (const one of staged) {
      at = one.change.target;
      await checkUnchanged(one);
    }
    for (const one of staged) {
      at = one.change.target;
      await takeName(one);
      done.push(one);
    }
    for (const { folder } of staged) await folder.sync();
  } catch (error) {
    for (const { temporary } of staged) if (temporary !== undefined) await rm(temporary, { force: true });
    const lost = await putBack(done);
    throw whyNot(error, { at, signal, lost, several: changes.length > 1 });
  }
}

async function stage(change: FileChange, handles: AsyncDisposableStack, signal: AbortSignal): Promise<Staged> {
  const { target, after, mode } = change;
  const folder = handles.use(await openOrMakeFolder(dirname(target.real), target.shown));
  if (after === undefined) return { change, folder, temporary: undefined };
  return { change, folder, temporary: await writeBeside(folder, target.real, { bytes: after, mode, signal }) };
}

interface NewFile {
  readonly bytes: Buffer;
  readonly mode: number | undefined;
  readonly signal?: AbortSignal;
}

/** A new file in the same folder, complete and synced. */
async function writeBeside(folder: FileHandle, real: string, { bytes, mode, signal }: NewFile): Promise<string> {
  const temporary = insideOf(folder, join(dirname(real), `.evander-${randomUUID()}.tmp`));
  try {
    await using file = await open(temporary, "wx", mode === undefined ? 0o666 : 0o600);
    if (mode !== undefined) await file.chmod(mode & 0o7777);
    await file.writeFile(bytes, { signal });
    await file.sync();
    return temporary;
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

async function checkUnchanged({ change: { target, before }, folder }: Staged): Promise<void> {
  const { real, shown } = target;
  const now = await replaceable(folder, real, shown);
  const old = before?.stats;
  const same = now?.ino === old?.ino && now?.size === old?.size && now?.mtimeMs === old?.mtimeMs;
  if (!same) throw new PathError(`${shown} was changed by somebody else in this very moment: read it again.`);
  // A rename would replace a file that its owner made read-only.
  if (now !== undefined) await access(insideOf(folder, real), constants.W_OK);
}

async function takeName({ change: { target }, folder, temporary }: Staged): Promise<void> {
  const name = insideOf(folder, target.real);
  if (temporary === undefined) await unlink(name);
  else await rename(temporary, name);
}

/** Names of the files that could not be put back. */
async function putBack(done: readonly Staged[]): Promise<string[]> {
  const lost: string[] = [];
  for (const { change, folder } of done.toReversed()) {
    const { target, before } = change;
    try {
      if (before === undefined) await unlink(insideOf(folder, target.real));
      else if (before.bytes === undefined) throw new Error("It was too large to be kept.");
      else await putFileBack(folder, target.real, before.bytes, before.stats.mode);
    } catch {
      lost.push(target.shown);
    }
  }
  return lost;
}

async function putFileBack(folder: FileHandle, real: string, bytes: Buffer, mode: number): Promise<void> {
  await rename(await writeBeside(folder, real, { bytes, mode }), insideOf(folder, real));
}

interface Failed {
  readonly at: Target | undefined;
  readonly signal: AbortSignal;
  readonly lost: readonly string[];
  readonly several: boolean;
}

function whyNot(error: unknown, { at, signal, lost, several }: Failed): unknown {
  const isOurs = error instanceof PathError;
  if (lost.length === 0 && (signal.aborted || (!isOurs && codeOf(error) === undefined))) return error;
  const why = isOurs ? error.message : explain(error, at?.shown ?? "The file");
  const rest = several ? " Nothing was changed: all files are as they were." : "";
  const state = lost.length === 0 ? rest : ` These were changed and could not be put back: ${lost.join(", ")}.`;
  return new PathError(why + state, { cause: error });
}
