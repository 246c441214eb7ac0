import type { DreamEnd, NoteDifference, PastDreams } from "../../protocol/dream.ts";
import type { ProviderFound, Sentence } from "../../protocol/provider.ts";
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
import { type Text, wordsIn } from "../../words/language.ts";
import { FILE_NAMES } from "../../words/memory.ts";
import { costWords } from "../../words/money.ts";
import { nextSteps } from "../../words/steps.ts";
import type { Asked, CommandContext } from "../context.ts";
import { type Io, say, sayJson } from "../io.ts";
import { stepLine } from "../next-steps.ts";
import type { Headless } from "../prompt/run.ts";
import { RefusalError, usageRefusal } from "../refusal.ts";
import { findModel, openRuntime, type Place, placeOf } from "../set-up.ts";
import { differenceLines, minuteOf, openNotes } from "./notes.ts";
import { here } from "./why.ts";

const busy = (): RefusalError =>
  new RefusalError({ reason: "session_busy", code: "dream_busy", message: DREAM_WORDS.busy });

/** `evander memory dream`: a model says what of the notes goes and comes, and that is done. */
export async function dreamNow(context: CommandContext, run: Headless, asked: Asked): Promise<void> {
  const { io, json, language } = asked;
  const place = await placeOf(run, true);
  const model = await modelOf(run, place);
  const end = await context.withStore(async (store) => {
    const runtime = await openRuntime(run, place, { model, store, approvals: "never", attended: true });
    try {
      return await runtime.dream({
        say: ({ notes, entries }) => {
          const name = `${model.provider}/${model.model}`;
          say(io.stderr, printable(looksThrough(notes, entries, name)[language]));
        },
      });
    } finally {
      await runtime.close();
    }
  });
  if (end.type === "busy") throw busy();
  if (end.type === "failed") return context.endWith(tellFailure(end, run.output, asked));
  if (end.type === "nothing") return json ? sayJson(io, end) : say(io.stderr, DREAM_WORDS.nothing[language]);
  const version = await versionOf(context, end);
  const steps = end.differences.length === 0 ? [] : [UNDO_DREAM];
  const next = nextSteps(steps, undefined, language).map((step) => here(step, io.env));
  const { type, differences, entries, run: ran } = end;
  const { cost, usage } = ran;
  if (json) return sayJson(io, { type, differences, entries, passedOver: end.passedOver, version, cost, usage, next });
  tell(differences, io);
  if (differences.length === 0) say(io.stderr, DREAM_WORDS.unchanged[language]);
  if (end.passedOver > 0) say(io.stderr, passedOver(end.passedOver)[language]);
  say(io.stderr, dreamFoot(costWords(cost), usage.input + usage.output, version ?? undefined)[language]);
  for (const step of next) say(io.stderr, stepLine(step, io.env));
}

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
  const result = {
    ...run,
    ok: false,
    failed: true,
    answer: null,
    shown: null,
    exit,
    error: error && { ...error, message },
  };
  output.result(result);
  return exit.code;
}

type Failed = Extract<DreamEnd, { type: "failed" }>;

const inBoth = (sentence: Sentence): Text => (typeof sentence === "string" ? { en: sentence, zh: sentence } : sentence);

/** Which version of the notes it has become; null: nothing has changed. */
async function versionOf(
  context: CommandContext,
  { differences }: Extract<DreamEnd, { type: "done" }>,
): Promise<number | null> {
  return differences.length === 0 ? null : ((await openNotes(context)).versions()[0]?.version ?? null);
}

/** File by file, a line for each note that went or came. */
function tell(differences: readonly NoteDifference[], io: Io, indent = ""): void {
  for (const { file, ...difference } of differences) {
    say(io.stdout, indent + FILE_NAMES[file]);
    for (const line of differenceLines(difference)) say(io.stdout, indent + line);
  }
}

/** `evander memory dream --undo` */
export async function undoDream(past: PastDreams, anyway: boolean, { io, json, language }: Asked): Promise<void> {
  const end = await past.undo(anyway);
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
      tell(end.differences, io);
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
    tell(differences, io, "  ");
  }
}
