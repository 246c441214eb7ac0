import type { InBoth } from "../../protocol/sentence.ts";
import { reasonOf } from "../../protocol/reason-of.ts";
import type { Look } from "./look.ts";
import { TooManyFiles } from "./look.ts";
import type { Root } from "./roots.ts";
import { joinRaw, type RawPath, shownPath, type Unkept } from "./state.ts";

// All of it begins in the same way: an undo will not bring back what is named.

export function refusedRoot(path: string, { why }: Extract<Root, { type: "refused" }>): InBoth | undefined {
  switch (why) {
    case "own":
      return undefined;
    case "top":
    case "home":
      return {
        en: `No snapshot: ${path} is too much to keep (the home folder, and what lies above it, never is); work in a folder below it.`,
        zh: `没有快照：${path} 太大，无法保存（主目录及其上层从不保存）；请在其下的文件夹中工作。`,
      };
  }
}

export function failedSnapshot(root: RawPath, error: unknown): InBoth {
  const path = shownPath(root);
  if (error instanceof TooManyFiles)
    return {
      en: `No snapshot: ${path} holds more files than a snapshot may (50,000), so what changes there cannot be undone.`,
      zh: `没有快照：${path} 中的文件超过快照上限（50,000），那里的改动无法撤销。`,
    };
  const why = reasonOf(error);
  return {
    en: `No snapshot of ${path} was made (${why}), so what changes there cannot be undone.`,
    zh: `没有为 ${path} 做快照（${why}），那里的改动无法撤销。`,
  };
}

const NAMED = 3;

const WHYS: Readonly<Record<Unkept, InBoth>> = {
  large: { en: "larger than 10 MB", zh: "大于 10 MB" },
  over: { en: "more than 200 MB together", zh: "合计超过 200 MB" },
  unreadable: { en: "not readable", zh: "无法读取" },
  special: { en: "no files", zh: "不是文件" },
  "left-out": { en: "too many files, or another file system", zh: "文件过多，或在另一文件系统上" },
};

/** What of a folder is not in its snapshot; undefined: all of it is. */
export function leftOut(root: RawPath, { unkept }: Pick<Look, "unkept">): InBoth | undefined {
  if (unkept.length === 0) return undefined;
  const groups = [...Map.groupBy(unkept, ({ why }) => why)];
  const told = (language: "en" | "zh"): string =>
    groups
      .map(([why, paths]) => {
        const names = paths.slice(0, NAMED).map(({ path }) => shownPath(joinRaw(root, path)));
        const more =
          paths.length > NAMED
            ? [{ en: `${paths.length - NAMED} more`, zh: `另 ${paths.length - NAMED} 个` }[language]]
            : [];
        return `${[...names, ...more].join(", ")} (${WHYS[why][language]})`;
      })
      .join("; ");
  return { en: `Not in the snapshot: ${told("en")}.`, zh: `不在快照中：${told("zh")}。` };
}

/** As one sentence after the other. */
export function together(sentences: readonly (InBoth | undefined)[]): InBoth | undefined {
  const said = sentences.filter((each) => each !== undefined);
  if (said.length === 0) return undefined;
  return { en: said.map(({ en }) => en).join(" "), zh: said.map(({ zh }) => zh).join("") };
}
