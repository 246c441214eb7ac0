import type { Intent } from "./intents.ts";
import { literal, quotedIn, reword, verbatim, type Phrase } from "./phrase.ts";
import { looksLikeFile, targetOf } from "./target.ts";

/** Commands that people type without saying "run". */
const COMMAND =
  /^(?:git (?:status|log|diff|branch|show|remote|tag|blame|stash|fetch|pull|push|commit|add|checkout|switch|merge|rebase)|(?:npm|pnpm|yarn) (?:test|run|install|ci|ls|start|outdated|audit)|cargo (?:test|build|run)|ls(?= -)|pwd|whoami)(?:\s+(?!(?:and|then)\b)[^\s,?]+)*$/u;

/** "run the build" */
const NO_COMMAND = /^(?:the|my|our|all|its|this|these)\b/iu;

/** Behind a command: what comes out is told anyway. */
const TELL_ME = /,?\s+(?:and|then)\s+(?:show|tell|give|print|report)\b.*$/isu;

const CHECK =
  /^(?:(?:run|execute|start|do)\s+)?(?:(?:the|my|our|all|its|this|project(?:'s)?|unit)\s+)*(?:tests?|checks?|test ?suite)(?:\s+(?:again|here|now))?$|^(?:test|check)\s+(?:it|this|everything)$|^(?:运行|执行|跑一?下?)(?:所有)?(?:检查|测试)$/iu;

export function matchRun(phrase: Phrase): Intent | undefined {
  if (CHECK.test(phrase.text)) return { type: "check" };
  if (COMMAND.test(phrase.text)) return { type: "run", command: verbatim(phrase) };
  const words = /^(?:run|execute|运行|执行)(?:\s+(?:the\s+)?(?:shell\s+)?(?:command|命令)\b)?[\s:：]*(.+)$/isu.exec(
    phrase.text,
  )?.[1];
  if (words === undefined) return undefined;
  if (NO_COMMAND.test(words)) return { type: "beyond", why: "I can run a command only as you write it: “run ls -l”." };
  const rest = reword(phrase, words.replace(TELL_ME, ""));
  const [quoted] = quotedIn(rest);
  const command = quoted !== undefined && rest.text.startsWith("\uE000") ? quoted : verbatim(rest);
  return { type: "run", command };
}

const WRITE_TO =
  /^(?:write|save|put)\s+(?:the\s+(?:text|words?|line)\s+)?(.+?)\s+(?:in|into|to)\s+(?:a\s+|the\s+)?(?:new\s+)?(?:file\s+)?(?:named\s+|called\s+)?(\S+)$/isu;
const CREATE_WITH =
  /^(?:create|make|write)\s+(?:an?\s+|the\s+)?(?:new\s+)?(?:file\s+)?(?:named\s+|called\s+)?(\S+)\s+(?:with|containing|that says|saying)\s+(?:the\s+)?(?:text|content|contents|words?|line)?\s*:?\s*(.+)$/isu;

export function matchWrite(phrase: Phrase): Intent | undefined {
  const to = WRITE_TO.exec(phrase.text);
  const create = CREATE_WITH.exec(phrase.text);
  const path = create?.[1] ?? to?.[2];
  const content = create?.[2] ?? to?.[1];
  if (path === undefined || content === undefined) return undefined;
  return { type: "write", path: literal(reword(phrase, path)), content: literal(reword(phrase, content)) };
}

const REPLACE =
  /^(?:replace|change|substitute|rename|fix|correct)\s+(?:(?:every|all|each|the|occurrences?|of|word|text|typo)\s+)*(\S+)\s+(?:with|by|to|into|for)\s+(\S+)\s+(?:in|inside|within)\s+(?:the\s+)?(?:file\s+)?(\S+)$/iu;
/** Chinese runs on without spaces, so what is replaced has to be quoted. */
const CHINESE_REPLACE =
  /^(?:把|将)\s*(\S+?)\s*(?:文件)?(?:里面|里|中)?的?\s*(\uE000\d+\uE001)\s*(?:都|全部)?\s*(?:改成|改为|替换成|替换为|换成|换为)\s*(\uE000\d+\uE001)$/u;
/** "add tests to a.ts" asks for thought, not for a line: what is added is quoted, or called a line or a text. */
const APPEND =
  /^(?:append\s+(?:(?:the\s+|a\s+)?(?:line|text|words?)\s+)?|add\s+(?:(?:the\s+|a\s+)?(?:line|text|words?)\s+|(?=\uE000\d+\uE001\s)))(\S.*?)\s+(?:to|at)\s+(?:the\s+end\s+of\s+)?(?:the\s+)?(?:file\s+)?(\S+)$/iu;

export const matchEdit = (phrase: Phrase): Intent | undefined => matchReplace(phrase) ?? matchAppend(phrase);

function matchReplace(phrase: Phrase): Intent | undefined {
  const english = REPLACE.exec(phrase.text);
  const chinese = CHINESE_REPLACE.exec(phrase.text);
  const [from, to, place] = english?.slice(1) ?? [chinese?.[2], chinese?.[3], chinese?.[1]];
  if (from === undefined || to === undefined || place === undefined) return undefined;
  const target = targetOf(reword(phrase, place));
  const edit = { do: "replace", from: literal(reword(phrase, from)), to: literal(reword(phrase, to)) } as const;
  return target === undefined || edit.from === "" ? undefined : { type: "edit", target, edit };
}

function matchAppend(phrase: Phrase): Intent | undefined {
  const [, line, file] = APPEND.exec(phrase.text) ?? [];
  if (line === undefined || file === undefined) return undefined;
  const target = targetOf(reword(phrase, file));
  if (target?.type !== "it" && !looksLikeFile(reword(phrase, file))) return undefined;
  return target && { type: "edit", target, edit: { do: "append", text: literal(reword(phrase, line)) } };
}
