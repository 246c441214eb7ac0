import type { NextStep } from "../protocol/result.ts";
import type { Language, Text } from "./language.ts";

/** What to do next; `command` is for a shell, with `{session}` standing for the session's id. */
export interface Step {
  readonly do: string;
  readonly text: Text;
  readonly command: string | null;
}

/** What a person is told: cause first, then what helps. */
export interface Words {
  readonly explain: Text;
  readonly next: readonly Step[];
}

export const RETRY: Step = {
  do: "retry",
  text: { en: "Ask again in the same session.", zh: "在同一会话中再问一次。" },
  command: 'evander -p "continue" --resume {session}',
};
/** For what never became a turn. */
export const ASK_AGAIN: Step = { do: "retry", text: { en: "Ask again.", zh: "再问一次。" }, command: null };
export const EXPLAIN: Step = {
  do: "explain",
  text: { en: "See what happened, step by step.", zh: "逐步查看发生了什么。" },
  command: "evander turn explain last",
};
export const RESUME: Step = {
  do: "resume",
  text: { en: "Go on with this very turn.", zh: "继续这一轮。" },
  command: "evander session resume {session} --continue",
};

export const DECIDE: Step = {
  do: "decide",
  text: {
    en: "See what waits; then answer with approve yes ID or approve no ID.",
    zh: "查看等待的调用；然后用 approve yes ID 或 approve no ID 答复。",
  },
  command: "evander approve list",
};

/** Its command can be run as it stands: nothing in it is to be filled in. */
export const isRunnable = ({ command }: Step): boolean =>
  command !== null && /^evander (?!.*\b[A-Z]+\b)/u.test(command);

/** The steps in one language, for one session. Where there is no session, nothing can be done in it. */
export function nextSteps(steps: readonly Step[], sessionId: string | undefined, language: Language): NextStep[] {
  return steps.flatMap(({ do: what, text, command }) => {
    if (command?.includes("{session}") === true && sessionId === undefined) return [];
    return [{ do: what, text: text[language], command: command?.replace("{session}", sessionId ?? "") ?? null }];
  });
}
