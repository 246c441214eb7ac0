import type { Failure, FailureReason } from "../../protocol/failure.ts";
import { refusedPictures } from "./refused-pictures.ts";
import { refusedParameter } from "./refused-parameter.ts";
import { refusedTool } from "./refused-tool.ts";
import { REFUSED_FORM } from "./rules.ts";
import type { Verdict } from "./verdict.ts";

type Refused =
  | "refusesStreaming"
  | "refusesToolChoice"
  | "refusesPictures"
  | "refusesThesePictures"
  | "refusesHistory"
  | "refusesParameter"
  | "refusesTool";

/** What the request asked and this server cannot do: without it, it may well answer. `text`: codes and sentences, in lower case. */
export function refusedOf(text: string, { rule, reason }: Verdict): Pick<Failure, Refused> {
  const parameter = NAMES_PARAMETER.has(reason) ? refusedParameter(text) : undefined;
  const tool = reason === "format_error" ? refusedTool(text) : undefined;
  return {
    ...(rule === REFUSED_FORM && { refusesHistory: true as const }),
    ...(refusesStreaming(text) && { refusesStreaming: true as const }),
    ...(refusesToolChoice(text) && { refusesToolChoice: true as const }),
    ...(parameter !== undefined && { refusesParameter: parameter }),
    ...(tool !== undefined && { refusesTool: tool }),
    ...refusedPictures(text),
  };
}

/** What is said to be wrong with a request in which a server does not know something. */
const NAMES_PARAMETER: ReadonlySet<FailureReason> = new Set(["format_error", "unknown", "server_error"]);

/** A server that does not know the parameter that forbids calls. */
const refusesToolChoice = (text: string): boolean =>
  /\btool_?choice\b/.test(text) &&
  /not (?:currently )?(?:supported|permitted|allowed)|unsupported|not support\b|un(?:known|expected|recogni[sz]ed)|extra|invalid/.test(
    text,
  );

/** A server that says it cannot stream (hermes.md §6.3). */
const refusesStreaming = (text: string): boolean =>
  /\bstream(?:ing|ed)?\b/.test(text) &&
  /not (?:currently )?supported|unsupported|not support\b|cannot stream|must be verified to stream/.test(text);
