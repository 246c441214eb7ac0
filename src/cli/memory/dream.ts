import type { DreamAsked, DreamEnd, NoteDifference, PastDreams, UndoAsked } from "../../protocol/dream.ts";
import type { NoteBook } from "../../protocol/memory.ts";
import type { ProviderFound } from "../../protocol/provider.ts";
import { inBoth } from "../../protocol/sentence.ts";
import { namedModel } from "../../config/model-asked.ts";
import { printable } from "../../session/plain-text.ts";
import { providerRefusal, refusalResult } from "../../session/result.ts";
import {
  DREAM_WORDS,
  dreamFoot,
  FIND_MODEL,
  looksThrough,
  passedOver,
  UNDO_ANYWAY,
  UNDO_DREAM,
} from "../../words/dream.ts";
import { wordsIn } from "../../words/language.ts";
import { FILE_NAMES } from "../../words/memory.ts";
import { costWords } from "../../words/money.ts";
import { nextSteps } from "../../words/steps.ts";
import type { Asked, CommandContext } from "../context.ts";
import { say, sayJson } from "../io.ts";
import { stepLine } from "../next-steps.ts";
import type { Headless } from "../prompt/run.ts";
import { RefusalError, usageRefusal } from "../refusal.ts";
import { findModel, openRuntime, type Place, placeOf } from "../set-up.ts";
import { differenceLines, minuteOf, openNotes } from "./notes.ts";
import { here } from "./why.ts";

const busy = (): RefusalError =>
  new RefusalError({ reason: "session_busy", code: "dream_busy", message: DREAM_WORDS.busy });

/** `evander memory dream`: a model says what of the notes goes and comes, and that is done. */
export async function dreamNow(
  context: CommandContext,
  run: Headless,
  asked: Asked & Pick<DreamAsked, "dryRun">,
): Promise<void> {
  const { io, json, language, dryRun = false } = asked;
  const place = await placeOf(run, true);
  const model = await modelOf(run, place);
  const end = await context.withStore(async (store) => {
    const runtime = await openRuntime(run, place, { model, store, approvals: "never", attended: true });
    try {
      return await runtime.dream({
        dryRun,
        say: ({ notes, entries }) => {
          const name = `${model.provider}/${model.model}`;
          say(io.stderr, printable(looksThrough(notes, entries, name)[language]));
        },
      });
    } finally {
      await runtime.close();
    }
  });
  switch (end.type) {
    case "busy":
      throw busy();
    case "failed":
      return context.endWith(tellFailure(end, run.output, asked));
    case "nothing":
      return json ? sayJson(io, end) : say(io.stderr, DREAM_WORDS.nothing[language]);
    case "done":
      return tellDream(end, await openNotes(context), { ...asked, dryRun });
  }
}

type Done = Extract<DreamEnd, { type: "done" }>;

function tellDream({ type, differences, entries, ...end }: Done, book: NoteBook, asked: Telling): void {
  const { io, json, language, dryRun } = asked;
  const { cost, usage } = end.run;
  const isChanged = differences.length > 0 && !dryRun;
  const version = isChanged ? book.versions()[0]?.version : undefined;
  const next = nextSteps(isChanged ? [UNDO_DREAM] : [], undefined, language).map((step) => here(step, io.env));
  if (json) {
    const counts = { entries, passedOver: end.passedOver };
    return sayJson(io, { type, dryRun, differences, ...counts, version: version ?? null, cost, usage, next });
  }
  tellDifferences(differences, asked);
  if (differences.length === 0) say(io.stderr, DREAM_WORDS.unchanged[language]);
  if (end.passedOver > 0) say(io.stderr, passedOver(end.passedOver)[language]);
  say(io.stderr, dreamFoot(costWords(cost), usage.input + usage.output, version)[language]);
  for (const step of next) say(io.stderr, stepLine(step, io.env));
}

interface Telling extends Asked {
  readonly dryRun: boolean;
}

/** File by file, a line for each note that went or came, or would. */
function tellDifferences(differences: readonly NoteDifference[], { io, language, dryRun }: Telling): void {
  if (dryRun && differences.length > 0) say(io.stderr, DREAM_WORDS.would[language]);
  for (const line of linesOf(differences)) say(io.stdout, line);
}

const linesOf = (differences: readonly NoteDifference[]): string[] =>
  differences.flatMap(({ file, ...difference }) => [FILE_NAMES[file], ...differenceLines(difference)]);

/** The practice model speaks of files alone. */
async function modelOf(run: Headless, place: Place): Promise<ProviderFound> {
  const { dream, offline } = place.config.settings;
  const isOwn = dream.model !== undefined && offline !== true && run.flags.model === undefined;
  const found = await findModel(run, place, isOwn ? namedModel(dream.model) : {});
  if (found.type === "none") throw new RefusalError(providerRefusal(found));
  if (found.type === "practice")
    throw new RefusalError({ reason: "no_provider", message: DREAM_WORDS.practice, steps: [FIND_MODEL] });
  return found;
}

/** A run that failed is told as any other; of what a model has said the sentence tells what is wrong with it. */
function tellFailure({ reason, sentence, run }: Failed, output: Headless["output"], { language }: Asked): number {
  const message = wordsIn(inBoth(sentence), language);
  const { error, exit } = run.ok ? refusalResult({ reason, message }, language) : run;
  const next = exit.next.length > 0 ? exit.next : nextSteps([FIND_MODEL], undefined, language);
  const result = {
    ...run,
    ok: false,
    failed: true,
    answer: null,
    shown: null,
    exit: { ...exit, next },
    error: error && { ...error, message, next },
  };
  output.result(result);
  return exit.code;
}

type Failed = Extract<DreamEnd, { type: "failed" }>;

/** `evander memory dream --undo` */
export async function undoDream(past: PastDreams, { io, json, language, ...how }: Asked & UndoAsked): Promise<void> {
  const end = await past.undo(how);
  switch (end.type) {
    case "busy":
      throw busy();
    case "changed":
      throw usageRefusal(DREAM_WORDS.changed, { code: "notes_changed", steps: [UNDO_ANYWAY] });
    case "refused":
      throw new RefusalError({ reason: "store_unavailable", message: inBoth(end.sentence) });
    case "none":
    case "undone": {
      if (json) return sayJson(io, end);
      if (end.type === "none") return say(io.stderr, DREAM_WORDS.none[language]);
      tellDifferences(end.differences, { io, json, language, dryRun: how.dryRun === true });
    }
  }
}

/** `evander memory dream --log` */
export function listDreams(past: PastDreams, { io, json, language }: Asked): void {
  const dreams = past.list();
  if (json) return sayJson(io, dreams);
  if (dreams.length === 0) return say(io.stderr, DREAM_WORDS.noPast[language]);
  for (const { atMs, differences } of dreams) {
    say(io.stdout, minuteOf(atMs));
    for (const line of linesOf(differences)) say(io.stdout, `  ${line}`);
  }
}
