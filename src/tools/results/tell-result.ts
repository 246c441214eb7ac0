import { LONGEST_RESULT, PREVIEW_CHARS, type ResultFiles } from "../../protocol/result-file.ts";
import { reasonOf } from "../../protocol/reason-of.ts";
import { withinLimit } from "../../protocol/projection/receipts.ts";
import type { ResultJudgement, Tool, ToolContext, ToolResult } from "../../protocol/tool.ts";
import { digestOf } from "../fingerprint.ts";
import { judgeResult } from "../judge-result.ts";
import { resultImages, resultText } from "../result-text.ts";
import { type Fence, fences, isUntrusted } from "./fence.ts";
import { plain } from "./plain.ts";
import { keptText, lostText } from "./preview.ts";

/** Makes of what tools return what a model is told of it. */
export interface Teller {
  result(returned: unknown, of: Told): Promise<ToolResult>;
  /** Of what a call threw. */
  failure(error: unknown, of: Told): Promise<string>;
}

/** Of which call. */
export interface Told {
  readonly tool: Tool;
  readonly context: Pick<ToolContext, "sessionId" | "callId">;
  /** This program's own words, behind the result. */
  readonly note: string;
}

export interface TellerOptions {
  /** Takes what nobody may see out of a text. */
  readonly clean: (text: string) => string;
  readonly files?: ResultFiles | undefined;
}

/** Cleaned, judged and counted as the whole text it was; then shortened, and fenced where others wrote it. */
export function teller({ clean, files }: TellerOptions): Teller {
  const fenceOf = fences();
  const told = async (text: string, { tool, context, note }: Told): Promise<string> => {
    const fence = isUntrusted(tool) ? fenceOf(context.sessionId) : asItIs;
    return fence(await fitting(text, { tool, context, files }), tool.name) + note;
  };
  return {
    async result(returned, of) {
      const { tool } = of;
      const text = clean(plain(resultText(tool.name, returned)));
      const images = resultImages(returned);
      const { failed, substance } = judged(tool, text);
      const digest = digestOf([substance, ...images.map(({ url }) => url)].join("\n"));
      const shown = images.length > 0 && { images };
      return { text: await told(text, of), digest, ...(failed && { failed }), ...shown };
    },
    failure: (error, of) => told(clean(plain(reasonOf(error))), of),
  };
}

const asItIs: Fence = (text) => text;

interface Fitting extends Pick<Told, "tool" | "context"> {
  readonly files: ResultFiles | undefined;
}

/** Where there are no files, whoever reads the result could not open one: then its beginning and its end are told. */
async function fitting(text: string, { tool, context, files }: Fitting): Promise<string> {
  const limit = tool.resultLimit ?? files?.limit ?? LONGEST_RESULT;
  // No more of a receipt is ever sent.
  const isShort = limit === Infinity || text.length <= Math.min(limit, LONGEST_RESULT);
  return files === undefined || isShort ? withinLimit(text) : toldInFile(text, context, files);
}

async function toldInFile(text: string, context: Told["context"], files: ResultFiles): Promise<string> {
  const preview = files.preview ?? PREVIEW_CHARS;
  const path = await files.keep(text, context);
  return path === undefined ? lostText(text, preview) : keptText(text, path, preview);
}

/** The call was made: a judge that throws does not take its result away. */
function judged(tool: Tool, text: string): ResultJudgement {
  try {
    return tool.judge?.(text) ?? judgeResult(text);
  } catch {
    return judgeResult(text);
  }
}
