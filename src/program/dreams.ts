import type { Runtime, RuntimeOptions } from "../cli/adapters.ts";
import { namedModel } from "../config/model-asked.ts";
import type { DailyDream, DreamRun } from "../agent/daily-dream.ts";
import type { DreamAsked, DreamEnd } from "../protocol/dream.ts";
import type { Tool } from "../protocol/tool.ts";

type Options = Pick<RuntimeOptions, "folders" | "limitsFolder" | "model" | "settings" | "staysOpen" | "store">;

/** The dreams of the program over the notes of its profile; what they need is loaded when there is one. */
export function programDreams(
  { folders, limitsFolder, model: talking, settings, staysOpen, store }: Options,
  tools: readonly Tool[],
): {
  /** Where a conversation stays open, and what is said in it is kept. */
  readonly daily: { readonly dream?: DailyDream };
  readonly asked: (run: DreamRun["run"]) => Runtime["dream"];
} {
  const { when, model } = settings.dream;
  const dream = async (run: DreamRun, asked: DreamAsked): Promise<DreamEnd> =>
    folders === undefined
      ? { type: "nothing" }
      : (await import("./dreaming.ts")).dream({ folders, store, tools }, run, asked);
  const isDaily = staysOpen === true && limitsFolder !== undefined && when !== "asked" && settings.notes !== false;
  const own = model === undefined || settings.offline === true ? {} : { model: namedModel(model) };
  // The practice model speaks of files alone; another one may be named for dreams.
  const isAsked = talking.type === "found" || own.model !== undefined;
  return {
    daily: isDaily && isAsked && folders !== undefined ? { dream: { dream, ...own } } : {},
    asked: (run) => (asked) => dream({ run }, asked),
  };
}
