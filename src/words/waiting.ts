import type { Waiting } from "../protocol/waiting.ts";
import { duration } from "./durations.ts";
import type { Language, Text } from "./language.ts";

/** What a turn waits for, since when, until when, and what happens then: one sentence (row B17). */
export function waitingSentence(waiting: Waiting, nowMs: number, language: Language): string {
  const time = (ms: number): string => duration(Math.max(0, ms), language);
  const since = time(nowMs - waiting.sinceMs);
  return sentence(waiting, since, time((waiting.untilMs ?? nowMs) - nowMs))[language];
}

function sentence(waiting: Waiting, since: string, left: string): Text {
  const limit: Text =
    waiting.untilMs === null
      ? { en: "Silence for too long counts as a failed attempt.", zh: "沉默太久算作一次失败的尝试。" }
      : {
          en: `After ${left} more, or when it is silent for too long, the attempt counts as failed.`,
          zh: `再过 ${left}，或沉默太久，这次尝试就算失败。`,
        };
  switch (waiting.type) {
    case "model-reply":
      return {
        en: `It has waited ${since} for ${waiting.model} to answer (attempt ${waiting.attempt}). ${limit.en}`,
        zh: `已等待 ${waiting.model} 回答 ${since}（第 ${waiting.attempt} 次尝试）。${limit.zh}`,
      };
    case "retry":
      return {
        en: `It asks the model again in ${left} (attempt ${waiting.attempt}); it has waited ${since}.`,
        zh: `将在 ${left}后再次询问模型（第 ${waiting.attempt} 次尝试）；已等待 ${since}。`,
      };
    case "summary":
      return {
        en: `It has waited ${since} for a summary of the older part of the conversation; without one, older messages are left out by rules.`,
        zh: `已等待对话较早部分的摘要 ${since}；没有摘要时按规则省略较早的消息。`,
      };
    case "tools":
      return {
        en: `It has run ${waiting.names.join(", ")} for ${since}; then the model reads what came out.`,
        zh: `已运行 ${waiting.names.join("、")} ${since}；之后模型会读取结果。`,
      };
    case "approval": {
      const names = waiting.calls.map(({ name }) => name);
      if (waiting.calls.every(({ question }) => question !== undefined))
        return {
          en: `It has waited ${since} for its user to answer a question, without a deadline; then the model reads the answer.`,
          zh: `已等待 ${since}，需要用户回答一个问题，没有期限；之后模型会读取回答。`,
        };
      return {
        en: `It has waited ${since} for somebody to allow or deny ${names.join(", ")}, without a deadline; then the call runs, or the model is told that it may not.`,
        zh: `已等待 ${since}，需要有人允许或拒绝 ${names.join("、")}，没有期限；之后该调用会运行，或告知模型它被拒绝。`,
      };
    }
    case "resume":
      return {
        en: `All is decided since ${since}; it goes on when somebody resumes its session.`,
        zh: `${since}前已全部决定；恢复会话后继续。`,
      };
    case "context":
      return {
        en: `It has waited ${since} for what others add to the message; then the model is asked.`,
        zh: `已等待 ${since}，由他人为消息补充背景；之后询问模型。`,
      };
    case "store":
      return { en: `It has been saving for ${since}; then it goes on.`, zh: `已保存 ${since}；之后继续。` };
  }
}

interface WaitingLine {
  readonly language: Language;
  /** Why the model is asked again. */
  readonly reason: string;
}

/** The same in a few words, for a line that counts the seconds; undefined where a question stands on the screen. */
export function waitingLine(waiting: Waiting, nowMs: number, { language, reason }: WaitingLine): string | undefined {
  const since = `${Math.max(0, Math.floor((nowMs - waiting.sinceMs) / 1_000))}s`;
  switch (waiting.type) {
    case "model-reply":
      return { en: `waiting for ${waiting.model} … ${since}`, zh: `等待 ${waiting.model} … ${since}` }[language];
    case "retry": {
      const left = `${Math.max(0, Math.ceil(((waiting.untilMs ?? nowMs) - nowMs) / 1_000))}s`;
      const why = reason === "" ? "" : ` · ${reason}`;
      const { attempt } = waiting;
      return {
        en: `asking again in ${left} (attempt ${attempt})${why}`,
        zh: `${left} 后重试（第 ${attempt} 次尝试）${why}`,
      }[language];
    }
    case "tools": {
      const names = waiting.names.join(", ");
      return { en: `running ${names} … ${since}`, zh: `正在运行 ${names} … ${since}` }[language];
    }
    case "summary":
      return { en: `summing up the conversation … ${since}`, zh: `正在总结对话 … ${since}` }[language];
    case "context":
      return { en: `asking who adds to the message … ${since}`, zh: `正在收集消息的背景 … ${since}` }[language];
    case "store":
      return { en: `saving … ${since}`, zh: `正在保存 … ${since}` }[language];
    case "approval":
    case "resume":
      return undefined;
  }
}

export const NOT_ENDED: Text = { en: "The turn has not ended.", zh: "本轮尚未结束。" };
export const RESUMABLE: Text = {
  en: "Resume its session to go on or to close it.",
  zh: "恢复它的会话以继续或关闭它。",
};
export const STREAM_LOST: Text = {
  en: "What the model had streamed of its reply by then was not kept.",
  zh: "模型当时已输出的部分没有保存。",
};

/** What a turn was doing when its process went; a person who is to decide can still do so. */
export function leftSentence(waiting: Waiting, nowMs: number, language: Language): string {
  switch (waiting.type) {
    case "model-reply":
    case "retry":
      return LEFT_ASKING[language];
    case "tools": {
      const names = waiting.names.join(", ");
      return { en: `Its process has gone while it ran ${names}.`, zh: `它的进程在运行 ${names} 时消失了。` }[language];
    }
    case "store":
    case "summary":
    case "context":
      return LEFT[language];
    case "approval":
    case "resume":
      return waitingSentence(waiting, nowMs, language);
  }
}

const LEFT: Text = { en: "Its process has gone.", zh: "它的进程已经消失。" };
const LEFT_ASKING: Text = {
  en: "Its process has gone while it waited for the model.",
  zh: "它的进程在等待模型时消失了。",
};
