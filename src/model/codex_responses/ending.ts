import type { Finish } from "../../protocol/fact.ts";
import type { JsonObject } from "../../protocol/json.ts";
import { objectOf } from "../reading.ts";
import type { OutputItem } from "./output-item.ts";

/** Whether a response says that nothing will come of it (hermes.md §7.1). */
export const hasFailed = ({ status }: JsonObject): boolean => status === "failed" || status === "cancelled";

/** A response that is still being made, as one that runs in the background, has not ended. */
export const hasEnded = ({ status }: JsonObject): boolean => status !== "in_progress" && status !== "queued";

/** An incomplete response was cut by a limit, unless it says by what else (row C4, hermes.md §7.2). */
export function finishOf({ status, incomplete_details: details }: JsonObject, items: readonly OutputItem[]): Finish {
  if (status !== "incomplete") return isOnTheWay(items) ? "length" : "stop";
  return objectOf(details)["reason"] === "content_filter" ? "content_filter" : "length";
}

/** All that was said was said on the way to an answer, which did not come: it goes on as a cut one does (hermes.md §22). */
function isOnTheWay(items: readonly OutputItem[]): boolean {
  const messages = items.filter(({ type }) => type === "message");
  const calls = items.some(({ type }) => type === "function_call");
  return !calls && messages.length > 0 && messages.every(({ phase }) => phase === "commentary");
}
