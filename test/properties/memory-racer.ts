import { openNotes } from "../../src/program/notes.ts";
import type { Author } from "../../src/protocol/memory.ts";

/** What one process of a race has done, and which notes of its own it left. */
export interface Raced {
  /** Changes that were made. */
  readonly made: number;
  /** Changes after which a note of its own was not as it had left it. */
  readonly lost: number;
  readonly left: readonly string[];
}

/** So many notes of a process that both files hold those of several. */
const MOST_OWN = 25;

/** Adds, replaces and removes notes that nobody else touches, and looks after each change whether all are there. */
async function race(data: string, name: string, times: number): Promise<Raced> {
  const book = openNotes({ data });
  const author: Author = { by: "turn", turnId: name };
  const own: string[] = [];
  let [made, lost, next] = [0, 0, 0];
  for (let at = 0; at < times; at++) {
    const pick = Math.floor(Math.random() * own.length);
    const find = own[pick];
    const text = `${name}${next++}.`;
    const roll = own.length >= MOST_OWN ? 1 : Math.random();
    if (find === undefined || roll < 0.4) own.push(text);
    else if (roll < 0.7) own[pick] = text;
    else own.splice(pick, 1);
    const change =
      find === undefined || roll < 0.4
        ? ({ do: "add", file: "memory", text } as const)
        : roll < 0.7
          ? ({ do: "replace", file: "memory", find, text } as const)
          : ({ do: "remove", file: "memory", find } as const);
    const answer = await book.change(change, author);
    if (answer.type !== "done") throw new Error(`${JSON.stringify(change)}: ${JSON.stringify(answer)}`);
    made++;
    const mine = answer.notes.map((note) => note.text).filter((note) => note.startsWith(name));
    if (mine.toSorted().join() !== own.toSorted().join()) lost++;
    // Whoever waits for it knows that this one is to stay.
    if (change.do === "add") process.stderr.write(`${text}\n`);
  }
  return { made, lost, left: own };
}

const [, , data = "", name = "", times = ""] = process.argv;
process.stdout.write(JSON.stringify(await race(data, name, Number(times))));
