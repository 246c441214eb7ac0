import type { Runtime, RuntimeOptions } from "../cli/adapters.ts";
import { namedModel } from "../config/model-asked.ts";
import type { DailyDream, DreamRun } from "../agent/daily-dream.ts";
import type { DreamAsked, DreamEnd } from "../protocol/dream.ts";
import type { Tool } from "../protocol/tool.ts";

type Options = Pick<RuntimeOptions, "folders" | "limitsFolder" | "settings" | "staysOpen" | "store">;

/** The dreams of the program over the notes of its profile; what they need is loaded when there is one. */
export function programDreams(
  { folders, limitsFolder, settings, staysOpen, store }: Options,
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
  return {
    daily: isDaily && folders !== undefined ? { dream: { dream, ...own } } : {},
    asked: (run) => (asked) => dream({ run }, asked),
  };
}
