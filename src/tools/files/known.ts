import { knownVersion } from "../../protocol/known-files.ts";
import type { ToolContext } from "../../protocol/tool.ts";
import { PathError } from "../paths.ts";
import type { ExistingFile } from "./existing-file.ts";
import type { Target } from "./target.ts";

/**
 * Whether the model has seen the file as it is. Throws where it has seen another one: whoever changed it since, another
 * session, a command or a person, what it would write is made for what is not there any more (security.md §3.4).
 */
export function isKnown(target: Target, before: ExistingFile, { history, callId }: ToolContext): boolean {
  const known = knownVersion(history, callId, target.real);
  if (known === undefined) return false;
  if (known === before.version) return true;
  throw new PathError(`${target.shown} changed since you read it, so nothing was written: read it again first.`);
}
