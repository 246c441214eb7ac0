import { join } from "node:path";
import type {
  DiaryEntry,
  DreamAsked,
  DreamEnd,
  DreamUndone,
  NoteDifference,
  PastDreams,
  UndoAsked,
} from "../../protocol/dream.ts";
import type { NoteBook } from "../../protocol/memory.ts";
import type { Sentence } from "../../protocol/sentence.ts";
import type { TurnResult } from "../../protocol/result.ts";
import type { IsTrusted } from "../../protocol/taint.ts";
import type { Store } from "../../protocol/store.ts";
import { DISK } from "../disk.ts";
import { allNotes, changeBoth, putBack, shownNotes, wouldPutBack } from "./both-files.ts";
import { type Diary, localMinute } from "./diary.ts";
import { type DreamState, type LastDream, readState, writeState } from "./dream-file.ts";
import { countOf, differencesOf, edited, type Notes } from "./edits.ts";
import { gather } from "./gather.ts";
import { pastDreams } from "./past.ts";
import { DREAM_SYSTEM, dreamPrompt } from "./prompt.ts";
import { noAnswer, refusedBy, uselessReply } from "./sentences.ts";

export interface PastAround {
  /** Where the notes and the diary lie. */
  readonly folder: string;
  readonly book: NoteBook;
  /** Does the work, unless another one goes on that names this path, in whatever process: undefined. */
  readonly unlessLocked: <T>(path: string, work: () => Promise<T>) => Promise<{ readonly value: T } | undefined>;
}

export interface DreamAround extends PastAround {
  readonly diary: Diary;
  readonly store: Pick<Store, "list" | "history" | "record">;
  /** Of the tools whose results are this program's own words. */
  readonly isTrusted: IsTrusted;
  /** ms since the epoch */
  readonly now: () => number;
  /** Takes secrets out of a text. */
  readonly clean: (text: string) => string;
  /** Asks a model once. Never rejects. */
  readonly ask: (
    asked: { readonly system: string; readonly prompt: string },
    signal?: AbortSignal,
  ) => Promise<TurnResult>;
}

/** Entries that one dream reads (nanobot.md §5.4). */
const MOST_ENTRIES = 20;
/** Fewer are not worth a dream that nobody has asked for. */
const LEAST_ENTRIES = 5;

/** A dream over the notes of a folder (ADR 0044). */
export async function dreamIn(around: DreamAround, asked: DreamAsked): Promise<DreamEnd> {
  const work = (): Promise<DreamEnd> => (asked.daily === true ? daily(asked, around) : dream(asked, around));
  return (await alone(around, work)) ?? { type: "busy" };
}

/** What dreams have made of the notes of a folder. */
export const pastIn = (around: PastAround): PastDreams => ({
  list: () => pastDreams(around.book.versions()),
  undo: async (asked) => (await alone(around, () => undo(asked, around))) ?? { type: "busy" },
});

async function alone<T>({ folder, unlessLocked }: PastAround, work: () => Promise<T>): Promise<T | undefined> {
  DISK.makeFolder(folder);
  const done = await unlessLocked(join(folder, "dream.lock"), work);
  return done?.value;
}

/** The dream of the day, in whatever process; one that is stopped was none. */
async function daily(asked: DreamAsked, around: DreamAround): Promise<DreamEnd> {
  const { folder, now } = around;
  const day = localMinute(now()).slice(0, "YYYY-MM-DD".length);
  if (readState(folder).day === day) return { type: "nothing" };
  const end = await dream(asked, around);
  if (asked.signal?.aborted !== true) writeState(folder, { ...readState(folder), day });
  return end;
}

async function dream(asked: DreamAsked, around: DreamAround): Promise<DreamEnd> {
  const state = await gathered(await settled(around), around);
  const unseen = unseenIn(around.diary, state).slice(0, MOST_ENTRIES);
  const entries = unseen.filter(({ tainted }) => tainted === undefined);
  const notes = shownNotes(around.book);
  const least = asked.daily === true ? LEAST_ENTRIES : Math.max(0, 1 - countOf(notes));
  if (entries.length < least) return { type: "nothing" };
  asked.say?.({ notes: countOf(notes), entries: entries.length });
  const prompt = around.clean(dreamPrompt(notes, entries));
  const run = await around.ask({ system: DREAM_SYSTEM, prompt }, asked.signal);
  const cursor = unseen.at(-1)?.cursor ?? state.cursor;
  const done = await carryOut({ notes, run, state, cursor, dryRun: asked.dryRun === true }, around);
  if (!("differences" in done)) return { type: "failed", ...done, run };
  return { type: "done", ...done, entries: entries.length, passedOver: unseen.length - entries.length, run };
}

const unseenIn = (diary: Diary, { cursor }: DreamState): DiaryEntry[] =>
  diary.read().filter((entry) => entry.cursor > cursor);

/** Writes down what is new in the sessions, as much as a dream will read. */
async function gathered(state: DreamState, around: DreamAround): Promise<DreamState> {
  const { folder, store, diary, isTrusted, now } = around;
  const room = MOST_ENTRIES - unseenIn(diary, state).length;
  if (room <= 0) return state;
  const next = { ...state, gatheredMs: now() };
  const drafts = gather(store, { sinceMs: state.gatheredMs, most: room, isTrusted });
  if (drafts.length === 0) return state;
  await diary.append(drafts, state.cursor);
  writeState(folder, next);
  return next;
}

/** The state behind what a process that died has left half done: that is done now, or given up. */
async function settled({ folder, book }: PastAround): Promise<DreamState> {
  const state = readState(folder);
  const { last } = state;
  if (last?.state !== "begun") return state;
  const refused = await changeBoth({ from: last.before, to: last.after }, { by: "dream" }, book);
  const { last: _, ...without } = state;
  const next = refused === undefined ? doneIn(state, last, book) : without;
  writeState(folder, next);
  return next;
}

const doneIn = (state: DreamState, last: LastDream, book: NoteBook): DreamState => ({
  ...state,
  cursor: last.cursor,
  last: { ...last, state: "done", left: allNotes(book) },
});

interface Dreamt {
  /** What the model was shown. */
  readonly notes: Notes;
  readonly run: TurnResult;
  readonly state: DreamState;
  /** Where it is when all went well. */
  readonly cursor: number;
  readonly dryRun: boolean;
}

type CarriedOut =
  | { readonly differences: readonly NoteDifference[] }
  | { readonly reason: TurnResult["exit"]["reason"]; readonly sentence: Sentence };

const UNFIT = "schema_unsatisfied";

/** Makes of the notes what the model wants, and only then counts what it has read as read. */
async function carryOut(
  { notes, run, state, cursor, dryRun }: Dreamt,
  { folder, book, now }: DreamAround,
): Promise<CarriedOut> {
  const { reason, explain } = run.exit;
  if (reason !== "text_response") return { reason, sentence: noAnswer(run.error?.message ?? explain ?? reason) };
  const after = edited(notes, run.answer ?? "");
  if (typeof after === "string") return { reason: UNFIT, sentence: uselessReply(after) };
  if (dryRun) return { differences: differencesOf(notes, after) };
  if (differencesOf(notes, after).length === 0) {
    writeState(folder, { ...state, cursor });
    return { differences: [] };
  }
  const last: LastDream = { atMs: now(), state: "begun", cursor, before: notes, after };
  const before = allNotes(book);
  writeState(folder, { ...state, last });
  const refused = await changeBoth({ from: notes, to: after }, { by: "dream" }, book);
  if (refused !== undefined) {
    writeState(folder, state);
    return { reason: UNFIT, sentence: refusedBy(refused.file, refused) };
  }
  const next = doneIn(state, last, book);
  writeState(folder, next);
  return { differences: differencesOf(before, next.last?.left ?? before) };
}

async function undo({ anyway = false, dryRun = false }: UndoAsked, around: PastAround): Promise<DreamUndone> {
  const { folder, book } = around;
  const state = await settled(around);
  const { last } = state;
  if (last?.state !== "done" || last.left === undefined) return { type: "none" };
  const now = allNotes(book);
  const since = differencesOf(last.left, now);
  if (since.length > 0 && !anyway) return { type: "changed", differences: since };
  if (dryRun) return { type: "undone", differences: wouldPutBack(last, now) };
  const refused = await putBack(last, book);
  if (refused !== undefined) return { type: "refused", sentence: refusedBy(refused.file, refused) };
  writeState(folder, { ...state, last: { ...last, state: "undone" } });
  return { type: "undone", differences: differencesOf(now, allNotes(book)) };
}
