import { plural } from "../protocol/plural.ts";
import { inBoth } from "../protocol/sentence.ts";
import type { DiskTrace } from "../protocol/tool.ts";
import type { LeftAlone } from "../protocol/turn-files.ts";
import type { Text } from "./language.ts";

// What a turn did to files.

/** What is listed of each kind (hermes.md §18). */
const MOST_LISTED = 10;

/** In back quotes, so that nothing takes a path for an attachment. */
const quoted = (path: string): string => `\`${path.replaceAll("`", "'")}\``;

function listed(lines: readonly string[]): Text {
  const shown = lines.slice(0, MOST_LISTED).map((line) => `- ${line}`);
  const more = lines.length - MOST_LISTED;
  const told = (words: string): string => [...shown, ...(more > 0 ? [words] : [])].join("\n");
  return { en: told(`- and ${more} more`), zh: told(`- 另有 ${more} 个`) };
}

/** Where what was said and what is on the disk may differ; undefined: nowhere. */
export function fileFooter({ failed, foreign }: FilesTold): Text | undefined {
  const parts: Text[] = [];
  if (failed.length > 0) {
    const list = listed(failed.map(([path, why]) => `${quoted(path)}: ${why}`));
    parts.push({
      en: `⚠ Not written: ${plural(failed.length, "file was", "files were")} to be changed, and it failed.\n${list.en}`,
      zh: `⚠ 未写入：有 ${failed.length} 个文件本应改动，但失败了。\n${list.zh}`,
    });
  }
  if (foreign.length > 0) {
    const list = listed(foreign.map(quoted));
    parts.push({
      en: `⚠ Changed while the turn ran, by no call of it:\n${list.en}`,
      zh: `⚠ 本轮运行期间被改动，但不是由其调用所为：\n${list.zh}`,
    });
  }
  if (parts.length === 0) return undefined;
  return { en: parts.map(({ en }) => en).join("\n\n"), zh: parts.map(({ zh }) => zh).join("\n\n") };
}

export interface FilesTold {
  /** Each with what the call said. */
  readonly failed: readonly (readonly [path: string, why: string])[];
  readonly foreign: readonly string[];
}

export const filesChanged = (count: number): Text => ({
  en: `${plural(count, "file")} changed`,
  zh: `改动了 ${count} 个文件`,
});

export const filesChangedBy = (count: number, command: string): Text => ({
  en: `${filesChanged(count).en} (${command})`,
  zh: `${filesChanged(count).zh}（${command}）`,
});

type Said =
  | "nothingKept"
  | "nothingChanged"
  | "nothingToUndo"
  | "running"
  | "binary"
  | "notKept"
  | "lost"
  | "nobodyToAsk"
  | "aborted"
  | "wouldUndo"
  | "tryForce";

export const TURN_FILES: Readonly<Record<Said, Text>> = {
  nothingKept: {
    en: "No snapshot of this turn is kept: it changed no file by a tool, or that was too long ago.",
    zh: "没有保存这一轮的快照：它没有用工具改动文件，或时间太久已清除。",
  },
  nothingChanged: { en: "The turn changed no file.", zh: "这一轮没有改动文件。" },
  nothingToUndo: {
    en: "There is nothing to undo: all files are as they were before the turn.",
    zh: "没有可撤销的内容：所有文件都与该轮之前一致。",
  },
  running: {
    en: "The turn is still running: stop it first, then undo what it did.",
    zh: "这一轮仍在运行：请先停止，再撤销其改动。",
  },
  binary: { en: "binary files differ", zh: "二进制文件不同" },
  notKept: { en: "its content is not kept", zh: "其内容未保存" },
  lost: {
    en: "Its process died, so all that differs since its last snapshot is taken for its work.",
    zh: "其进程已中断，因此自最后一次快照以来的所有差异都算作它的改动。",
  },
  nobodyToAsk: {
    en: "Files would be changed, and nobody can be asked here: add --yes to do it, or --dry-run to see what.",
    zh: "将改动文件，而这里无人可问：加 --yes 执行，或加 --dry-run 查看。",
  },
  aborted: { en: "Nothing was changed.", zh: "没有改动任何内容。" },
  wouldUndo: { en: "Nothing was changed yet: /undo -y does it.", zh: "尚未改动：/undo -y 执行。" },
  tryForce: {
    en: "Nothing was changed: --force also takes back what somebody else has changed since.",
    zh: "没有改动任何内容：--force 会连他人之后的改动一并撤销。",
  },
};

export const askUndo = (count: number): Text => ({
  en: `Put ${count === 1 ? "this file" : `these ${count} files`} back to what ${count === 1 ? "it was" : "they were"} before the turn?`,
  zh: `把${count === 1 ? "这个文件" : `这 ${count} 个文件`}恢复到该轮之前？`,
});

export const undone = (count: number, command: string): Text => ({
  en: `Put back: ${plural(count, "file")}. To take that back: ${command}`,
  zh: `已恢复 ${count} 个文件。如需撤回：${command}`,
});

const WHY_LEFT: Readonly<Record<LeftAlone, Text>> = {
  changed: { en: "changed by somebody else since; --force undoes that too", zh: "之后被他人改动；--force 可一并撤销" },
  unkept: { en: "what it was is not kept", zh: "原先内容未保存" },
  failed: { en: "it could not be changed", zh: "无法改动" },
};

export const leftAlone = (path: string, why: LeftAlone): Text => ({
  en: `left as it is: ${path} (${WHY_LEFT[why].en})`,
  zh: `保持原样：${path}（${WHY_LEFT[why].zh}）`,
});

/** A receipt in one line, with what its call did to files. */
export function withDisk(line: string, disk: DiskTrace | undefined): Text {
  const count = (disk?.changes.length ?? 0) + (disk?.more ?? 0);
  const { en, zh } = filesChanged(count);
  const unkept = disk?.unkept === undefined ? { en: "", zh: "" } : inBoth(disk.unkept);
  const told = (...parts: readonly string[]): string => parts.filter((part) => part !== "").join(" · ");
  return {
    en: told(line, count === 0 ? "" : en, unkept.en),
    zh: told(line, count === 0 ? "" : zh, unkept.zh),
  };
}

const CHANGES: Readonly<Record<"created" | "changed" | "deleted" | "mode", Text>> = {
  created: { en: "created", zh: "新建" },
  changed: { en: "changed", zh: "改动" },
  deleted: { en: "deleted", zh: "删除" },
  mode: { en: "mode", zh: "权限" },
};

export const shownChange = (change: keyof typeof CHANGES): Text => CHANGES[change];
