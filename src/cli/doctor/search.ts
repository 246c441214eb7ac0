import type { Config } from "../../config/config.ts";
import { searchOrder } from "../../config/search-setting.ts";
import { DOCTOR } from "../../words/doctor.ts";
import { type Finding, ok, warning } from "./finding.ts";

/** Who would look things up. Nobody is asked. */
export function checkSearch({ settings }: Config, env: NodeJS.ProcessEnv): Finding[] {
  if (settings.offline === true) return [];
  const { asked, missing, unknown } = searchOrder(settings.search, env);
  const help = "evander config get search.providers";
  if (unknown.length > 0) return [warning("search", DOCTOR.searchUnknown(unknown.join(", ")), help)];
  if (missing.length > 0) return [warning("search", DOCTOR.searchMissing(missing.join(", ")), help)];
  return [ok("search", DOCTOR.search(asked.map(({ name }) => name).join(", ")))];
}
