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

export const LIST: Step = {
  do: "list",
  text: { en: "See which sessions there are.", zh: "查看有哪些会话。" },
  command: "evander session list",
};

export const LIST_TURNS: Step = {
  do: "list",
  text: { en: "See which turns there are.", zh: "查看有哪些轮次。" },
  command: "evander turn list",
};

/** Where nothing was asked yet. */
export const FIRST_TURN: Step = {
  do: "ask",
  text: { en: "Ask something first.", zh: "先提一个问题。" },
  command: 'evander -p "how many files are here?"',
};

export const RULES: Step = {
  do: "rules",
  text: { en: "See what was allowed for good.", zh: "查看长期允许的规则。" },
  command: "evander approve rules",
};

export const DECIDE: Step = {
  do: "decide",
  text: {
    en: "See what waits; then answer with approve yes ID or approve no ID.",
    zh: "查看等待的调用；然后用 approve yes ID 或 approve no ID 答复。",
  },
  command: "evander approve list",
};

/** A word in capitals stands for something only its reader knows. */
const BLANK = /(?<![\w'"-])[A-Z]{2,}(?![\w'"-])/gu;

/** What has to be filled in before the command of a step can be run. */
export const blanksOf = ({ command }: Step): string[] => command?.match(BLANK) ?? [];

/** The command with its blanks filled, in order, as a shell reads it. */
export function filled(command: string, values: readonly string[]): string {
  const left = [...values];
  return command.replaceAll(BLANK, (blank) => {
    const value = left.shift();
    return value === undefined ? blank : shellWord(value);
  });
}

/** Signs that no screen shows: a command without them would name something else. */
const UNSEEN = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/** A word as a shell takes it for one. */
export function shellWord(text: string): string {
  if (/^[\w./:@%+,=-]+$/u.test(text)) return text;
  if (!UNSEEN.test(text)) return `'${text.replaceAll("'", String.raw`'\''`)}'`;
  const spelt = text.replaceAll(/[\\'\n\t\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (sign) => {
    const bytes = [...new TextEncoder().encode(sign)];
    return bytes.map((byte) => String.raw`\x${byte.toString(16).padStart(2, "0")}`).join("");
  });
  return `$'${spelt}'`;
}

/** Goes on in the same session, with a limit that was reached set higher. */
export const raiseLimit = (
  flag: "--max-iterations" | "--max-time" | "--max-cost" | "--config",
  value: string,
): Step => ({
  do: "raise-limit",
  text: { en: `Let it go on with more room (${value}).`, zh: `放宽限制后继续（${value}）。` },
  command: `evander -p "continue" --resume {session} ${flag} ${value}`,
});

/** The steps in one language, for one session. Where there is no session, nothing can be done in it. */
export function nextSteps(steps: readonly Step[], sessionId: string | undefined, language: Language): NextStep[] {
  return steps.flatMap(({ do: what, text, command }) => {
    if (command?.includes("{session}") === true && sessionId === undefined) return [];
    return [{ do: what, text: text[language], command: command?.replace("{session}", sessionId ?? "") ?? null }];
  });
}

/** The words were a message, and began like a command. */
export const askJust = (words: string): Step => ({
  do: "ask",
  text: { en: "To ask a model just that.", zh: "如果只是想问模型这句话。" },
  command: `evander -p ${shellWord(words)}`,
});

export const meantThis = (command: string): Step => ({
  do: "correct",
  text: { en: "Perhaps this was meant", zh: "也许是这个命令" },
  command: `evander ${command}`,
});

export const ALL_COMMANDS: Step = {
  do: "help",
  text: { en: "See which commands there are.", zh: "查看有哪些命令。" },
  command: "evander --help",
};

export const helpOn = (command: string): Step => ({
  do: "help",
  text: { en: "See what the command takes.", zh: "查看这个命令的用法。" },
  command: `evander ${command} --help`,
});
