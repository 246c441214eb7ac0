import { reasonOf } from "./reason-of.ts";
import type { Tool } from "./tool.ts";

/** Why a tool cannot be used here; undefined: it can. One that cannot tell is not offered either. */
export function unavailable(tool: Pick<Tool, "available">): string | undefined {
  try {
    return tool.available?.();
  } catch (error) {
    return reasonOf(error);
  }
}

export const isAvailable = (tool: Pick<Tool, "available">): boolean => unavailable(tool) === undefined;
