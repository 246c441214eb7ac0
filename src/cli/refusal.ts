import type { TurnResult } from "../protocol/result.ts";
import { type Store, StoreError } from "../protocol/store.ts";
import { type Refusal, refusalResult, storeRefusal } from "../session/result.ts";
import { findSession } from "../session/find-session.ts";
import { oneLine, printable } from "../session/plain-text.ts";
import { type Language, type Text, wordsIn } from "../words/language.ts";
import { noLog } from "../words/log.ts";
import { noSuchSession, RECORD_WORDS, severalSessions } from "../words/records.ts";
import { LIST } from "../words/steps.ts";
import { TOO_MANY_FILES, WORDLESS_DEFECT } from "../words/usage.ts";
import { type Io, say } from "./io.ts";
import { logDefect } from "./log/open.ts";

/** Why a command cannot go on; becomes the one result of the run. */
export class RefusalError extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(wordsIn(refusal.message, "en"));
    this.refusal = refusal;
  }
}

/** What was asked makes no sense, or names nothing that is there. */
export const usageRefusal = (message: Text, more: Omit<Refusal, "reason" | "message"> = {}): RefusalError =>
  new RefusalError({ reason: "usage_error", message, ...more });

interface Report {
  /** `false`: nothing is to be kept on disk, also not in the log. */
  readonly save?: boolean | undefined;
  readonly verbose: boolean;
  readonly language: Language;
  /** The session that was worked in. */
  readonly sessionId?: string | undefined;
}

/** The result of a command that threw. A defect of ours shows its stack only when asked. */
export function failureResult(error: unknown, io: Io, report: Report): TurnResult {
  const { verbose, language, sessionId } = report;
  if (error instanceof RefusalError) return refusalResult(error.refusal, language);
  if (!(error instanceof StoreError) && !isOutOfFiles(error) && report.save !== false)
    logDefect(error, io, (why) => {
      if (verbose) say(io.stderr, printable(noLog(why)[language]));
    });
  if (verbose && error instanceof Error) say(io.stderr, error.stack ?? error.message);
  const message = error instanceof Error ? error.message : String(error);
  const refusal = refusalOf(error, message);
  return refusalResult(sessionId === undefined ? refusal : { ...refusal, sessionId }, language);
}

function refusalOf(error: unknown, message: string): Refusal {
  if (error instanceof StoreError) return storeRefusal(error);
  if (isOutOfFiles(error)) return { reason: "store_unavailable", message: TOO_MANY_FILES };
  return { reason: "internal_error", message: defectSentence(message) };
}

const isOutOfFiles = (error: unknown): boolean =>
  error instanceof Error && "code" in error && (error.code === "EMFILE" || error.code === "ENFILE");

/** The text of an error may be empty, or many lines. */
const defectSentence = (message: string): string | Text => oneLine(message) || WORDLESS_DEFECT;

/** See findSession; a session that does not exist is never begun by naming it. */
export function existingSession(store: Store, asked: string): string {
  if (asked.trim() === "") throw usageRefusal(RECORD_WORDS.blankSession);
  const found = findSession(store, asked);
  switch (found.type) {
    case "found":
      return found.sessionId;
    case "none": {
      const message = asked === "last" ? RECORD_WORDS.noSession : noSuchSession(asked);
      throw new RefusalError({ reason: "session_not_found", message });
    }
    case "several": {
      const ids = found.sessions.slice(0, SHOWN).map(({ sessionId }) => sessionId);
      throw usageRefusal(severalSessions(asked, ids), { code: "ambiguous", steps: [LIST] });
    }
  }
}

/** So many candidates are named. */
const SHOWN = 5;
