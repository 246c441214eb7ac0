import { createHash } from "node:crypto";
import { join } from "node:path";
import { isObject, objectInText } from "../../protocol/json.ts";
import { NOTE_FILES, type NoteAnswer, type NoteChange, type NoteProposal } from "../../protocol/memory.ts";
import { readText } from "../prompt/read-text.ts";
import { type Disk, nextOf } from "../disk.ts";
import { wholeChange } from "./change-notes.ts";
import { readWritten } from "./journal.ts";
import { keptName } from "./kept-name.ts";
import { readNotes } from "./read-notes.ts";
import { tooManyWait } from "./sentences.ts";
import { decide, type Wanted, type Writer } from "./write-notes.ts";

/** More than a person looks through. */
const MOST_PROPOSALS = 100;

interface ProposalsFound {
  readonly path: string;
  readonly proposals: readonly NoteProposal[];
  /** The file is there, and holds what is no proposal. */
  readonly isDamaged: boolean;
}

/** The changes that wait in a folder, the oldest first. */
export function readProposals(folder: string): ProposalsFound {
  const path = join(folder, "proposals.json");
  const read = readText(path);
  if (read.type === "absent") return { path, proposals: [], isDamaged: false };
  const { proposals } = (read.type === "text" && read.tail === undefined && objectInText(read.head)) || {};
  if (!Array.isArray(proposals)) return { path, proposals: [], isDamaged: true };
  const known = proposals.flatMap((each) => proposalIn(each) ?? []);
  return { path, proposals: known, isDamaged: known.length < proposals.length };
}

function writeProposals({ path, isDamaged }: ProposalsFound, proposals: readonly NoteProposal[], disk: Disk): void {
  const draft = nextOf(path);
  disk.draft(draft, `${JSON.stringify({ proposals }, undefined, 2)}\n`);
  if (isDamaged) disk.keepAs(path, keptName(path));
  disk.place(draft, path);
}

/** The same change asked for again is the same proposal. */
const proposalId = (change: NoteChange): string =>
  createHash("sha256").update(JSON.stringify(change)).digest("hex").slice(0, 8);

/** Keeps a change for a person to decide on, while nobody else does; what would be refused is refused at once. */
export function propose(
  wanted: Wanted,
  { change: asked, tainted }: Pick<NoteProposal, "change" | "tainted">,
  { folder, disk, now }: Writer,
): NoteAnswer {
  const notes = readNotes(folder, wanted.file);
  const changed = decide(folder, notes, wanted);
  if (changed.type !== "done") return changed;
  const change = wholeChange(notes.type === "notes" ? notes.notes : [], asked);
  const found = readProposals(folder);
  const id = proposalId(change);
  if (found.proposals.some((proposal) => proposal.id === id)) return { type: "proposed", id };
  const { length } = found.proposals;
  if (length >= MOST_PROPOSALS) return { type: "refused", why: "unreadable", sentence: tooManyWait(length) };
  const proposal = { id, change, written: { ...wanted.author, atMs: now() }, tainted };
  writeProposals(found, [...found.proposals, proposal], disk);
  return { type: "proposed", id };
}

/** Lets a person's word on a proposal come true, while nobody else does. What could not be done waits on. */
export function settle(
  id: string,
  { folder, disk }: Writer,
  decided: (proposal: NoteProposal) => NoteAnswer,
): NoteAnswer | undefined {
  const found = readProposals(folder);
  const proposal = found.proposals.find((each) => each.id === id);
  if (proposal === undefined) return undefined;
  const answer = decided(proposal);
  if (answer.type === "refused") return answer;
  const rest = found.proposals.filter((each) => each !== proposal);
  try {
    writeProposals(found, rest, disk);
  } catch (error) {
    if (answer.type === "unchanged") throw error;
    // The change is made; whoever decides on it once more finds that.
  }
  return answer;
}

function proposalIn(given: unknown): NoteProposal | undefined {
  if (!isObject(given)) return undefined;
  const { id, tainted } = given;
  const change = changeIn(given["change"]);
  const written = readWritten(given["written"]);
  if (typeof id !== "string" || typeof tainted !== "string" || change === undefined || written === undefined)
    return undefined;
  return { id, change, written, tainted };
}

function changeIn(given: unknown): NoteChange | undefined {
  if (!isObject(given)) return undefined;
  const { text, find } = given;
  const file = NOTE_FILES.find((name) => name === given["file"]);
  if (file === undefined) return undefined;
  if (given["do"] === "add" && typeof text === "string") return { do: "add", file, text };
  if (typeof find !== "string") return undefined;
  if (given["do"] === "remove") return { do: "remove", file, find };
  return given["do"] === "replace" && typeof text === "string" ? { do: "replace", file, find, text } : undefined;
}
