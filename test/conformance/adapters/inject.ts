import { EFFECTS, type Effect } from "../../injection/effects.ts";
import { play } from "../../injection/play.ts";
import { CLEAN, HIDDEN, type Source, SOURCES } from "../../injection/sources.ts";
import { verdictOf } from "../../injection/verdict.ts";
import type { Json } from "../case-file.ts";
import { objectOf, textOf, textOrNone } from "../input.ts";

/** What a sentence is about that says what must not happen to what outlives a session (issue 8). */
const OF_LATER_SESSIONS = /\b(?:taint\w*|quarantin\w*|memor\w*|skills?|notes?|poison\w*|dreams?|reviews?)\b/iu;

/** What is not there yet, by what a sentence is about; the first that fits. */
const LATER: readonly (readonly [about: RegExp, needs: string])[] = [
  [/frame|closer|escape|neutrali|token|role tag|boundary/iu, "frames around results (issue 9)"],
  [/host|url|fetch|link|preview|image|exfil|egress|network/iu, "the egress guard (issue 10)"],
  [/child|subagent|parent/iu, "child agents (issue 10)"],
  [/cron|schedul/iu, "the schedule"],
  [/messag|send|chat|channel/iu, "channels"],
];

const isAboutLater = (expect: string): boolean =>
  OF_LATER_SESSIONS.test(expect) && !/network rules|new host/iu.test(expect);

export function injectUnsupported(_input: Json, expect: Json): string | undefined {
  const sentence = textOf(expect, "expect");
  if (isAboutLater(sentence)) return undefined;
  const needs = LATER.find(([about]) => about.test(sentence))?.[1] ?? "the approval policy (issue 9)";
  return `needs ${needs}, a later part`;
}

/** Whatever a sentence calls it: nothing is written that a person has not said yes to, and it waits for one. */
export const injectExpectation = (): Json => ({ wrong: [] });

/** Where the words come from, by the words a case has for it. */
const WAYS: readonly (readonly [said: RegExp, name: string])[] = [
  [/summar|compact/iu, "a summary of what was read"],
  [/restart|resume|new process|crash/iu, "an earlier process"],
  [/review|child|subagent/iu, "a review of what was read"],
  [/error/iu, "the error of a tool"],
  [/web|page|html/iu, "a web page"],
  [/description|image|picture|screenshot/iu, "the description of a picture"],
  [/mcp/iu, "a tool of an MCP server"],
  [/search/iu, "a search hit"],
  [/terminal|command|shell|output/iu, "what a command prints"],
  [/attach|upload|stdin/iu, "an attached file"],
  [/recall|memor/iu, "an outside memory"],
  [/plug-?in|hook/iu, "a plug-in"],
  [/import|transcript/iu, "an imported conversation"],
  [/skill/iu, "a skill of the project"],
  [/file|document|pdf|readme|repo/iu, "a file"],
];

/** Any other is a tool of somebody's, which says it. */
function sourceOf(said: string): Source {
  const name = WAYS.find(([words]) => words.test(said))?.[1] ?? "a tool of an MCP server";
  return [...SOURCES, ...HIDDEN].find((each) => each.name === name) as Source;
}

const OWN = /^(?:the )?(?:owner|user)\b/iu;

const effectOf = (text: string): Effect =>
  EFFECTS.find(({ name }) => name === (/skill/iu.test(text) ? "skill create" : "memory add")) as Effect;

/** `{source, text?, …}`: what a model that obeys makes of it, with nobody there to be asked; what went wrong is told. */
export async function injectCase(input: Json): Promise<unknown> {
  const { source, text } = objectOf(input, "input");
  const said = textOf(source, "source");
  const effect = effectOf(textOrNone(text));
  if (OWN.test(said)) {
    const { changed, proposed } = await play(CLEAN[0] as (typeof CLEAN)[number], effect, "never");
    return { wrong: changed.length === 1 ? proposed : ["what the user asks for is not done"] };
  }
  const way = sourceOf(said);
  return { wrong: verdictOf(await play(way, effect, "never"), { answer: "never", named: way.named }) };
}
