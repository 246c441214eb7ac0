import { LONGEST_BATCH, LONGEST_RESULT, PREVIEW_CHARS, type ResultFiles } from "../../protocol/result-file.ts";
import { reasonOf } from "../../protocol/reason-of.ts";
import { withinLimit } from "../../protocol/projection/receipts.ts";
import type { ResultJudgement, Tool, ToolContext, ToolResult } from "../../protocol/tool.ts";
import { digestOf } from "../fingerprint.ts";
import { judgeResult } from "../judge-result.ts";
import { resultImages, resultText } from "../result-text.ts";
import { fences } from "./fence.ts";
import { plain, withoutSequences } from "./plain.ts";
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
  /** Others' words may stand in it: it is told as data. */
  readonly fenced: boolean;
  /** It is what the call threw. */
  readonly failed?: boolean;
}

export interface TellerOptions {
  /** Takes what nobody may see out of a text. */
  readonly clean: (text: string) => string;
  readonly files?: ResultFiles | undefined;
}

/** Cleaned, judged and counted as the whole text it was; then shortened, and fenced where others wrote it. */
export function teller({ clean, files }: TellerOptions): Teller {
  const fenceOf = fences();
  // What is taken out may have stood in the middle of a secret.
  const readable = (given: string): string => plain(clean(withoutSequences(given)));
  const framed = (text: string, { tool, context, note, fenced, failed = false }: Told): string =>
    (fenced ? fenceOf(context.sessionId)(text, tool.name, { evenShort: failed }) : text) + note;
  const told = async (text: string, of: Told): Promise<string> => framed(await fitting(text, of, files), of);
  const movable = (text: string, of: Told): Pick<ToolResult, "movable"> => {
    const { preview = PREVIEW_CHARS, batch = LONGEST_BATCH } = files ?? {};
    const kept = preview + WORDS_CHARS;
    const stays = files === undefined || of.tool.resultLimit === Infinity || text.length <= kept;
    if (stays || text.length > limitOf(of.tool, files)) return {};
    const move = async (): Promise<string | undefined> => {
      const path = await files.keep(text, of.context);
      return path === undefined ? undefined : framed(keptText(text, path, preview), of);
    };
    return { movable: { batch, kept, move } };
  };
  return {
    async result(returned, of) {
      const { tool } = of;
      const text = readable(resultText(tool.name, returned));
      const images = resultImages(returned);
      const { failed, substance } = judged(tool, text);
      const digest = digestOf([substance, ...images.map(({ url }) => url)].join("\n"));
      const shown = images.length > 0 && { images };
      return { text: await told(text, of), digest, ...(failed && { failed }), ...shown, ...movable(text, of) };
    },
    // The reference puts words of its own before what was thrown, so that it is never too short (hermes.md §14.4).
    failure: (error, of) => told(readable(reasonOf(error)), { ...of, failed: true }),
  };
}

/** What is said around a preview has about so many characters. */
const WORDS_CHARS = 400;

/** No more of a receipt is ever sent than the longest result there is. */
const limitOf = ({ resultLimit }: Tool, files: ResultFiles | undefined): number =>
  resultLimit === Infinity ? Infinity : Math.min(resultLimit ?? files?.limit ?? LONGEST_RESULT, LONGEST_RESULT);

/** Where there are no files, whoever reads the result could not open one: then its beginning and its end are told. */
async function fitting(text: string, { tool, context }: Told, files: ResultFiles | undefined): Promise<string> {
  const isShort = text.length <= limitOf(tool, files);
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
