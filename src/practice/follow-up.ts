import { matchIntent } from "./grammar.ts";
import type { Intent } from "./intents.ts";
import { kindIn } from "./kinds.ts";
import { literal, plain, quotedIn, reword, type Phrase } from "./phrase.ts";
import { takeFolder, type Scope } from "./scope.ts";
import { looksLikeFile, targetOf } from "./target.ts";

const LEAD =
  /^(?:and|what about|how about|then|now|also|or|same for|the same for|那么?|还有|以及|再)\s*(?:for\s+|of\s+|the one\s+)?/iu;
const AGAIN =
  /^(?:continue|go on|go ahead|carry on|proceed|keep going|again|try again|retry|once more|resume|继续|再来一次|重试|接着)$/iu;

/** What a fragment means after `before`: "and the smallest?", "what about src?", "and b.md", "continue". */
export function continueIntent(fragment: Phrase, before: Intent | undefined): Intent | undefined {
  if (before === undefined) return undefined;
  const phrase = plain(reword(fragment, fragment.text.replace(LEAD, "")));
  if (AGAIN.test(phrase.text)) return before;
  const marked = phrase.text !== fragment.text.trim() && LEAD.test(fragment.text);
  if ("scope" in before) {
    const scope = changedScope(phrase, before.scope);
    if (scope !== undefined) return { ...before, scope };
  }
  if ("target" in before) {
    const target = marked || looksLikeFile(phrase) || quotedIn(phrase).length > 0 ? targetOf(phrase) : undefined;
    return target && { ...before, target };
  }
  if (before.type === "search" || before.type === "count-text") {
    const text = literal(phrase).trim();
    const named = marked || quotedIn(phrase).length > 0 || /^[\w$]*(?:[a-z][A-Z]|_|\.)[\w$]*$/u.test(text);
    return named && text !== "" ? { ...before, text: quotedIn(phrase)[0] ?? text } : undefined;
  }
  return undefined;
}

/** The same question about another folder or kind of file. */
function changedScope(phrase: Phrase, before: Scope): Scope | undefined {
  if (matchIntent(phrase) !== undefined) return undefined;
  const { rest, folder } = takeFolder(reword(phrase, `x ${phrase.text}`));
  if (folder !== undefined && rest.text === "x") return { ...before, folder };
  const kind = kindIn(phrase.text);
  if (kind === undefined || kind === null) return undefined;
  const { name: _, ...others } = before;
  return { ...others, kind, ...(folder !== undefined && { folder }) };
}

/** Words that ask for what the answer says anyway, or for nothing. */
export function isFiller(phrase: Phrase, before: Intent | undefined): boolean {
  const text = plain(phrase).text;
  if (text === "" || /^(?:thanks?|thank you|cheers|please|谢谢)\b.*$/iu.test(text)) return true;
  if (
    /^(?:look at|consider|check|examine|go through|take a look at|here is|here's|this is)\b.*\b(?:folder|files|project|directory|code)$/iu.test(
      text,
    )
  )
    return true;
  if (before === undefined) return false;
  if (
    /^(?:show|give|tell|print)?\s*(?:me )?(?:the )?(?:result|results|output|answer|what (?:it|you|comes)\b.*|how it went)$/iu.test(
      text,
    )
  )
    return true;
  const detail =
    /^(?:(?:what|how|which|where|give|say|tell|state)\b.*?)?\b(?:its|their|the|his) (?:exact |full )?(?:names?|sizes?|paths?|location|date|bytes)\b|^how (?:big|large|old|many bytes)(?: is it| are they)?|^(?:by how much|where is it|what is it called)$/iu;
  return (before.type === "rank" || before.type === "size") && detail.test(text);
}
