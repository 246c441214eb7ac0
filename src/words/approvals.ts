import type { Grant, Rule } from "../protocol/approval.ts";
import { duration } from "./durations.ts";
import type { Text } from "./language.ts";

/** The question about a call. */
export const ALLOW: Text = { en: "Allow? ", zh: "允许吗？" };
/** The keys that answer it where a rule could be written. */
export const YES_RULES_NO = "[y/s/a/N] ";

/** What the keys mean. */
export const ANSWERS: Text = {
  en: "y yes · n no · x no, and stop the turn",
  zh: "y 允许 · n 拒绝 · x 拒绝并停止本轮",
};
export const ANSWERS_WITH_RULES: Text = {
  en: "y yes, once · s yes, in this session · a yes, always · n no · x no, and stop the turn",
  zh: "y 允许一次 · s 本会话内允许 · a 始终允许 · n 拒绝 · x 拒绝并停止本轮",
};

/** Before the rules that "session" and "always" would write. */
export const WOULD_ALLOW: Text = { en: "s and a would allow from then on:", zh: "s 和 a 之后会允许：" };
export const RULES_WOULD: Text = { en: "would be written:", zh: "将写入：" };

/** Behind a part of a call. */
export const NO_RULE: Text = { en: "no rule can allow this", zh: "没有规则可以允许它" };

/** What a rule allows, in one line: exactly these words first, in exactly this folder. */
export function ruleText({ tool, program, prefix, folder }: Grant): Text {
  const words = [...(program === undefined ? [] : [program]), ...prefix].map(quoted).join(" ");
  const what = words === "" ? tool : `${tool}: ${words} …`;
  return { en: `${what} in ${folder}`, zh: `${what}（在 ${folder} 中）` };
}

const quoted = (word: string): string => (/^[\p{L}\p{N}_./:@%+,=-]+$/u.test(word) ? word : JSON.stringify(word));

export function ruleLine({ id, sessionId, hits, createdMs, usedMs, ...grant }: Rule, nowMs: number): Text {
  const { en, zh } = ruleText(grant);
  const ago = Math.max(0, nowMs - (usedMs ?? createdMs));
  const of = sessionId === undefined ? ALWAYS : ofSession(sessionId);
  const last = { en: duration(ago, "en"), zh: duration(ago, "zh") };
  const used =
    usedMs === undefined
      ? { en: `never used, made ${last.en} ago`, zh: `从未使用，${last.zh}前写入` }
      : {
          en: `used ${hits === 1 ? "once" : `${hits} times`}, last ${last.en} ago`,
          zh: `已使用 ${hits} 次，上次在 ${last.zh}前`,
        };
  return { en: `${id}  ${en}  (${of.en}; ${used.en})`, zh: `${id}  ${zh}（${of.zh}；${used.zh}）` };
}

const ALWAYS: Text = { en: "always", zh: "始终" };
const ofSession = (id: string): Text => ({ en: `session ${id}`, zh: `会话 ${id}` });

/** What `approve` says of rules. */
export const RULE_WORDS: Readonly<
  Record<"none" | "forgot" | "wouldForget" | "wouldAllow" | "wouldDeny" | "bothScopes" | "wrote", Text>
> = {
  none: { en: "No rules: every call that needs you asks.", zh: "没有规则：每个需要你的调用都会询问。" },
  wouldForget: { en: "would be forgotten", zh: "将被删除" },
  forgot: { en: "forgotten", zh: "已删除" },
  wouldAllow: { en: "would be allowed", zh: "将被允许" },
  wouldDeny: { en: "would be denied", zh: "将被拒绝" },
  wrote: { en: "rule", zh: "规则" },
  bothScopes: {
    en: "--session and --always exclude each other: name one.",
    zh: "--session 和 --always 不能同时使用：请只写一个。",
  },
};

export const noRuleFor = (id: string): Text => ({
  en: `No rule can be written for ${id}: a part of it may never be allowed for good. Without --session and --always it is allowed once.`,
  zh: `无法为 ${id} 写入规则：其中一部分不能长期允许。不加 --session 和 --always 则只允许这一次。`,
});

export const noSuchRule = (id: string): Text => ({
  en: `There is no rule ${id}. Nothing was changed.`,
  zh: `没有规则 ${id}。没有改动任何内容。`,
});

export const brokenRules = (why: string): Text => ({
  en: `The rules cannot be read, so none holds: ${why}`,
  zh: `规则无法读取，因此都不生效：${why}`,
});
