import type { Around } from "../agent/options.ts";
import { rulesLater } from "../agent/rules-later.ts";
import type { RuntimeOptions } from "../cli/adapters.ts";

/** Whoever keeps nothing of a session learns nothing from it. */
export function rulesOf({
  folders,
  limitsFolder,
  cwd,
}: Pick<RuntimeOptions, "folders" | "limitsFolder" | "cwd">): Pick<Around, "rules"> {
  if (folders === undefined || limitsFolder === undefined) return {};
  return { rules: rulesLater(async () => (await import("../agent/rules.ts")).rulesIn(folders, cwd)) };
}
