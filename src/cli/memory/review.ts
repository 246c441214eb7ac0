import type { NoteBook, NoteProposal } from "../../protocol/memory.ts";
import { spelledOut } from "../../session/plain-text.ts";
import { MEMORY_WORDS, proposalHead } from "../../words/memory.ts";
import type { Asked } from "../context.ts";
import { decideEach, decideNamed, type Decision, type Waiting } from "../decide.ts";
import { sayJson } from "../io.ts";
import { type Difference, differenceLines, mustBeDone } from "./notes.ts";
import { originLines, originOf, type Origin, type WithStore } from "./why.ts";

interface Reviewing extends Asked {
  readonly withStore: WithStore;
}

/** A change that waits, with what it would change and where it comes from. */
interface Shown extends NoteProposal {
  readonly changes: Difference;
  /** The note it speaks of is not there any more. */
  readonly lost: boolean;
  readonly origin: Origin;
}

/** `evander memory review` */
export async function reviewNotes(book: NoteBook, how: Reviewing): Promise<void> {
  const { io, json, withStore } = how;
  const waiting: Shown[] = [];
  for (const proposal of book.proposals())
    waiting.push({ ...proposal, ...wouldChange(book, proposal), origin: await originOf(proposal.written, withStore) });
  if (json) return sayJson(io, waiting.map(asRecord));
  const linesOf = (at: number): readonly string[] =>
    waiting.slice(at, at + 1).flatMap((each) => proposalLines(each, how));
  await decideEach(waitingIn(book), linesOf, how);
}

function wouldChange(book: NoteBook, { change }: NoteProposal): Pick<Shown, "changes" | "lost"> {
  if (change.do === "add") return { changes: { removed: [], added: [change.text] }, lost: false };
  const lost = book.read(change.file).notes.every(({ text }) => text !== change.find);
  return { changes: { removed: [change.find], added: change.do === "replace" ? [change.text] : [] }, lost };
}

const asRecord = ({ change, origin, changes, ...proposal }: Shown): object => ({
  ...proposal,
  change,
  ...changes,
  ...origin,
});

/** Others' words may stand in it: all of it is shown, every hidden character spelt out. */
function proposalLines({ id, change, tainted, changes, lost, written, origin }: Shown, { language }: Asked): string[] {
  return [
    proposalHead(spelledOut(id), change.file, spelledOut(tainted))[language],
    ...differenceLines(changes),
    ...(lost ? [`    ${MEMORY_WORDS.targetGone[language]}`] : []),
    ...originLines(written, origin, { language, waits: true }).map((line) => `    ${line}`),
  ];
}

/** `evander memory review yes|no ID…` */
export const decideNotes = (book: NoteBook, ids: readonly string[], how: Asked & Decision): Promise<void> =>
  decideNamed(waitingIn(book), ids, how);

const waitingIn = (book: NoteBook): Waiting => ({
  of: "memory",
  proposals: book.proposals(),
  decide: async (id, accept) => {
    const answer = await book.decide(id, accept);
    if (answer !== undefined) mustBeDone(answer);
    return answer;
  },
});
