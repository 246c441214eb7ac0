import { plural } from "../protocol/plural.ts";
import type { Text } from "./language.ts";

/** What is said about sessions that leave others at a place. */
export const BRANCH_WORDS: Readonly<
  Record<
    | "noForks"
    | "alone"
    | "notSoMany"
    | "notAFork"
    | "hidden"
    | "atWithoutFork"
    | "forkAndResume"
    | "forkAndNew"
    | "forkAndKey",
    Text
  >
> = {
  noForks: { en: "No session has been forked yet.", zh: "还没有会话分叉过。" },
  alone: {
    en: "Nothing has left this session, and it has left none.",
    zh: "没有从本会话分出的会话，它也不是分出来的。",
  },
  notSoMany: { en: "So many messages were not said in this session.", zh: "本会话中没有那么多条消息。" },
  notAFork: {
    en: "This session has left no other one that is still there: there is nothing to go back to.",
    zh: "本会话不是从仍然存在的会话分出来的：没有可以返回的会话。",
  },
  hidden: {
    en: "A session that works for another one cannot be forked: fork the one it works for.",
    zh: "为其他会话工作的会话不能分叉：请对它所属的会话分叉。",
  },
  atWithoutFork: {
    en: "--at says where a session is forked: name it with --fork.",
    zh: "--at 指定分叉的位置：请用 --fork 指定会话。",
  },
  forkAndResume: {
    en: "--fork begins a session of its own and --resume goes on with one: leave one of them out.",
    zh: "--fork 开始一个新的会话，--resume 继续已有的会话：请去掉其中一个。",
  },
  forkAndNew: {
    en: "--fork begins with what was said before and --new with nothing: leave one of them out.",
    zh: "--fork 以已有内容开始，--new 从空白开始：请去掉其中一个。",
  },
  forkAndKey: {
    en: "--idempotency-key asks once in a session of its own, and every --fork is another session: leave one of them out.",
    zh: "--idempotency-key 在固定的会话中只询问一次，而每次 --fork 都是另一个会话：请去掉其中一个。",
  },
};

/** What became of a fork, by the number of messages it shares. */
export const forkedAt = (sessionId: string, at: number): Text => ({
  en: `This is now ${sessionId}, which has the first ${plural(at, "message")} in common with the other; nothing of that one is lost. /tree shows both, /redo goes back.`,
  zh: `现在位于 ${sessionId}，与原会话共享前 ${at} 条消息；原会话没有丢失任何内容。/tree 显示两者，/redo 返回。`,
});

export const editing = (sessionId: string): Text => ({
  en: `Change it and send it: it begins a branch of its own (${sessionId}), and what was answered stays in the other one. /redo goes back.`,
  zh: `修改后发送：它会开始一个新的分支（${sessionId}），原来的回答保留在原会话中。/redo 返回。`,
});

export const wentBack = (sessionId: string, messages: number): Text => ({
  en: `Back in ${sessionId} (${plural(messages, "message")}).`,
  zh: `已返回 ${sessionId}（${messages} 条消息）。`,
});

/** Where a fork left. */
export const leftAt = (at: number): Text => ({ en: `at ${at}`, zh: `位置 ${at}` });

export const noCount = (said: string): Text => ({
  en: `${said} is no number of messages: write 1 for the last one, 2 for the one before it.`,
  zh: `${said} 不是消息的个数：1 表示最后一条，2 表示再前一条。`,
});

export const noPlace = (said: string, messages: number): Text => ({
  en: `--at ${said} is no place in it: write how many of its ${plural(messages, "message")} are to be kept (session show numbers them).`,
  zh: `--at ${said} 不是其中的位置：请写出要保留 ${messages} 条消息中的多少条（session show 会编号）。`,
});

export const movedPlace = (asked: number, at: number): Text => ({
  en: `Forked behind message ${at} instead of ${asked}: a call stays with its results, and a message with its answer.`,
  zh: `在第 ${at} 条消息之后分叉，而不是第 ${asked} 条：调用与其结果、消息与其回答不会被分开。`,
});

export const unfinishedStays = (): Text => ({
  en: "Its last turn has not ended: what that brings stays in the other session alone.",
  zh: "它的最后一轮尚未结束：该轮的内容只保留在原会话中。",
});

export const forksKeep = (forks: readonly string[]): Text => ({
  en: `${plural(forks.length, "fork")} of it will keep what they share with it (${forks.join(", ")}): --forks removes them too.`,
  zh: `它的 ${forks.length} 个分叉会保留与它共享的内容（${forks.join("、")}）：--forks 会一并删除它们。`,
});

export const nothingToLeave = (sessionId: string, back: number): Text => ({
  en: `There is no session ${sessionId} in which ${plural(back, "message")} of the user began turns.`,
  zh: `没有会话 ${sessionId}，或其中没有 ${back} 条开始一轮的用户消息。`,
});
