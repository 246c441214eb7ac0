import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Around } from "../agent/options.ts";
import type { RuntimeOptions } from "../cli/adapters.ts";
import type { Io } from "../cli/io.ts";
import type { Checkpoints } from "../protocol/checkpoint.ts";
import type { CheckpointCheck, TurnFiles } from "../protocol/turn-files.ts";
import type { News } from "../session/sessions.ts";
import type { OwnCheckpoints } from "../tools/checkpoints/checkpoints.ts";
import { dropNote, readNote } from "../tools/checkpoints/notes.ts";

/** Where the snapshots of a store lie. */
const checkpointFolder = (store: string): string => join(store, "checkpoints");

/** What files were before turns change them: of whoever keeps nothing of a session, nothing is kept. */
export function keptFiles(
  { limitsFolder: store, guarded, cwd }: Pick<RuntimeOptions, "limitsFolder" | "guarded" | "cwd">,
  { home }: Pick<Io, "home">,
): { readonly around: Pick<Around, "checkpoints" | "news">; readonly close: () => Promise<void> } | undefined {
  if (store === undefined) return undefined;
  // The project's own config is a part of the project.
  const own = guarded.filter((folder) => folder !== join(cwd, ".evander"));
  const checkpoints = programCheckpoints({ store, home, own: [...own, store] });
  return { around: { checkpoints, news: newsOf(store) }, close: checkpoints.close };
}

interface Where {
  /** The folder of the store. */
  readonly store: string;
  readonly home: string;
  /** Folders of the program itself. */
  readonly own: readonly string[];
}

/** The snapshots of a store; loaded when the first call changes something. */
function programCheckpoints({ store, ...places }: Where): Checkpoints & { readonly close: () => Promise<void> } {
  let loading: Promise<OwnCheckpoints> | undefined;
  const loaded = (): Promise<OwnCheckpoints> =>
    (loading ??= import("../tools/checkpoints/checkpoints.ts").then(({ createCheckpoints }) =>
      createCheckpoints({ folder: checkpointFolder(store), ...places }),
    ));
  return {
    before: async (paths, at) => (await loaded()).before(paths, at),
    after: async (paths, at) => (await loaded()).after(paths, at),
    settle: async (turnId) => {
      if (existsSync(checkpointFolder(store))) await (await loaded()).settle(turnId);
    },
    close: async () => (await loading)?.close(),
  };
}

/** What an undo has left to tell a session. */
function newsOf(store: string): (sessionId: string) => News | undefined {
  const folder = checkpointFolder(store);
  return (sessionId) => {
    try {
      const text = readNote(folder, sessionId);
      return text === undefined ? undefined : { text, told: () => dropNote(folder, sessionId) };
    } catch {
      return undefined;
    }
  };
}

/** What is kept beside a store; undefined: nothing yet. */
export async function openTurnFiles(store: string): Promise<TurnFiles | undefined> {
  const { openTurnFiles: open } = await import("../tools/checkpoints/turn-files.ts");
  return open({ folder: checkpointFolder(store), own: [store] });
}

/** What was kept for sessions that are gone. What cannot be let go of now goes with its age. */
export async function forgetFiles(store: string, sessionIds: readonly string[]): Promise<void> {
  try {
    const files = await openTurnFiles(store);
    files?.forget(sessionIds);
    files?.close();
  } catch {
    // The sessions are gone all the same.
  }
}

/** Looks at what is kept beside a store. */
export const checkTurnFiles = async (store: string): Promise<CheckpointCheck> =>
  (await import("../tools/checkpoints/check.ts")).checkCheckpoints(checkpointFolder(store));
