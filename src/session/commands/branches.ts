import { textOf } from "../../protocol/message.ts";
import { BRANCH_WORDS, editing, forkedAt, leftAt, noCount, wentBack } from "../../words/branches.ts";
import { COMMAND_SAYS } from "../../words/commands.ts";
import type { Language } from "../../words/language.ts";
import { type Left, leaveBefore } from "../branches.ts";
import { type Branch, treeOf } from "../lineage.ts";
import { oneLine } from "../plain-text.ts";
import type { CommandContext } from "./command.ts";

/** `/fork [N]`: goes on in a fork, from here or from before the last message but so many. */
export async function fork(context: CommandContext, text: string): Promise<void> {
  if (text !== "") return back(context, text);
  const { store, sessionId, newSessionId, language } = context;
  const made = await store.fork(newSessionId(), { from: sessionId });
  if (made === undefined) return context.tell(COMMAND_SAYS.noMessage[language]);
  context.enter(made.sessionId, "branch");
  context.tell(forkedAt(made.sessionId, made.at)[language]);
}

/** `/back [N]`: takes the last exchanges out of what is sent from here on, in a fork. */
export async function back(context: CommandContext, text: string): Promise<void> {
  const left = await leave(context, text);
  if (left !== undefined) context.tell(forkedAt(left.sessionId, left.at)[context.language]);
}

/** `/edit [N]`: the message comes back to be changed, and is sent in a fork. */
export async function edit(context: CommandContext, text: string): Promise<void> {
  const left = await leave(context, text);
  if (left === undefined) return;
  context.tell(editing(left.sessionId)[context.language]);
  context.write(textOf(left.message));
}

/** `/retry`: the last message of the user once more, in a fork: what was answered stays where it is. */
export async function retry(context: CommandContext): Promise<void> {
  const left = await leave(context, "");
  if (left === undefined) return;
  context.tell(forkedAt(left.sessionId, left.at)[context.language]);
  context.send(textOf(left.message));
}

/** Enters a fork that leaves before a message; says why when there is none. */
async function leave(context: CommandContext, text: string): Promise<Left | undefined> {
  const { store, sessionId: from, newSessionId, language, tell } = context;
  if (!/^(?:[1-9]\d{0,8})?$/u.test(text)) {
    tell(noCount(oneLine(text))[language]);
    return undefined;
  }
  const count = text === "" ? 1 : Number(text);
  const left = await leaveBefore(store, { from, back: count, newSessionId });
  if (left === undefined) tell((count === 1 ? COMMAND_SAYS.noMessage : BRANCH_WORDS.notSoMany)[language]);
  else context.enter(left.sessionId, "branch");
  return left;
}

/** `/redo`: the session that this one has left. */
export function redo({ store, sessionId, enter, language, tell }: CommandContext): void {
  const sessions = store.list();
  const parent = sessions.find((session) => session.sessionId === sessionId)?.forkOf?.sessionId;
  const found = sessions.find((session) => session.sessionId === parent);
  if (found === undefined) return tell(BRANCH_WORDS.notAFork[language]);
  enter(found.sessionId, "branch");
  tell(wentBack(found.sessionId, found.messages)[language]);
}

/** `/tree`: all that share a beginning with this session, which is marked. */
export function tree({ store, sessionId, language, tell }: CommandContext): void {
  const found = treeOf(store.list(), sessionId);
  if (found.length < 2) tell(BRANCH_WORDS.alone[language]);
  else for (const branch of found) tell(branchLine(branch, sessionId, language));
}

function branchLine({ session, stem }: Branch, current: string, language: Language): string {
  const mark = session.sessionId === current ? "*" : " ";
  const place = session.forkOf === null ? "" : `  ${leftAt(session.forkOf.at)[language]}`;
  return `${mark} ${stem}${session.sessionId}${place}  ${oneLine(session.title)}`;
}
