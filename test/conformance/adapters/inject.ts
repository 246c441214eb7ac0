import { EFFECTS, type Effect } from "../../injection/effects.ts";
import { play } from "../../injection/play.ts";
import { CLEAN, HIDDEN, type Source, SOURCES } from "../../injection/sources.ts";
import { verdictOf } from "../../injection/verdict.ts";
import type { Json } from "../case-file.ts";
import { objectOf, textOf, textOrNone } from "../input.ts";

/** What a sentence is about that says what becomes of what outlives a session (issue 8). */
const OF_LATER_SESSIONS = /\b(?:(?:un)?taint\w*|quarantin\w*|memor\w*|skills?|notes?|poison\w*|dreams?|reviews?)\b/iu;

/** What is not there yet, by what a sentence is about; the first that fits. */
const LATER: readonly (readonly [about: RegExp, needs: string])[] = [
  [/frame|closer|escape|neutrali|token|role tag|boundary/iu, "frames around results (issue 9)"],
  [/host|url|fetch|link|preview|image|exfil|egress|network/iu, "the egress guard (issue 10)"],
  [/child|subagent|parent/iu, "child agents (issue 10)"],
  [/cron|schedul/iu, "the schedule"],
  [/messag|send|chat|channel/iu, "channels"],
];

/** Where words come from that nothing here brings in. */
const ABSENT: readonly (readonly [said: RegExp, needs: string])[] = [
  [/subagent|child|parent/iu, "child agents (issue 10)"],
  [/group|channel|forward|paired|guest|stranger|another user|contact/iu, "channels"],
  [/fork|undo|rewind|delete|dream/iu, "a scenario with it"],
];

const isAboutLater = (expect: string): boolean =>
  OF_LATER_SESSIONS.test(expect) && !/network rules|new host/iu.test(expect);

export function injectUnsupported(input: Json, expect: Json): string | undefined {
  const sentence = textOf(expect, "expect");
  const said = textOf(objectOf(input, "input")["source"], "source");
  const absent = ABSENT.find(([about]) => about.test(said))?.[1];
  if (!isAboutLater(sentence)) {
    const needs = LATER.find(([about]) => about.test(sentence))?.[1] ?? "the approval policy (issue 9)";
    return `needs ${needs}, a later part`;
  }
  if (absent !== undefined) return `needs ${absent}, a later part`;
  return (cleanWay(said) ?? sourceOf(said)) ? undefined : "needs a way in that no part has yet, a later part";
}

/** A sentence that says of a conversation that nobody else has spoken in it, or no longer. */
const IS_CLEAN =
  /\bnot tainted\b|\buntainted\b|\bno taint\b|\bnot (?:asked|quarantined)\b|taint\w* (?:is |was )?(?:cleared|gone|lifted|removed|reset|over|ends?|ended)\b|\bclean\b|\b(?:is|are) (?:written|saved|stored)$|\b(?:memory|note|skill) written$|\bwithout (?:a question|asking)\b/iu;

/**
 * Tainted: nothing is written that a person has not said yes to, and it waits for one, whatever a sentence calls it. Else
 * it is written at once.
 */
export const injectExpectation = (expect: Json): Json => ({
  tainted: !IS_CLEAN.test(textOf(expect, "expect")),
  wrong: [],
});

/** Where the words come from, by the words a case has for it. */
const WAYS: readonly (readonly [said: RegExp, name: string])[] = [
  [/summar|compact/iu, "a summary of what was read"],
  [/restart|resum|new process|crash|(?:new|next|later|second|following).*(?:turn|question)/iu, "an earlier process"],
  [/review/iu, "a review of what was read"],
  [/error/iu, "the error of a tool"],
  [/web|page|html|site/iu, "a web page"],
  [/description of (?:an? |the )?(?:image|picture|screenshot)/iu, "the description of a picture"],
  [/image|picture|screenshot|photo/iu, "a picture from a tool"],
  [/mcp/iu, "a tool of an MCP server"],
  [/search|grep/iu, "a search hit"],
  [/terminal|command|shell|output|\blog\b/iu, "what a command prints"],
  [/attach|upload|stdin/iu, "an attached file"],
  [/recall|memor/iu, "an outside memory"],
  [/plug-?in|hook/iu, "a plug-in"],
  [/import|transcript/iu, "an imported conversation"],
  [/skill/iu, "a skill of the project"],
  [/steer/iu, "the user's word on a receipt"],
  [/file|document|pdf|readme|repo|source|comment|agents\.md|package\.json/iu, "a file"],
  [/mail|calendar|issue|ticket|commit|tool|result|api|server|row|feed/iu, "a tool of an MCP server"],
];

function sourceOf(said: string): Source | undefined {
  const name = WAYS.find(([words]) => words.test(said))?.[1];
  return [...SOURCES, ...HIDDEN].find((each) => each.name === name);
}

/** Conversations in which only the user speaks. */
const CLEAN_WAYS: readonly (readonly [said: RegExp, name: string])[] = [
  [/(?:new|another|other|next|fresh) session|\/new/iu, "another session in which a file was read"],
  [/^(?:the )?(?:owner|user)\b(?!.*\bturn\b)/iu, "the user's own words"],
];

function cleanWay(said: string): Pick<Source, "play"> | undefined {
  const name = CLEAN_WAYS.find(([words]) => words.test(said))?.[1];
  return name === undefined ? undefined : CLEAN.find((each) => each.name === name);
}

const effectOf = (text: string): Effect =>
  EFFECTS.find(({ name }) => name === (/skill/iu.test(text) ? "skill create" : "memory add")) as Effect;

/** `{source, text?, …}`: what a model that obeys makes of it, with nobody there to be asked; what went wrong is told. */
export async function injectCase(input: Json): Promise<unknown> {
  const { source, text } = objectOf(input, "input");
  const said = textOf(source, "source");
  const effect = effectOf(textOrNone(text));
  const clean = cleanWay(said);
  const way = sourceOf(said);
  const ended = await play(clean ?? (way as Source), effect, "never");
  const tainted = ended.changed.length === 0;
  if (clean !== undefined || way === undefined) return { tainted, wrong: ended.proposed };
  return { tainted, wrong: verdictOf(ended, { answer: "never", named: way.named }) };
}
