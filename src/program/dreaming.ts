import { join } from "node:path";
import type { DreamRun } from "../agent/daily-dream.ts";
import type { Folders } from "../config/folders.ts";
import { diaryIn } from "../context/dream/diary.ts";
import { dreamIn, pastIn } from "../context/dream/dreams.ts";
import { unlessLocked, locked } from "../credentials/lock.ts";
import { stripThink } from "../model/think-filter.ts";
import { openNotes, withoutSecrets } from "./notes.ts";
import type { DreamAsked, DreamEnd, PastDreams } from "../protocol/dream.ts";
import type { Store } from "../protocol/store.ts";
import type { Tool } from "../protocol/tool.ts";
import { trustedIn } from "../tools/trusted.ts";
import type { RunSpec } from "../session/run-spec.ts";

type Place = Pick<Folders, "data">;

const folderIn = ({ data }: Place): string => join(data, "memory");

/** What dreams have made of the notes of a profile. */
export const pastDreams = (folders: Place): PastDreams =>
  pastIn({ folder: folderIn(folders), book: openNotes(folders), unlessLocked });

/** What a dream over the notes of a profile works with. */
export interface Dreaming {
  readonly folders: Place;
  /** Its sessions. */
  readonly store: Store;
  /** All that there are: what the others bring are others' words. */
  readonly tools: readonly Tool[];
}

/** One short answer, with room for a model that thinks first; ms. */
const LIMITS = { maxIterations: 3, maxTimeMs: 300_000 } as const;

/** See DreamEnd. */
export function dream(
  { folders, store, tools }: Dreaming,
  { run, of, clean = withoutSecrets }: DreamRun,
  asked: DreamAsked,
): Promise<DreamEnd> {
  const folder = folderIn(folders);
  const around = {
    folder,
    book: openNotes(folders),
    diary: diaryIn({ folder, locked, clean: (text) => clean(stripThink(text)), now: Date.now }),
    store,
    isTrusted: trustedIn(new Map(tools.map((tool) => [tool.name, tool]))),
    now: Date.now,
    clean,
    unlessLocked,
    ask: (told: Pick<RunSpec, "system" | "prompt">, signal?: AbortSignal) =>
      run({ purpose: "dream", ...told, ...of, ...LIMITS }, signal),
  };
  return dreamIn(around, asked);
}
