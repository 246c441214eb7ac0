import type { SessionSummary, Store } from "../../protocol/store.ts";
import { COMMAND_SAYS, noSuchSession, resumed, severalSessions } from "../../words/commands.ts";
import { duration } from "../../words/durations.ts";
import type { Language } from "../../words/language.ts";
import { oneLine } from "../plain-text.ts";
import { leftTurn, whyLeft } from "../unfinished.ts";
import type { CommandContext } from "./command.ts";

const SHOWN = 10;

/** `/sessions`: the newest, the one that is open marked. */
export function sessions({ store, sessionId, language, tell }: CommandContext): void {
  const all = store.list();
  if (all.length === 0) tell(COMMAND_SAYS.noSessions[language]);
  for (const summary of all.slice(0, SHOWN)) tell(sessionLine(summary, sessionId, language));
}

function sessionLine({ sessionId, updatedMs, title }: SessionSummary, current: string, language: Language): string {
  const age = duration(Math.max(0, Date.now() - updatedMs), language);
  return `${sessionId === current ? "*" : " "} ${sessionId}  ${age}  ${oneLine(title)}`;
}

/** `/new`. */
export function begin(context: CommandContext): void {
  context.enter(context.newSessionId());
  context.tell(COMMAND_SAYS.newSession[context.language]);
}

/** `/resume`: by id, by the beginning of one, or by words of a title; alone it lists what there is. */
export function resume(context: CommandContext, asked: string): void {
  if (asked === "") return sessions(context);
  const { store, language, tell } = context;
  const found = matching(store, asked);
  const [only, ...others] = found;
  if (only === undefined) return tell(noSuchSession(oneLine(asked))[language]);
  if (others.length > 0) {
    tell(severalSessions(oneLine(asked))[language]);
    for (const summary of found.slice(0, SHOWN)) tell(sessionLine(summary, context.sessionId, language));
    return;
  }
  context.enter(only.sessionId);
  tell(resumed(oneLine(only.title), only.messages)[language]);
  const left = only.unfinished ? leftTurn(store, only.sessionId) : undefined;
  if (left !== undefined) tell(whyLeft(left, Date.now())[language]);
}

function matching(store: Store, asked: string): SessionSummary[] {
  const all = store.list();
  if (asked === "last") return all.slice(0, 1);
  const exact = all.find(({ sessionId }) => sessionId === asked);
  if (exact !== undefined) return [exact];
  const words = asked.toLowerCase();
  return all.filter(({ sessionId, title }) => sessionId.startsWith(words) || title.toLowerCase().includes(words));
}
