import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import {
  type ChangedPath,
  type FileState,
  type LeftAlone,
  OWN_CALL,
  type TurnFiles,
  type UndoAsked,
  type UndoneFiles,
} from "../../protocol/turn-files.ts";
import { type Course, coursesOf } from "./courses.ts";
import { type Looker, settle } from "./keep.ts";
import { contentOf, LIMITS, look, type Limits } from "./look.ts";
import { dropNote, readNote, writeNote } from "./notes.ts";
import { restore } from "./restore.ts";
import { isRealFolder, parentOf, realFolder } from "./roots.ts";
import { forgetSessions } from "./ring.ts";
import { Shelf, SHELF_FILE } from "./shelf.ts";
import { hashOf, type RawPath, rawOf, readState, shownPath, type StateText } from "./state.ts";

export interface TurnFilesOptions {
  /** Of the checkpoints. */
  readonly folder: string;
  /** Folders of the program itself. */
  readonly own: readonly string[];
  readonly limits?: Limits;
}

/** What is kept in a folder; undefined: nothing yet, and nothing is made. Throws what SQLite says. */
export function openTurnFiles({ folder, own, limits = LIMITS }: TurnFilesOptions): TurnFiles | undefined {
  if (!existsSync(join(folder, SHELF_FILE))) return undefined;
  const shelf = new Shelf(folder);
  const looker: Looker = { opened: () => shelf, limits, own: [...own, folder].map((each) => rawOf(realFolder(each))) };
  return {
    changes: async (turnId) => (await coursesOf(shelf, turnId, looker))?.map(changedPath),
    content: (hash, path) => shelf.content(hash) ?? contentNow(hash, path),
    undo: async (turnId, asked) => {
      if (asked.dryRun !== true) await settle(turnId, looker);
      const courses = await coursesOf(shelf, turnId, looker);
      if (courses === undefined) return { type: "unknown" };
      return undo({ shelf, folder, turnId, courses, limits }, asked);
    },
    forget: (sessionIds) => {
      forgetSessions(shelf, sessionIds, Date.now());
      for (const sessionId of sessionIds) dropNote(folder, sessionId);
    },
    close: () => shelf.close(),
  };
}

/** Of a change that nobody has looked at since: the disk alone has it. */
function contentNow(hash: string, path: string): Buffer | undefined {
  try {
    const content = contentOf(rawOf(path));
    return hashOf(content) === hash ? content : undefined;
  } catch {
    return undefined;
  }
}

const changedPath = ({ path, before, after, lost }: Course): ChangedPath => ({
  path: shownPath(path),
  before: fileState(before),
  after: fileState(after),
  lost,
});

function fileState(text: StateText | null): FileState | null {
  if (text === null) return null;
  const state = readState(text);
  return state.type === "link" ? { type: "link", target: shownPath(state.target) } : state;
}

/** How the ids of undos begin. */
const UNDO = "undo-";

interface Undoing {
  readonly shelf: Shelf;
  readonly folder: string;
  readonly turnId: string;
  readonly courses: readonly Course[];
  readonly limits: Limits;
}

interface Planned {
  readonly course: Course;
  readonly now: StateText | null;
  readonly why: LeftAlone | undefined;
}

async function undo({ shelf, folder, turnId, courses, limits }: Undoing, asked: UndoAsked): Promise<UndoneFiles> {
  const contents = new Map<string, Buffer>();
  const planned: Planned[] = [];
  for (const course of courses) {
    const keep = (hash: string, content: Buffer): void => void contents.set(hash, content);
    const now = await stateAt(course.path, limits, keep);
    if (now !== course.before)
      planned.push({ course, now, why: whyLeft(shelf, course, { now, force: asked.force === true }) });
  }
  if (planned.length === 0) return { type: "nothing" };
  const left = planned.flatMap(({ course, why }) => (why === undefined ? [] : [{ path: shownPath(course.path), why }]));
  const ready = planned.filter(({ why }) => why === undefined);
  if (ready.length === 0) return { type: "refused", left };
  const undoId = `${UNDO}${randomUUID().slice(0, 8)}`;
  if (asked.dryRun !== true) {
    recordUndo(shelf, { folder, turnId, undoId, ready, contents });
    const targets = ready.map(({ course }) => ({ path: course.path, state: course.before }));
    for (const path of restore(targets, (hash) => shelf.content(hash)))
      left.push({ path: shownPath(path), why: "failed" });
  }
  const paths = ready.map(({ course, now }) => changedPath({ ...course, after: course.before, before: now }));
  return { type: "undone", undoId, paths: paths.filter(({ path }) => !left.some((each) => each.path === path)), left };
}

/** As it is now: one path alone, whatever lies below it. */
async function stateAt(
  path: RawPath,
  limits: Limits,
  keep: (hash: string, content: Buffer) => void,
): Promise<StateText | null> {
  // Through a link, or below a file, nothing stands under this name.
  if (!isRealFolder(parentOf(path))) return null;
  const { tree } = await look(path, { known: new Map(), limits, leaveOut: [], keep, flat: true });
  return tree.get("")?.state ?? null;
}

interface Standing {
  readonly now: StateText | null;
  readonly force: boolean;
}

function whyLeft(shelf: Shelf, { before, after, mixed }: Course, { now, force }: Standing): LeftAlone | undefined {
  const target = before === null ? undefined : readState(before);
  if (target?.type === "unkept" || (target?.type === "file" && shelf.content(target.hash) === undefined))
    return "unkept";
  return force || (now === after && !mixed) ? undefined : "changed";
}

interface Recorded {
  readonly folder: string;
  readonly turnId: string;
  readonly undoId: string;
  readonly ready: readonly Planned[];
  readonly contents: ReadonlyMap<string, Buffer>;
}

/** What is there now is kept, and what will be, before anything is changed: so an undo can itself be undone. */
function recordUndo(shelf: Shelf, { folder, turnId, undoId, ready, contents }: Recorded): void {
  const nowMs = Date.now();
  const [first] = shelf.steps(turnId);
  const sessionId = first?.sessionId ?? "";
  shelf.keepContents(contents, nowMs);
  shelf.transact(() => {
    const step = shelf.addStep({ sessionId, turnId: undoId, iteration: 0 }, first?.root ?? "", nowMs);
    const changes = ready.map(({ course, now }) => ({
      path: course.path,
      before: now,
      after: course.before,
      lost: false,
    }));
    shelf.addChanges(step, changes, "closed");
  });
  tell(folder, sessionId, { ready, again: turnId.startsWith(UNDO) });
}

/** The model is told with the next message; of an undo it was never told of, it need not hear that it was taken back. */
function tell(folder: string, sessionId: string, { ready, again }: Told): void {
  if (sessionId.startsWith(OWN_CALL)) return;
  if (again && readNote(folder, sessionId) !== undefined) dropNote(folder, sessionId);
  else writeNote(folder, sessionId, noteOf(ready, again));
}

interface Told {
  readonly ready: readonly Planned[];
  /** It is an undo that is undone. */
  readonly again: boolean;
}

const NAMED = 20;

/** For the model, in the next turn. */
function noteOf(ready: readonly Planned[], again: boolean): string {
  const names = ready.slice(0, NAMED).map(({ course }) => JSON.stringify(shownPath(course.path)));
  const more = ready.length > NAMED ? ` and ${ready.length - NAMED} more` : "";
  const what = again
    ? "The user has brought back what an earlier turn did to these files, which had been undone"
    : "The user has undone what an earlier turn did to these files; they are as they were before it";
  return `${what}: ${names.join(", ")}${more}. Read them again before you rely on what they hold.`;
}
