import { isObject } from "../protocol/json.ts";
import type { ResultJudgement } from "../protocol/tool.ts";

/**
 * Whether a result that came back tells of a failure. Only a JSON object that says so by itself does: text that
 * mentions an error (a log, a source file) is a result like any other. An exit code decides alone.
 */
export const judgeResult = (result: string): ResultJudgement => ({ failed: tellsFailure(result), substance: result });

/** What names a failure stands near the beginning; a large document is data. */
const MAX_CHARS = 65_536;

function tellsFailure(result: string): boolean {
  if (result.length > MAX_CHARS || !/^\s*\{/u.test(result)) return false;
  const value = parsed(result);
  if (!isObject(value)) return false;
  const { exit_code: exitCode, success, status, error } = value;
  if (typeof exitCode === "number") return exitCode !== 0;
  if (success === false || status === "failed" || status === "error") return true;
  return isObject(error) || (typeof error === "string" && error !== "");
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
