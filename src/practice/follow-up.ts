import { matchIntent } from "./grammar.ts";
import type { Intent, Target } from "./intents.ts";
import { kindIn } from "./kinds.ts";
import { literal, plain, quotedIn, reword, type Phrase } from "./phrase.ts";
import { takeFolder, type Scope } from "./scope.ts";
import { looksLikeFile, targetOf } from "./target.ts";

const LEAD =
  /^(?:and|what about|how about|then|now|also|or|same for|the same for|那么?|还有|以及|再)\s*(?:for\s+|of\s+|the one\s+)?/iu;
const AGAIN =
  /^(?:continue|go on|go ahead|carry on|proceed|keep going|again|try again|retry|once more|resume|继续|再来一次|重试|接着)$/iu;

/** What a fragment means after `before`: "and the other end?", "what about lib?", "and that one". */
export function continueIntent(fragment: Phrase, before: Intent | undefined): Intent | undefined {
  if (before === undefined) return undefined;
  const phrase = plain(reword(fragment, fragment.text.replace(LEAD, "")));
  if (AGAIN.test(phrase.text)) return before;
  const marked = LEAD.test(fragment.text) || quotedIn(phrase).length > 0;
  return otherPlace(phrase, before) ?? otherThing(phrase, before, marked);
}

function otherPlace(phrase: Phrase, before: Intent): Intent | undefined {
  if (!("scope" in before)) return undefined;
  const scope = changedScope(phrase, before.scope);
  return scope && { ...before, scope };
}

/** `marked`: the phrase says itself that it goes on with the question before. */
function otherThing(phrase: Phrase, before: Intent, marked: boolean): Intent | undefined {
  if ("target" in before) return marked || looksLikeFile(phrase) ? withTarget(before, phrase) : undefined;
  if (before.type !== "search" && before.type !== "count-text") return undefined;
  const text = quotedIn(phrase)[0] ?? literal(phrase).trim();
  return text !== "" && (marked || isIdentifier(phrase.text)) ? { ...before, text } : undefined;
}

function withTarget(before: Extract<Intent, { readonly target: Target }>, phrase: Phrase): Intent | undefined {
  const target = targetOf(phrase);
  return target && { ...before, target };
}

/** Written as only programs write: fooBar, foo_bar, foo.bar. */
const isIdentifier = (text: string): boolean => /^[\w$]*(?:[a-z][A-Z]|_|\.)[\w$]*$/u.test(text);

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
