import { english } from "../protocol/sentence.ts";
import type { ModelSource } from "./model-source.ts";
import type { DreamAsked, DreamEnd } from "../protocol/dream.ts";
import type { KnownValues } from "../protocol/redact/known.ts";
import type { ModelChoice } from "../protocol/provider.ts";
import type { TurnResult } from "../protocol/result.ts";
import type { AfterJob, EndedTurn } from "../session/after-work.ts";
import type { Diagnostic } from "../session/diagnostic.ts";
import type { RunSpec } from "../session/run-spec.ts";
import type { RunAt } from "./summaries.ts";

/** Who is asked, and on whose account. */
export interface DreamRun {
  readonly run: (spec: RunSpec, signal?: AbortSignal) => Promise<TurnResult>;
  readonly of?: Pick<RunSpec, "parent" | "turnId">;
  /** Takes secrets out of a text; absent: those that are known by their looks alone. */
  readonly clean?: (text: string) => string;
}

/** How the notes are tidied once a day. */
export interface DailyDream {
  /** Absent: the model of the conversation. */
  readonly model?: ModelChoice;
  readonly dream: (run: DreamRun, asked: DreamAsked) => Promise<DreamEnd>;
}

interface DreamPorts {
  readonly model: ModelSource;
  readonly run: RunAt;
  readonly known: () => KnownValues;
  readonly log: (diagnostic: Diagnostic) => void;
}

/**
 * The dream of the day, when an answer has been delivered (row F5). This process looks once a day whether there is one to
 * be dreamt; whether another has had it says the folder of the notes.
 */
export function dailyDream({ dream }: DailyDream, { model, run, known, log }: DreamPorts): AfterJob {
  let looked = "";
  const tidy = async ({ sessionId, turnId }: EndedTurn, signal: AbortSignal): Promise<void> => {
    const { redact } = await import("../protocol/redact/redact.ts");
    const asking: DreamRun = {
      run: (spec, stop) => run(model, spec, stop),
      of: { parent: sessionId, turnId },
      clean: (text) => redact(text, known()),
    };
    const line = lineOf(await dream(asking, { daily: true, signal }));
    if (line !== undefined) log({ ...line, fields: { event: "dream", session: sessionId, turn: turnId } });
  };
  return {
    name: "dream",
    begin(ended, signal) {
      const today = new Date().toDateString();
      if (!ended.result.ok || looked === today) return undefined;
      looked = today;
      return tidy(ended, signal);
    },
  };
}

/** What is told of it in the log; undefined: nothing. */
function lineOf(end: DreamEnd): Pick<Diagnostic, "level" | "line"> | undefined {
  if (end.type === "failed") {
    const { sentence } = end;
    return { level: "warn", line: `dream: ${english(sentence)}` };
  }
  if (end.type !== "done") return undefined;
  const gone = end.differences.reduce((sum, { removed }) => sum + removed.length, 0);
  const come = end.differences.reduce((sum, { added }) => sum + added.length, 0);
  return {
    level: "info",
    line: `dream: ${gone} notes gone and ${come} written; evander memory dream --log tells which`,
  };
}
