import type { Intent } from "./intents.ts";
import { literal, reword, verbatim, type Phrase } from "./phrase.ts";

const LIST = String.raw`(?:to-?dos?|tasks?)(?:[\s-]?(?:list|items))?`;
const SHOW = new RegExp(
  String.raw`^(?:(?:show|list|print|see|what(?:'s| is| are)(?: (?:left|still|open))?(?: (?:on|in))?|what remains on)\s+(?:me\s+)?)?(?:(?:the|my|our|all)\s+)*(?:open\s+)?${LIST}$|^(?:显示|查看|列出)?(?:我的)?待办(?:事项|清单|列表)?$`,
  "iu",
);
const ADD = new RegExp(
  String.raw`^(?:add|put|note)\s+(\S.*?)\s+(?:to|on|onto|in)\s+(?:(?:the|my|our)\s+)?${LIST}$|^(?:new\s+)?(?:to-?do|task)\s*[:：]\s*(\S.*)$|^(?:把|将)?\s*(\S.*?)\s*(?:加入|加到|添加到|放进)(?:我的)?(?:待办|任务)(?:事项|清单|列表)?(?:里|中)?$|^(?:添加|新建)?待办(?:事项)?\s*[:：]\s*(\S.*)$`,
  "iu",
);
const DONE = new RegExp(
  String.raw`^mark\s+(?:${LIST}\s+)?(\S.*?)\s+(?:as\s+)?(?:done|completed?|finished)$|^(?:tick|check|cross)\s+off\s+(\S.*)$|^(?:to-?do|task|item)\s+(\S.*?)\s+(?:is\s+)?(?:done|finished)$|^done\s*[:：]\s*(\S.*)$|^(\S.*?)\s*(?:已经?完成了?|做完了)$`,
  "iu",
);
const CLEAR = new RegExp(
  String.raw`^(?:clear|empty|delete|reset)\s+(?:(?:the|my|our|all)\s+)*${LIST}$|^清空(?:我的)?待办(?:事项|清单|列表)?$`,
  "iu",
);

/** What is asked of the todo list. */
export function matchTodo(phrase: Phrase): Intent | undefined {
  if (SHOW.test(phrase.text)) return { type: "todo", ask: { do: "show" } };
  if (CLEAR.test(phrase.text)) return { type: "todo", ask: { do: "clear" } };
  const content = firstGroup(ADD.exec(phrase.text));
  if (content !== undefined) return { type: "todo", ask: { do: "add", content: literal(reword(phrase, content)) } };
  const which = firstGroup(DONE.exec(phrase.text));
  return which === undefined
    ? undefined
    : { type: "todo", ask: { do: "finish", which: literal(reword(phrase, which)) } };
}

const REMEMBER =
  /^(?:remember|keep in mind|do not forget|don't forget|note)(?:\s+(?:that|this))?\s*[:：,]?\s+(\S.*)$|^(?:请)?记住[:：，,]?\s*(\S.*)$/isu;
const RECALL =
  /^what (?:did i (?:tell|say|ask)(?: to)?(?: you)?(?: to remember)?|do you (?:remember|recall|know about me)|(?:have|had) i told you)(?: about (\S.*))?$|^do you (?:still )?remember (?:what i (?:told you|said)|what|the|my)\s*(\S.*)?$|^what(?:'s| is) my ((?:user ?)?name|nickname|birthday|age|job|email|favou?rite \S+)$|^(?:我告诉过?你什么|我说过什么|你记得什么|你记住了什么)$/iu;

/** A fact to be kept in mind, or a question about such facts. */
export function matchMemory(phrase: Phrase): Intent | undefined {
  if (RECALL.test(phrase.text)) {
    const about = firstGroup(RECALL.exec(phrase.text));
    return { type: "recall", ...(about !== undefined && { about: literal(reword(phrase, about)) }) };
  }
  const fact = firstGroup(REMEMBER.exec(phrase.text));
  return fact === undefined ? undefined : { type: "remember", fact: verbatim(reword(phrase, fact)) };
}

const firstGroup = (match: RegExpExecArray | null): string | undefined =>
  match?.slice(1).find((group) => group !== undefined);
