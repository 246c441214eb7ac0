import { plural } from "../protocol/plural.ts";
import type { Text } from "./language.ts";
import { shellWord, type Step } from "./steps.ts";

/** Of what a proposal is a change. */
export type ProposalOf = "memory" | "skill";

const KIND: Readonly<Record<ProposalOf, Text>> = {
  memory: { en: "memory", zh: "记忆" },
  skill: { en: "skills", zh: "技能" },
};

export const changesWait = (count: number): Text => ({
  en: `${plural(count, "change waits", "changes wait")} for your yes or no`,
  zh: `${count} 个更改等待你的决定`,
});

/** The same of one kind, with what decides them. */
export function changesWaitIn(of: ProposalOf, count: number, command: string): Text {
  const { en, zh } = changesWait(count);
  return { en: `${KIND[of].en}: ${en}: ${command}`, zh: `${KIND[of].zh}：${zh}：${command}` };
}

type Says = "none" | "made" | "dropped" | "wouldMake" | "wouldDrop" | "left" | "which";

export const PROPOSAL_WORDS: Readonly<Record<Says, Text>> = {
  none: { en: "No change waits for you.", zh: "没有等待你决定的更改。" },
  made: { en: "made", zh: "已执行" },
  dropped: { en: "dropped", zh: "已放弃" },
  wouldMake: { en: "would be made", zh: "将会执行" },
  wouldDrop: { en: "would be dropped", zh: "将会放弃" },
  left: { en: "left for later", zh: "留待以后" },
  which: {
    en: "Say which changes: the ids as review shows them.",
    zh: "请说明是哪些更改：review 显示的编号。",
  },
};

/** Enter leaves it. */
export const askMake = (id: string): Text => ({
  en: `Make change ${id}? (Enter: later)`,
  zh: `执行更改 ${id} 吗？（Enter：以后再说）`,
});

export const noSuchProposal = (id: string): Text => ({
  en: `No change waits under the id ${id}: it was decided already. Nothing was changed.`,
  zh: `没有编号为 ${id} 的等待中的更改：它已有决定。没有改动任何内容。`,
});

export const reviewStep = (of: ProposalOf): Step => ({
  do: "review",
  text: { en: "See the changes that wait.", zh: "查看等待的更改。" },
  command: `evander ${of} review`,
});

/** Makes or drops changes that wait. */
export const decideStep = (of: ProposalOf, ids: readonly string[]): Step => ({
  do: "decide",
  text: { en: "To make the change, or drop it with no.", zh: "执行更改；用 no 则放弃。" },
  command: `evander ${of} review yes ${ids.map(shellWord).join(" ")}`,
});
