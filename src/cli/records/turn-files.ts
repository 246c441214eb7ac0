import type { Store } from "../../protocol/store.ts";
import { OWN_CALL, type TurnFiles, type UndoneFiles } from "../../protocol/turn-files.ts";
import { wordsIn } from "../../words/language.ts";
import { askUndo, filesChanged, leftAlone, shownChange, TURN_FILES, undone } from "../../words/turn-files.ts";
import type { Asked } from "../context.ts";
import { say, sayJson } from "../io.ts";
import { runnable } from "../next-steps.ts";
import { usageRefusal } from "../refusal.ts";
import type { ChangeFlags } from "./change.ts";
import { compare, type Compared, pathHere, quoted, statLine } from "./turn-diff.ts";
import { existingTurn } from "./turns.ts";

interface Of {
  readonly store: Store;
  /** Undefined: nothing is kept of any turn. */
  readonly files: TurnFiles | undefined;
  /** The id of a turn, of an undo, of a call that a person has run, or last. */
  readonly turn: string;
}

/** These are known to the snapshots alone. */
const idOf = ({ store, turn }: Of): string =>
  ["undo-", OWN_CALL].some((start) => turn.startsWith(start)) ? turn : existingTurn(store, turn).turnId;

/** `evander turn diff`. */
export async function diffTurn(of: Of, asked: Asked & { readonly stat?: boolean }): Promise<void> {
  const { io, json, language } = asked;
  const turnId = idOf(of);
  const { files } = of;
  const changes = await files?.changes(turnId);
  const reader = { cwd: io.cwd, language };
  const compared = files && changes?.map((each) => compare(each, files, reader));
  if (json) return sayJson(io, { turnId, kept: compared !== undefined, files: compared?.map(asRecord) ?? [] });
  if (compared === undefined) return say(io.stderr, TURN_FILES.nothingKept[language]);
  if (compared.length === 0) return say(io.stderr, TURN_FILES.nothingChanged[language]);
  tellDiff(compared, asked);
}

const asRecord = ({ path, change, added, removed, changed: { before, after, lost } }: Compared): object => ({
  path,
  change,
  added,
  removed,
  before,
  after,
  lost,
});

function tellDiff(compared: readonly Compared[], asked: Asked & { readonly stat?: boolean }): void {
  const { io, language, stat } = asked;
  const reader = { cwd: io.cwd, language };
  if (compared.some(({ changed }) => changed.lost)) say(io.stderr, TURN_FILES.lost[language]);
  for (const each of compared)
    for (const line of stat === true ? [statLine(each, reader)] : each.diff) say(io.stdout, line);
  if (stat === true) say(io.stderr, filesChanged(compared.length)[language]);
}

interface UndoFlags extends ChangeFlags {
  readonly force?: boolean;
}

/** `evander turn undo`: what would be done is said first, and done when somebody agrees. */
export async function undoTurn(of: Of, asked: Asked & UndoFlags): Promise<void> {
  const { dryRun, force = false } = asked;
  const turnId = idOf(of);
  if (of.store.openTurns().some((open) => open.turnId === turnId && open.owner?.alive === true))
    throw usageRefusal(TURN_FILES.running);
  const would = await planOf(of.files, turnId, force);
  if (would.type !== "undone" || dryRun === true) return tell(would, asked);
  if (!(await isWanted(would, asked))) return say(asked.io.stderr, TURN_FILES.aborted[asked.language]);
  tellDone((await of.files?.undo(turnId, { force })) ?? would, asked);
}

async function isWanted(would: Undone, asked: Asked & UndoFlags): Promise<boolean> {
  const { io, yes, language } = asked;
  if (yes === true) return true;
  if (io.stdin.isTTY !== true) throw usageRefusal(TURN_FILES.nobodyToAsk);
  tellPaths(would, asked);
  return (await import("../confirm.ts")).confirm(io, askUndo(would.paths.length)[language]);
}

/** Whoever was asked has seen what it is. */
function tellDone(done: UndoneFiles, asked: Asked & UndoFlags): void {
  const { io, json, language, yes } = asked;
  if (json || done.type !== "undone" || yes === true) tell(done, asked);
  if (json || done.type !== "undone") return;
  say(io.stderr, undone(done.paths.length, runnable(`evander turn undo ${done.undoId}`, io.env))[language]);
}

type Undone = Extract<UndoneFiles, { type: "undone" }>;

const planOf = async (files: TurnFiles | undefined, turnId: string, force: boolean): Promise<UndoneFiles> =>
  (await files?.undo(turnId, { force, dryRun: true })) ?? { type: "unknown" };

function tell(end: UndoneFiles, asked: Asked & UndoFlags): void {
  const { io, json, language, dryRun } = asked;
  if (json) return sayJson(io, dryRun === true && end.type === "undone" ? { ...end, undoId: null } : end);
  switch (end.type) {
    case "unknown":
      return say(io.stderr, TURN_FILES.nothingKept[language]);
    case "nothing":
      return say(io.stderr, TURN_FILES.nothingToUndo[language]);
    case "refused":
      for (const { path, why } of end.left) say(io.stderr, wordsIn(leftAlone(path, why), language));
      throw usageRefusal(TURN_FILES.tryForce, { code: "files_changed" });
    case "undone":
      return tellPaths(end, asked);
  }
}

function tellPaths({ paths, left }: Undone, { io, language }: Asked): void {
  for (const { path, before, after } of paths) {
    const change = before === null ? "created" : after === null ? "deleted" : "changed";
    say(io.stdout, `${shownChange(change)[language]}  ${quoted(pathHere(path, io.cwd))}`);
  }
  for (const { path, why } of left) say(io.stderr, leftAlone(quoted(pathHere(path, io.cwd)), why)[language]);
}
