import { duration } from "./durations.ts";
import type { Text } from "./language.ts";
import type { Step } from "./steps.ts";

/** What `ps` and `approve` say. */
export const OPEN_TURN_WORDS: Readonly<
  Record<"none" | "nothingWaits" | "running" | "parked" | "left" | "allowed" | "denied" | "next", Text>
> = {
  none: { en: "No turn is running, parked or left.", zh: "没有正在运行、已暂停或未完成的轮次。" },
  nothingWaits: { en: "Nothing waits for approval.", zh: "没有等待批准的调用。" },
  running: { en: "running", zh: "运行中" },
  parked: { en: "parked", zh: "已暂停" },
  left: { en: "left", zh: "未完成" },
  allowed: { en: "allowed", zh: "已允许" },
  denied: { en: "denied", zh: "已拒绝" },
  next: { en: "next", zh: "下一步" },
};

export const runningIn = (pid: number): Text => ({ en: `running in process ${pid}`, zh: `在进程 ${pid} 中运行` });

export const askedAgo = (sessionId: string, since: Text): Text => ({
  en: `session ${sessionId}, asked ${since.en} ago`,
  zh: `会话 ${sessionId}，${since.zh}前询问`,
});

export const asksItself = (pid: number): Text => ({
  en: `Process ${pid} asks this itself: answer it there.`,
  zh: `进程 ${pid} 自己在询问：请在那里答复。`,
});

export const askedElsewhere = (pid: number, host: string): Text => ({
  en: `Process ${pid} on ${host} works in this session and asks this itself: answer it there, or here when that process has ended.`,
  zh: `${host} 上的进程 ${pid} 正在此会话中工作并自己询问：请在那里答复，或等该进程结束后在这里答复。`,
});

export const ANSWER_THERE: Step = {
  do: "answer",
  text: { en: "Answer it in that process, or end it.", zh: "在该进程中答复，或结束它。" },
  command: null,
};

export const notWaiting = (id: string): Text => ({
  en: `No call waits under the id ${id}: it was decided, or its turn has ended. Nothing was changed.`,
  zh: `没有编号为 ${id} 的等待中的调用：它已有决定，或所属的一轮已结束。没有改动任何内容。`,
});

/** Above a call that wants to run. */
export const needsApproval = (name: string, why: string): Text => ({
  en: `${name} needs your approval${why === "" ? "" : `: ${why}`}`,
  zh: `${name} 需要你的批准${why === "" ? "" : `：${why}`}`,
});

/** Behind a call that waits, in the end of a run. */
export const answerWith = (command: string): Text => ({
  en: `answer: ${command} (or no)`,
  zh: `答复：${command}（或 no）`,
});

interface BackgroundStanding {
  /** Null: it does not run. */
  readonly pid: number | null;
  readonly owner: number | null;
  readonly sinceMs: number;
}

/** `name`: its id and its command. */
export function backgroundProcess(name: string, { pid, owner, sinceMs }: BackgroundStanding): Text {
  if (pid === null) return { en: `background process ${name} (has ended)`, zh: `后台进程 ${name}（已结束）` };
  const left = owner === null;
  return {
    en: `background process ${name} (pid ${pid}, since ${duration(sinceMs)}${left ? "; its program has gone: it ends with the session" : ""})`,
    zh: `后台进程 ${name}（pid ${pid}，已运行 ${duration(sinceMs, "zh")}${left ? "；启动它的程序已退出：它将随会话结束" : ""}）`,
  };
}

export const childOf = (sessionId: string): Text => ({
  en: `(child agent of session ${sessionId})`,
  zh: `（会话 ${sessionId} 的子代理）`,
});

export const childResumed = (parent: string): Text => ({
  en: `This is the work of a child agent: go on with its parent, and it goes on too (evander session resume ${parent} --continue).`,
  zh: `这是子代理的工作：请继续其上级会话，它会随之继续（evander session resume ${parent} --continue）。`,
});

/** `why`: what it was doing when its process went, or whom it waits for. */
export const goesOnNow = (why: Text): Text => ({
  en: `Going on with the turn that had not ended: ${why.en}`,
  zh: `继续尚未结束的一轮：${why.zh}`,
});

/** The same where a new message closes it. */
export const closedNow = (why: Text): Text => ({
  en: `The turn before had not ended, and is closed: ${why.en}`,
  zh: `上一轮尚未结束，现已关闭：${why.zh}`,
});
