import type { PastDream } from "../../protocol/dream.ts";
import { NOTE_FILES, type NoteFile, type NoteVersion } from "../../protocol/memory.ts";
import { differencesOf, type Notes } from "./edits.ts";

/** A dream writes one file straight after the other, ms. */
const TOGETHER_MS = 60_000;

interface Step {
  readonly version: NoteVersion;
  /** The notes of its file before. */
  readonly before: readonly string[];
}

/** What dreams have changed, out of all versions of the notes, the newest first: no model's word counts (nanobot.md §5.4). */
export function pastDreams(versions: readonly NoteVersion[]): PastDream[] {
  const groups: Step[][] = [];
  for (const step of dreamSteps(versions)) {
    const last = groups.at(-1);
    if (last !== undefined && belongs(step, last)) last.push(step);
    else groups.push([step]);
  }
  return groups
    .map((steps) => ({
      atMs: steps[0]?.version.written.atMs ?? 0,
      differences: differencesOf(
        notesOf(steps, ({ before }) => before),
        notesOf(steps, ({ version }) => version.notes),
      ),
    }))
    .filter(({ differences }) => differences.length > 0);
}

const belongs = ({ version: { file, written } }: Step, steps: readonly Step[]): boolean =>
  steps.every(({ version }) => version.file !== file && version.written.atMs - written.atMs <= TOGETHER_MS);

const dreamSteps = (versions: readonly NoteVersion[]): Step[] =>
  versions.flatMap((version, at) => {
    if (version.written.by !== "dream") return [];
    const older = versions.slice(at + 1).find(({ file }) => file === version.file);
    return [{ version, before: older?.notes ?? [] }];
  });

function notesOf(steps: readonly Step[], of: (step: Step) => readonly string[]): Notes {
  const notes: Record<NoteFile, readonly string[]> = { memory: [], user: [] };
  for (const file of NOTE_FILES) {
    const step = steps.find(({ version }) => version.file === file);
    if (step !== undefined) notes[file] = of(step);
  }
  return notes;
}
