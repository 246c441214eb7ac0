import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Breach, BreachKind } from "../protocol/oracle.ts";
import type {
  BackupEnd,
  CareAsked,
  RebuildEnd,
  RecoveredSession,
  RecoverEnd,
  RestoreEnd,
  StoreCare,
} from "../protocol/store-care.ts";
import { StoreError, type StoreFault } from "../protocol/store.ts";
import { findBreaches } from "../session/oracle/oracle.ts";
import { withStoreErrors } from "../store/sqlite/errors.ts";
import { openAudit } from "../store/sqlite/open-audit.ts";
import { backUp, type BesideFile, openBackup, unpack } from "../store/sqlite/recovery/backup.ts";
import { isForeign, liveHolder, refuseIfDamaged, rebuildIndex } from "../store/sqlite/recovery/care.ts";
import { type Recovery, recover } from "../store/sqlite/recovery/recovery.ts";
import { freeName, keepCopy, replaceStore, replaceWith } from "../store/sqlite/recovery/replace.ts";
import { nextOf } from "../store/sqlite/signs.ts";

const PATIENCE_MS = 10_000;
/** The file behind all links: its log lies beside that one. */
function storeIn(folder: string): string {
  const path = join(folder, "evander.db");
  return existsSync(path) ? realpathSync(path) : path;
}

/** What is done with the store of a profile as a whole, and with what lies beside it. */
export const storeCare = (): StoreCare => ({
  recover: recoverStore,
  backup: backUpStore,
  restore: restoreStore,
  rebuild,
});

/** These say nothing of whether the facts of a session hold together. */
const BESIDE: ReadonlySet<BreachKind> = new Set([
  "file-damaged",
  "row-stray",
  "search-differs",
  "opening-damaged",
  "charge-astray",
  "secret-kept",
  "attempt-unbilled",
  "usage-impossible",
  "usage-differs",
  "limit-passed",
  "left-over",
  "lease-left",
]);

/** These belong to no session, and a new store has none of them. */
const OF_THE_FILE: ReadonlySet<BreachKind> = new Set(["file-damaged", "opening-damaged", "charge-astray"]);

async function recoverStore({ folder, dryRun, onPages }: CareAsked): Promise<RecoverEnd> {
  const path = storeIn(folder);
  if (existsSync(nextOf(path))) return dryRun ? { type: "unfinished" } : finished(path);
  if (!existsSync(path)) return { type: "absent" };
  if (isForeign(path)) return { type: "foreign" };
  if (isSound(path)) return { type: "sound" };
  const recovery = recover(path, PATIENCE_MS, onPages);
  try {
    if (recovery.heldBy !== undefined) return { type: "held", pid: recovery.heldBy };
    const { parted, breaches } = mend(recovery);
    const sessions = recovery.sessions().map((session): RecoveredSession => ({
      ...session,
      state: parted.has(session.sessionId) ? "parted" : "whole",
    }));
    const { broken: lostRows, lostPages } = recovery.salvaged;
    const told = { type: "recovered", sessions, lostRows, lostPages, breaches } as const;
    if (dryRun) return { ...told, original: undefined };
    const original = freeName(path, "damaged", Date.now());
    keepCopy(path, original);
    recovery.finish();
    return { ...told, original };
  } finally {
    recovery.drop();
  }
}

/** Of the store that stands there a copy was kept before the other one was called the next. */
function finished(path: string): RecoverEnd {
  openBackup(nextOf(path)).close();
  replaceStore(path);
  return { type: "finished" };
}

const NO_DAMAGE: ReadonlySet<StoreFault> = new Set(["newer", "locked", "busy", "read_only", "full"]);

function isSound(path: string): boolean {
  try {
    refuseIfDamaged(path);
    const file = openAudit(path);
    if (file === undefined) return true;
    try {
      return findBreaches(file).every(
        ({ kind }) => !OF_THE_FILE.has(kind) && (BESIDE.has(kind) || kind === "request-missing"),
      );
    } finally {
      file.close();
    }
  } catch (error) {
    // Whatever else goes wrong in looking at it shows that it is not.
    if (error instanceof StoreError && NO_DAMAGE.has(error.fault)) throw error;
    return false;
  }
}

/** Until nothing of any session contradicts itself: first from the turn on that does, then the whole session. */
function mend(recovery: Recovery): { readonly parted: ReadonlySet<string>; readonly breaches: number } {
  const parted = new Set<string>();
  for (const whole of [false, true]) {
    const bad = Map.groupBy(broken(recovery), ({ sessionId = "" }) => sessionId);
    recovery.cut([...bad].map(([sessionId, breaches]) => cutOf(sessionId, breaches, whole)));
    for (const sessionId of bad.keys()) parted.add(sessionId);
  }
  return { parted, breaches: broken(recovery).length };
}

const broken = (recovery: Recovery): Breach[] =>
  findBreaches(recovery).filter(({ kind, sessionId }) => sessionId !== undefined && !BESIDE.has(kind));

/** The first of its turns that does not hold together is the first that is told of. */
function cutOf(sessionId: string, breaches: readonly Breach[], whole: boolean): { sessionId: string; turnId?: string } {
  const [first] = breaches;
  const isKnown = !whole && breaches.every(({ turnId }) => turnId !== undefined);
  return isKnown && first?.turnId !== undefined ? { sessionId, turnId: first.turnId } : { sessionId };
}

async function backUpStore(file: string, { folder, dryRun, onPages }: CareAsked): Promise<BackupEnd> {
  const path = storeIn(folder);
  if (!existsSync(path)) return { type: "absent" };
  if (existsSync(file)) return { type: "taken" };
  refuseIfDamaged(path);
  if (dryRun) {
    const { sessions, messages, close } = openBackup(path);
    close();
    return { type: "made", sessions, messages, files: filesBeside(folder).length, bytes: 0 };
  }
  return { type: "made", ...(await backUp(path, file, besideOf(folder), onPages)) };
}

/** Folders beside a store that hold what its sessions point to. */
const FOLDERS = ["results", "checkpoints"] as const;

const isPart = (name: string): boolean => name.endsWith("-wal") || name.endsWith("-shm") || name.startsWith(".");

const filesBeside = (folder: string): string[] =>
  FOLDERS.flatMap((name) =>
    existsSync(join(folder, name))
      ? readdirSync(join(folder, name), { recursive: true, withFileTypes: true }).flatMap((entry) =>
          entry.isFile() && !isPart(entry.name) ? [join(entry.parentPath, entry.name)] : [],
        )
      : [],
  );

function* besideOf(folder: string): Generator<BesideFile> {
  for (const path of filesBeside(folder)) {
    const body = path.endsWith(".db") ? snapshotOf(path) : readIfThere(path);
    if (body !== undefined) yield { name: relative(folder, path), body };
  }
}

/** A result goes with its age, also while this goes on. */
function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

/** A database that others write to. */
function snapshotOf(path: string): Buffer {
  const into = `${path}.snapshot-${process.pid}`;
  rmSync(into, { force: true });
  const db = new DatabaseSync(path, { readOnly: true, timeout: PATIENCE_MS });
  try {
    db.prepare("vacuum into ?").run(into);
    return readFileSync(into);
  } finally {
    db.close();
    rmSync(into, { force: true });
  }
}

async function restoreStore(file: string, { folder, dryRun, onPages }: CareAsked): Promise<RestoreEnd> {
  const path = storeIn(folder);
  if (!existsSync(file)) return { type: "absent" };
  const found = openBackup(file);
  const draft = `${nextOf(path)}.part`;
  try {
    const pid = holderOf(path);
    if (pid !== undefined) return { type: "held", pid };
    const told = { type: "restored", sessions: found.sessions, messages: found.messages } as const;
    if (dryRun) return { ...told, files: [...found.beside()].length, replaced: undefined };
    withStoreErrors(path, () => mkdirSync(folder, { recursive: true, mode: 0o700 }));
    await unpack(file, draft, onPages);
    const files = withStoreErrors(path, () => putBeside(folder, found.beside()));
    // Somebody may have begun to work meanwhile; what is kept is what stands there in the end.
    const since = holderOf(path);
    if (since !== undefined) return { type: "held", pid: since };
    const replaced = existsSync(path) ? freeName(path, "replaced", Date.now()) : undefined;
    if (replaced !== undefined) keepCopy(path, replaced);
    replaceWith(draft, path);
    return { ...told, files, replaced };
  } finally {
    rmSync(draft, { force: true });
    found.close();
  }
}

const holderOf = (path: string): number | undefined => (existsSync(path) ? liveHolder(path) : undefined);

/** What stands there stays. */
function putBeside(folder: string, files: Iterable<BesideFile>): number {
  let count = 0;
  for (const { name, body } of files) {
    const path = join(folder, name);
    if (relative(folder, path).startsWith("..") || existsSync(path)) continue;
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(path, body, { mode: 0o600, flag: "wx" });
    chmodSync(path, 0o600);
    count++;
  }
  return count;
}

async function rebuild({ folder, dryRun, onPages }: CareAsked): Promise<RebuildEnd> {
  const path = storeIn(folder);
  if (!existsSync(path)) return { type: "absent" };
  return { type: "rebuilt", messages: await rebuildIndex(path, { dryRun, patienceMs: PATIENCE_MS, onPages }) };
}
