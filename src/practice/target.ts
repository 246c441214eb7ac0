import type { Target } from "./intents.ts";
import { matchRank } from "./order.ts";
import { literal, quotedIn, reword, type Phrase } from "./phrase.ts";

const IT =
  /^(?:it|that|this|them|that one|this one|(?:the|that|this|same) (?:same )?(?:file|document|one)|its content|它|这个|这个文件|该文件|那个文件)$/iu;
const BEFORE =
  /^(?:(?:the|a|an|my|our|your|file|document|script|full|whole|entire|contents?|text|of|in|inside|from|called|named|文件)\s+)+/iu;
const AFTER =
  /(?:\s+(?:file|document|script|here|there|contains?|define[sd]?|declares?|exports?|has|have|got|look like|please|now|again|about|文件)|的|文件|里面?|中)+$/iu;

/** The file a phrase names: "the file README", "it", "the largest file". Undefined when nothing is left to be a name. */
export function targetOf(phrase: Phrase): Target | undefined {
  const [quoted] = quotedIn(phrase);
  if (quoted !== undefined) return { type: "named", names: [quoted] };
  const whole = phrase.text.trim();
  const bare = whole.replace(BEFORE, "").replace(AFTER, "").trim();
  if (IT.test(whole) || IT.test(bare)) return { type: "it" };
  const rank = matchRank(phrase);
  if (rank !== undefined) return { type: "ranked", rank: { ...rank, count: 1 } };
  if (bare === "" || NO_NAME.test(bare)) return undefined;
  return { type: "named", names: [...new Set([literal(reword(phrase, bare)), literal(reword(phrase, whole))])] };
}

const NO_NAME =
  /^(?:me|us|you|there|here|what|which|who|the|files?|folders?|director(?:y|ies)|project|repo(?:sitory)?|everything|all|anything|something)$|[?？]/iu;

/** Like a file's name: an ending, a slash, or one of the well-known names without an ending. */
export function looksLikeFile(phrase: Phrase): boolean {
  const words = literal(phrase).trim();
  return (
    /\.[a-z0-9_+-]{1,10}$|[/\\]/iu.test(words) ||
    /^(?:read ?me|license|licence|makefile|dockerfile|changelog|contributing|gemfile|procfile|notice|authors)$/iu.test(
      words,
    )
  );
}

/** "the project", "this folder" */
export const isThisFolder = (words: string): boolean =>
  /^(?:(?:the|this|my|our|current|whole)\s+)*(?:here|there|folder|directory|dir|project|repo(?:sitory)?|workspace|code ?base)(?:\s+(?:tree|structure))?$|^(?:这个|当前)?(?:文件夹|目录|项目)$/iu.test(
    words.trim(),
  );
