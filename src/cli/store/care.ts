import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { StoreError } from "../../protocol/store.ts";
import type { OnPages, RecoverEnd, RestoreEnd } from "../../protocol/store-care.ts";
import {
  backedUp,
  badBackup,
  CARE_WORDS,
  fileTaken,
  held,
  noBackup,
  noFolder,
  notSound,
  noYes,
  originalKept,
  rebuilt,
  recoveredAll,
  recoveredLine,
  replacedKept,
  restored,
} from "../../words/store-care.ts";
import type { Text } from "../../words/language.ts";
import type { Asked, CommandContext } from "../context.ts";
import { type Io, say, sayJson } from "../io.ts";
import { RefusalError, usageRefusal } from "../refusal.ts";
import type { CareForm } from "./commands.ts";

type Care = Asked & Pick<CareForm, "dryRun" | "yes">;

/** Nobody is told of what takes less, ms. */
const QUIET_MS = 1_000;

/** A line that is written over while work on the pages of a store goes on. */
function pageCounter({ io, language }: Asked, doing: Text): { readonly onPages: OnPages; readonly done: () => void } {
  const begun = performance.now();
  let told = -1;
  const isTerminal = io.stderr.isTTY === true;
  return {
    onPages: (done, all) => {
      const percent = all === 0 ? 100 : Math.floor((100 * done) / all);
      const step = isTerminal ? 1 : 10;
      if (performance.now() - begun < QUIET_MS || percent < told + step) return;
      told = percent;
      io.stderr.write(isTerminal ? `\r${doing[language]} ${percent} %` : `${doing[language]} ${percent} %\n`);
    },
    done: () => {
      if (told >= 0 && isTerminal) io.stderr.write("\r\u001B[K");
    },
  };
}

async function counted<T>(care: Care, doing: Text, work: (onPages: OnPages) => Promise<T>): Promise<T> {
  const counter = pageCounter(care, doing);
  try {
    return await work(counter.onPages);
  } finally {
    counter.done();
  }
}

const tell = ({ io, language }: Asked, text: Text, stream: "stdout" | "stderr" = "stdout"): void =>
  say(io[stream], text[language]);

/** `evander store backup FILE`. */
export async function backUp(context: CommandContext, name: string, care: Care): Promise<void> {
  const file = resolve(care.io.cwd, name);
  if (!existsSync(dirname(file))) throw usageRefusal(noFolder(dirname(file)));
  const dryRun = care.dryRun === true;
  const end = await counted(care, CARE_WORDS.copying, (onPages) =>
    context.care.backup(file, { folder: context.storeFolder(), dryRun, onPages }),
  );
  if (end.type === "absent") throw usageRefusal(CARE_WORDS.absent);
  if (end.type === "taken") throw usageRefusal(fileTaken(name));
  const { type: _, ...told } = end;
  if (care.json) return sayJson(care.io, { file, made: !dryRun, ...told });
  tell(care, backedUp(file, end, dryRun));
}

/** `evander store restore FILE`. */
export async function restore(context: CommandContext, name: string, care: Care): Promise<void> {
  const file = resolve(care.io.cwd, name);
  const folder = context.storeFolder();
  const asked = (dryRun: boolean) =>
    counted(care, CARE_WORDS.copying, (onPages) => context.care.restore(file, { folder, dryRun, onPages })).catch(
      (error: unknown) => {
        // Of the store that is replaced nothing is read.
        const isBad = error instanceof StoreError && error.fault === "corrupt";
        throw isBad ? new RefusalError({ reason: "store_unavailable", message: badBackup(name) }) : error;
      },
    );
  const looked = fitting(await asked(true), name);
  const dryRun = care.dryRun === true;
  if (!care.json && care.yes !== true) tell(care, restored(looked, true));
  const goes = !dryRun && (await agreed(care, CARE_WORDS.askRestore, "restore"));
  const end = goes ? fitting(await asked(false), name) : looked;
  const { type: _, replaced, ...told } = end;
  if (care.json) return sayJson(care.io, { file, restored: goes, ...told, replaced: replaced ?? null });
  if (!goes) return tell(care, CARE_WORDS.nothing, "stderr");
  tell(care, restored(end, false));
  if (replaced !== undefined) tell(care, replacedKept(replaced), "stderr");
}

function fitting(end: RestoreEnd, name: string): Extract<RestoreEnd, { type: "restored" }> {
  if (end.type === "absent") throw usageRefusal(noBackup(name));
  if (end.type === "held") throw inUse(end.pid);
  return end;
}

/** `evander store recover`. */
export async function recover(context: CommandContext, care: Care): Promise<void> {
  const folder = context.storeFolder();
  const asked = (dryRun: boolean): Promise<RecoverEnd> =>
    counted(care, CARE_WORDS.reading, (onPages) => context.care.recover({ folder, dryRun, onPages }));
  const dryRun = care.dryRun === true;
  const looked = await lookedOrFinished(asked, dryRun);
  if (looked.type !== "recovered") return tellOther(looked, care);
  if (!care.json) tellRecovered(looked, care);
  const goes = !dryRun && (await agreed(care, CARE_WORDS.askRecover, "recover"));
  const end = goes ? await asked(false) : looked;
  if (end.type !== "recovered") return tellOther(end, care);
  const { sessions, lostRows, lostPages, breaches, original } = end;
  if (care.json)
    return sayJson(care.io, {
      state: goes ? "recovered" : "damaged",
      sessions,
      lostRows,
      lostPages,
      breaches,
      original: original ?? null,
    });
  if (original === undefined) return tell(care, CARE_WORDS.nothing, "stderr");
  tell(care, originalKept(original), "stderr");
  if (breaches > 0) tell(care, notSound(breaches), "stderr");
}

/** To what was begun before somebody had agreed. */
async function lookedOrFinished(asked: (dryRun: boolean) => Promise<RecoverEnd>, dryRun: boolean): Promise<RecoverEnd> {
  const looked = await asked(true);
  return looked.type === "unfinished" && !dryRun ? asked(false) : looked;
}

function tellRecovered(
  { sessions, lostRows, lostPages }: Extract<RecoverEnd, { type: "recovered" }>,
  care: Care,
): void {
  for (const session of sessions) tell(care, recoveredLine(session));
  tell(care, recoveredAll(sessions.length, lostRows, lostPages), "stderr");
}

function tellOther(end: Exclude<RecoverEnd, { type: "recovered" }>, care: Care): void {
  if (end.type === "held") throw inUse(end.pid);
  if (end.type === "foreign") throw new RefusalError({ reason: "store_unavailable", message: CARE_WORDS.foreign });
  if (care.json) return sayJson(care.io, { state: end.type });
  tell(care, CARE_WORDS[end.type], "stderr");
}

/** `evander store rebuild`. */
export async function rebuild(context: CommandContext, care: Care): Promise<void> {
  const dryRun = care.dryRun === true;
  const end = await counted(care, CARE_WORDS.indexing, (onPages) =>
    context.care.rebuild({ folder: context.storeFolder(), dryRun, onPages }),
  );
  if (care.json)
    return sayJson(care.io, end.type === "absent" ? { rebuilt: false } : { rebuilt: !dryRun, messages: end.messages });
  tell(care, end.type === "absent" ? CARE_WORDS.absent : rebuilt(end.messages, dryRun), "stderr");
}

const inUse = (pid: number): RefusalError => new RefusalError({ reason: "session_busy", message: held(pid) });

async function agreed({ io, yes, language }: Care, question: Text, what: string): Promise<boolean> {
  if (yes === true) return true;
  if (!canAsk(io)) throw usageRefusal(noYes(what));
  return (await import("../confirm.ts")).confirm(io, question[language]);
}

const canAsk = ({ stdin }: Pick<Io, "stdin">): boolean => stdin.isTTY === true;
