import type { ChangePoint, Checkpoints, FileChange } from "../../protocol/checkpoint.ts";
import type { InBoth } from "../../protocol/sentence.ts";
import { absolute, closeLost, lookAndKeep, type Looker, NOTHING, settle, settleRoot } from "./keep.ts";
import { LIMITS, type Limits } from "./look.ts";
import { tidy } from "./ring.ts";
import { type OwnPlaces, realFolder, rootOf } from "./roots.ts";
import { Shelf, type Step, type StepKey } from "./shelf.ts";
import {
  type Difference,
  differences,
  isBelow,
  joinRaw,
  ledgerHash,
  type RawPath,
  rawOf,
  type Seen,
  shownPath,
  type Tree,
} from "./state.ts";
import { failedSnapshot, leftOut, refusedRoot, together } from "./troubles.ts";

export interface CheckpointOptions extends OwnPlaces {
  /** Where they are kept; made when something is. */
  readonly folder: string;
  readonly limits?: Limits;
}

export interface OwnCheckpoints extends Checkpoints {
  readonly close: () => void;
}

/** What a call that runs now may change. */
interface OpenCall extends StepKey {
  readonly paths: RawPath[];
  readonly roots: RawPath[];
}

const NOTHING_YET: { readonly paths: RawPath[]; readonly roots: RawPath[] } = { paths: [], roots: [] };

/** Snapshots of what tools change, one at a time. Nothing is opened before the first call that changes something. */
export function createCheckpoints({ folder, limits = LIMITS, ...places }: CheckpointOptions): OwnCheckpoints {
  let shelf: Shelf | undefined;
  let last: Promise<unknown> = Promise.resolve();
  const calls = new Map<string, OpenCall>();
  const opened = (): Shelf => (shelf ??= new Shelf(folder));
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  };
  const [home = "", ...own] = [places.home, ...places.own, folder].map(realFolder);
  const looker: Looker = { opened, limits, own: own.map(rawOf) };
  return {
    before: (paths, at) =>
      inTurn(async () => {
        const told: (InBoth | undefined)[] = [];
        const foreign: string[] = [];
        const { paths: before, roots: all } = structuredClone(calls.get(keyOf(at)) ?? NOTHING_YET);
        const roots = new Set<RawPath>();
        for (const path of paths) {
          const root = rootOf(path, { home, own });
          if (root.type === "refused") told.push(refusedRoot(path, root));
          else if (!all.some((above) => isBelow(above, root.path))) roots.add(root.path);
        }
        for (const root of roots)
          try {
            await settleAround(root, looker, [...calls.values()]);
            const taken = await snapshot(root, at, looker);
            told.push(taken.unkept);
            foreign.push(...taken.foreign);
            all.push(root);
          } catch (error) {
            told.push(failedSnapshot(root, error));
          }
        calls.set(keyOf(at), { ...at, paths: [...before, ...paths.map(rawOf)], roots: all });
        const unkept = together(told);
        return { foreign, ...(unkept !== undefined && { unkept }) };
      }),
    after: (_paths, at) =>
      inTurn(async () => {
        const call = calls.get(keyOf(at));
        calls.delete(keyOf(at));
        const changes: FileChange[] = [];
        for (const root of call?.roots ?? [])
          try {
            const shared = [...calls.values()].some((other) => other.roots.includes(root) && isOneStep(other, at));
            changes.push(...(await changesSince(root, { at, paths: call?.paths ?? [], shared, ...looker })));
          } catch {
            // The step stays open: what differs there counts as this call's when it is looked at again.
          }
        return changes;
      }),
    // Steps that stay open are looked at again when they are asked for.
    settle: (turnId) => inTurn(() => settle(turnId, looker)).catch(() => undefined),
    close: () => {
      shelf?.close();
      shelf = undefined;
    },
  };
}

const keyOf = ({ turnId, callId }: ChangePoint): string => `${turnId} ${callId}`;

const isOneStep = (one: StepKey, other: StepKey): boolean =>
  one.turnId === other.turnId && one.iteration === other.iteration && one.sessionId === other.sessionId;

/** What a call that died has left above or below is told from what this one will do. */
async function settleAround(root: RawPath, looker: Looker, living: readonly OpenCall[]): Promise<void> {
  for (const other of looker.opened().openRoots()) {
    const overlaps = other !== root && (isBelow(other, root) || isBelow(root, other));
    if (overlaps && !living.some(({ roots }) => roots.includes(other))) await settleRoot(other, looker);
  }
}

interface Taken {
  readonly unkept: InBoth | undefined;
  readonly foreign: readonly string[];
}

async function snapshot(root: RawPath, at: ChangePoint, looker: Looker): Promise<Taken> {
  const shelf = looker.opened();
  const made = shelf.step(at, root);
  if (made !== undefined) {
    shelf.transact(() => shelf.reopen(made.id));
    return { unkept: undefined, foreign: [] };
  }
  const known = shelf.tree(root) ?? NOTHING;
  const seen = await lookAndKeep(root, known, looker);
  const nowMs = Date.now();
  const steps = shelf.steps(at.turnId);
  const foreign = foreignIn(shelf, root, { steps, known, tree: seen.tree });
  shelf.transact(() => {
    closeLost(shelf, root, { known, tree: seen.tree });
    shelf.putTree(root, seen.tree, nowMs);
    shelf.addStep(at, root, nowMs);
  });
  if (steps.length === 0) tidy(shelf, { keep: at.turnId, nowMs });
  return { unkept: leftOut(root, seen), foreign };
}

interface Looks {
  /** Of the turn. */
  readonly steps: readonly Step[];
  readonly known: Tree;
  readonly tree: Tree;
}

/** What has changed since the turn looked here last, and no step of it has done. */
function foreignIn(shelf: Shelf, root: RawPath, { steps, known, tree }: Looks): string[] {
  if (!steps.some((step) => step.root === root) || steps.some(({ open }) => open)) return [];
  const found = differences(known, tree).map((each) => absolute(root, each));
  if (found.length === 0) return [];
  const own = new Set(steps.flatMap(({ id }) => shelf.changes(id).map(({ path, after }) => `${after} ${path}`)));
  return found
    .filter((each) => fileChange(each).length > 0 && !own.has(`${each.after} ${each.path}`))
    .map(({ path }) => shownPath(path));
}

interface Since extends Looker {
  readonly at: ChangePoint;
  readonly paths: readonly RawPath[];
  /** Another call that still runs may change the same. */
  readonly shared: boolean;
}

async function changesSince(root: RawPath, { at, paths, shared, ...looker }: Since): Promise<FileChange[]> {
  const shelf = looker.opened();
  const step = shelf.step(at, root);
  if (step === undefined) return [];
  const known = shelf.tree(root) ?? NOTHING;
  const { tree } = await lookAndKeep(root, known, looker);
  const found = differences(known, tree).filter(({ path }) => {
    const whole = joinRaw(root, path);
    return paths.some((own) => isBelow(own, whole) || isBelow(whole, own));
  });
  shelf.transact(() => record(shelf, { step, root, tree: merged(known, tree, found), found, shared }));
  return found.flatMap((change) => fileChange(absolute(root, change)));
}

interface Found {
  readonly step: Step;
  readonly root: RawPath;
  readonly tree: Tree;
  readonly found: readonly Difference[];
  readonly shared: boolean;
}

function record(shelf: Shelf, { step, root, tree, found, shared }: Found): void {
  const changes = found.map((each) => ({ ...absolute(root, each), lost: false }));
  shelf.addChanges(step.id, changes, shared ? "open" : "closed");
  shelf.putTree(root, tree, Date.now());
}

/** What another call is changing is still its own to tell. */
function merged(known: Tree, now: Tree, found: readonly Difference[]): Tree {
  const mine = new Set(found.map(({ path }) => path));
  const tree = new Map<RawPath, Seen>();
  for (const [path, seen] of known) if (!mine.has(path)) tree.set(path, same(seen, now.get(path)));
  for (const path of mine) {
    const seen = now.get(path);
    if (seen !== undefined) tree.set(path, seen);
  }
  return tree;
}

/** The newer look knows better whether it has to be read again. */
const same = (seen: Seen, now: Seen | undefined): Seen => (now?.state === seen.state ? now : seen);

function fileChange({ path, before, after }: Difference): FileChange[] {
  const [old, now] = [ledgerHash(before), ledgerHash(after)];
  return old === null && now === null ? [] : [{ path: shownPath(path), before: old, after: now }];
}
