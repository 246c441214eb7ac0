import { plural } from "../protocol/plural.ts";
import type { RecoveredSession } from "../protocol/store-care.ts";
import type { Text } from "./language.ts";

/** What is said about a store as a whole: recovered, backed up, restored, its search built anew. */
export const CARE_WORDS: Readonly<
  Record<
    | "absent"
    | "foreign"
    | "sound"
    | "unfinished"
    | "finished"
    | "nothing"
    | "askRecover"
    | "askRestore"
    | "reading"
    | "copying"
    | "indexing",
    Text
  >
> = {
  absent: { en: "There is no store yet, so there is nothing to do.", zh: "还没有存储，无事可做。" },
  foreign: {
    en: "The file evander.db in the folder of the store is a database of another program: nothing was changed. Move it away; a new store is then made.",
    zh: "存储文件夹中的 evander.db 是其他程序的数据库：没有改动任何内容。请将它移走，随后会新建存储。",
  },
  sound: { en: "The store is undamaged: nothing was changed.", zh: "存储没有损坏：没有改动任何内容。" },
  unfinished: {
    en: "Another store was about to take its place, and that was not finished: evander store recover finishes it.",
    zh: "之前的替换尚未完成：运行 evander store recover 可完成它。",
  },
  finished: {
    en: "What had been begun before was finished: the other store is in its place.",
    zh: "之前未完成的替换已完成：新的存储已就位。",
  },
  nothing: { en: "Nothing was changed.", zh: "没有改动任何内容。" },
  askRecover: { en: "Put what was recovered in the place of the damaged store?", zh: "用救回的内容替换损坏的存储？" },
  askRestore: { en: "Put this backup in the place of the store?", zh: "用这份备份替换当前存储？" },
  reading: { en: "Reading", zh: "正在读取" },
  copying: { en: "Copying", zh: "正在复制" },
  indexing: { en: "Indexing", zh: "正在建立索引" },
};

export const held = (pid: number): Text => ({
  en: `Process ${pid} works with the store: wait until it has finished, or stop it, and try again.`,
  zh: `进程 ${pid} 正在使用存储：请等它结束或停止它，然后重试。`,
});

export const fileTaken = (file: string): Text => ({
  en: `There is a file ${file} already, and nothing was written: name another one.`,
  zh: `已有文件 ${file}，没有写入任何内容：请换一个名称。`,
});

export const noBackup = (file: string): Text => ({
  en: `There is no file ${file}: name a backup that evander store backup has made.`,
  zh: `没有文件 ${file}：请指定由 evander store backup 生成的备份。`,
});

export const noFolder = (folder: string): Text => ({
  en: `There is no folder ${folder}: make it, or name a file in one that is there.`,
  zh: `没有文件夹 ${folder}：请先创建它，或指定已有文件夹中的文件。`,
});

export const badBackup = (file: string): Text => ({
  en: `${file} is damaged or is no backup of Evander, and the store is as it was: name another backup.`,
  zh: `${file} 已损坏，或不是 Evander 的备份；存储没有改动：请指定另一份备份。`,
});

export const noYes = (what: string): Text => ({
  en: `The store would be replaced, and nobody can be asked here: add --yes to do it, or --dry-run to see what ${what} would bring.`,
  zh: `存储将被替换，而这里无人可问：加 --yes 执行，或加 --dry-run 查看结果。`,
});

/** A session in a line. */
export function recoveredLine({ sessionId, title, messages, turns, changed, state }: RecoveredSession): Text {
  const en = [`${plural(messages, "message")}, ${plural(turns, "turn")}`];
  const zh = [`${messages} 条消息，${turns} 轮`];
  if (state === "parted") {
    en.push("records of turns are lost, what can be read of their messages is kept");
    zh.push("部分轮次的记录已丢失，可读的消息已保留");
  }
  if (changed > 0) {
    en.push(`${plural(changed, "message")} may not read as before`);
    zh.push(`${changed} 条消息可能与原来不同`);
  }
  const name = title === "" ? sessionId : `${sessionId}  ${title}`;
  return { en: `${name}: ${en.join("; ")}`, zh: `${name}：${zh.join("；")}` };
}

export function recoveredAll(sessions: number, lostRows: number, lostPages: number): Text {
  const en = [`${plural(sessions, "session")} can be read`];
  const zh = [`可读取 ${sessions} 个会话`];
  if (lostRows > 0) {
    en.push(`${plural(lostRows, "row")} cannot, or not as they were written`);
    zh.push(`${lostRows} 行不可读，或与写入时不同`);
  }
  if (lostPages > 0) {
    en.push(
      `${plural(lostPages, "page")} of the file ${lostPages === 1 ? "is" : "are"} lost with whatever stood there`,
    );
    zh.push(`文件中有 ${lostPages} 页及其内容已丢失`);
  }
  if (en.length === 1) {
    en.push("no row was found that cannot");
    zh.push("没有发现不可读的行");
  }
  return { en: `${en.join("; ")}.`, zh: `${zh.join("；")}。` };
}

export const originalKept = (path: string): Text => ({
  en: `The damaged store is kept as ${path}.`,
  zh: `损坏的存储保留为 ${path}。`,
});

export const notSound = (breaches: number): Text => ({
  en: `${plural(breaches, "thing")} in it still ${breaches === 1 ? "does" : "do"} not hold together: evander doctor --check says which.`,
  zh: `其中仍有 ${breaches} 处不一致：evander doctor --check 会说明。`,
});

interface Counts {
  readonly sessions: number;
  readonly messages: number;
  readonly files: number;
}

const counted = ({ sessions, messages, files }: Counts): Text => ({
  en: `${plural(sessions, "session")}, ${plural(messages, "message")}, ${plural(files, "file")} beside them`,
  zh: `${sessions} 个会话、${messages} 条消息、旁存文件 ${files} 个`,
});

export function backedUp(file: string, counts: Counts, dry: boolean): Text {
  const { en, zh } = counted(counts);
  return dry
    ? { en: `${file} would hold ${en}.`, zh: `${file} 将包含 ${zh}。` }
    : { en: `${file} holds ${en}.`, zh: `${file} 已包含 ${zh}。` };
}

export function restored(counts: Counts, dry: boolean): Text {
  const { en, zh } = counted(counts);
  return dry ? { en: `It holds ${en}.`, zh: `其中有 ${zh}。` } : { en: `Restored: ${en}.`, zh: `已恢复：${zh}。` };
}

export const replacedKept = (path: string): Text => ({
  en: `What stood there before is kept as ${path}.`,
  zh: `原来的存储保留为 ${path}。`,
});

export const rebuilt = (messages: number, dry: boolean): Text => ({
  en: dry
    ? `The search index of ${plural(messages, "message")} would be built anew.`
    : `The search index of ${plural(messages, "message")} was built anew.`,
  zh: dry ? `将为 ${messages} 条消息重建搜索索引。` : `已为 ${messages} 条消息重建搜索索引。`,
});
