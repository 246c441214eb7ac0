import type { NoteAnswer, NoteBook, NoteProposal } from "../../protocol/memory.ts";
import { spelledOut } from "../../session/plain-text.ts";
import type { Text } from "../../words/language.ts";
import {
  askMake,
  decideStep,
  MEMORY_WORDS,
  NOTE_STEPS,
  noteRefusal,
  noSuchProposal,
  proposalHead,
} from "../../words/memory.ts";
import { nextSteps } from "../../words/steps.ts";
import { answerTo, isYes } from "../confirm.ts";
import type { Asked } from "../context.ts";
import { say, sayJson } from "../io.ts";
import { stepLine } from "../next-steps.ts";
import { usageRefusal } from "../refusal.ts";
import { type Difference, differenceLines, mustBeDone } from "./notes.ts";
import { originLines, originOf, type Origin, type WithStore } from "./why.ts";

interface Reviewing extends Asked {
  readonly withStore: WithStore;
}

/** A change that waits, with what it would change and where it comes from. */
interface Waiting extends NoteProposal {
  readonly changes: Difference;
  /** The note it speaks of is not there any more. */
  readonly lost: boolean;
  readonly origin: Origin;
}

/** `evander memory review`: what waits; at a terminal each is asked for, and Enter leaves it. */
export async function reviewNotes(book: NoteBook, how: Reviewing): Promise<void> {
  const { io, json, language, withStore } = how;
  const waiting: Waiting[] = [];
  for (const proposal of book.proposals())
    waiting.push({ ...proposal, ...wouldChange(book, proposal), origin: await originOf(proposal.written, withStore) });
  if (json) return sayJson(io, waiting.map(asRecord));
  if (waiting.length === 0) return say(io.stderr, MEMORY_WORDS.nothingWaits[language]);
  const asks = io.stdin.isTTY === true;
  for (const proposal of waiting) {
    for (const line of proposalLines(proposal, how)) say(io.stdout, line);
    if (asks) await askFor(book, proposal, how);
  }
  if (asks) return;
  const ids = waiting.map(({ id }) => id);
  for (const step of nextSteps([decideStep(ids)], undefined, language)) say(io.stderr, stepLine(step, io.env));
}

function wouldChange(book: NoteBook, { change }: NoteProposal): Pick<Waiting, "changes" | "lost"> {
  if (change.do === "add") return { changes: { removed: [], added: [change.text] }, lost: false };
  const lost = book.read(change.file).notes.every(({ text }) => text !== change.find);
  return { changes: { removed: [change.find], added: change.do === "replace" ? [change.text] : [] }, lost };
}

const asRecord = ({ change, origin, changes, ...proposal }: Waiting): object => ({
  ...proposal,
  change,
  ...changes,
  ...origin,
});

/** Others' words may stand in it: all of it is shown, every hidden character spelt out. */
function proposalLines(
  { id, change, tainted, changes, lost, written, origin }: Waiting,
  { language }: Asked,
): string[] {
  return [
    proposalHead(spelledOut(id), change.file, spelledOut(tainted))[language],
    ...differenceLines(changes),
    ...(lost ? [`    ${MEMORY_WORDS.targetGone[language]}`] : []),
    ...originLines(written, origin, { language, waits: true }).map((line) => `    ${line}`),
  ];
}

/** One that cannot be made is told, and the others are still asked for. */
async function askFor(book: NoteBook, { id }: NoteProposal, { io, language }: Asked): Promise<void> {
  const answer = await answerTo(io, askMake(spelledOut(id))[language]);
  const yes = isYes(answer);
  if (!yes && !/^no?$/iu.test(answer)) return say(io.stderr, MEMORY_WORDS.left[language]);
  const done = await book.decide(id, yes);
  say(io.stderr, toldOf(done, id, yes)[language]);
}

function toldOf(done: NoteAnswer | undefined, id: string, yes: boolean): Text {
  if (done === undefined) return noSuchProposal(spelledOut(id));
  return done.type === "refused" ? noteRefusal(done) : MEMORY_WORDS[yes ? "made" : "dropped"];
}

/** `evander memory review yes|no ID…`: all are looked up before the first is decided. */
export async function decideNotes(book: NoteBook, ids: readonly string[], how: Asked & Decision): Promise<void> {
  const { io, json, language, yes, dryRun = false } = how;
  if (ids.length === 0) throw usageRefusal(MEMORY_WORDS.answerWhat, { steps: [NOTE_STEPS.review] });
  const proposals = book.proposals();
  const wanted = ids.map((id) => proposals.find((proposal) => proposal.id === id) ?? gone(id));
  for (const { id, change } of wanted) {
    if (!dryRun) mustBeDone((await book.decide(id, yes)) ?? gone(id));
    if (json) sayJson(io, { id, change, made: yes && !dryRun, dropped: !yes && !dryRun });
    else say(io.stdout, `${outcome(yes, dryRun)[language]}: ${spelledOut(id)}`);
  }
}

interface Decision {
  readonly yes: boolean;
  readonly dryRun?: boolean;
}

const outcome = (yes: boolean, dryRun: boolean): Text =>
  MEMORY_WORDS[yes ? (dryRun ? "wouldMake" : "made") : dryRun ? "wouldDrop" : "dropped"];

function gone(id: string): never {
  throw usageRefusal(noSuchProposal(spelledOut(id)), { code: "not_waiting", steps: [NOTE_STEPS.review] });
}
