import { assert, array, constantFrom, integer, property } from "fast-check";
import { expect, test } from "vitest";
import { assistantText, type Message, userText } from "../../protocol/message.ts";
import { type Counts, dueReviews, turnsWithoutNote } from "./due.ts";

const calls = (name: string, status: "ok" | "error" = "ok", input = "{}"): Message[] => [
  { role: "assistant", parts: [{ type: "tool-call", callId: "c", name, input }] },
  { role: "tool", callId: "c", status, parts: [{ type: "text", text: "x" }] },
];

type Kind = "talk" | "work" | "note" | "failed note" | "look" | "skill";
const TURNS: Readonly<Record<Kind, readonly Message[]>> = {
  talk: [userText("a"), assistantText("b")],
  work: [userText("a"), ...calls("terminal"), ...calls("terminal"), ...calls("terminal"), assistantText("b")],
  note: [userText("a"), ...calls("memory"), assistantText("b")],
  "failed note": [userText("a"), ...calls("memory", "error"), assistantText("b")],
  look: [userText("a"), ...calls("memory", "ok", '{"action": "read"}'), assistantText("b")],
  skill: [userText("a"), ...calls("terminal"), ...calls("skill_manage"), assistantText("b")],
};

/** What is due behind each turn of a conversation. */
function dueIn(kinds: readonly Kind[], intervals: { turns: number; iterations: number }): string[] {
  const history: Message[] = [];
  let known: Counts | undefined;
  return kinds.map((kind) => {
    const firstSeq = history.length;
    history.push(...TURNS[kind]);
    const { notes, skills, counts } = dueReviews({ history, firstSeq }, intervals);
    // Whoever has followed the session from the beginning comes to the same as whoever sees it now.
    expect(dueReviews({ history, firstSeq }, intervals, known)).toEqual({ notes, skills, counts });
    known = counts;
    return `${notes ? "n" : "-"}${skills ? "s" : "-"}`;
  });
}

const talks = (count: number): Kind[] => Array.from({ length: count }, () => "talk");

test("[J6][A6] notes are looked for behind every tenth message without a note, and not again behind the next one", () => {
  const due = dueIn(talks(31), { turns: 10, iterations: 10 });
  expect(due.flatMap((what, at) => (what === "n-" ? [at + 1] : []))).toEqual([10, 20, 30]);
  const noted = dueIn([...talks(4), "note", ...talks(11)], { turns: 10, iterations: 10 });
  expect(noted.flatMap((what, at) => (what === "n-" ? [at + 1] : []))).toEqual([15]);
});

test("[J6][A6] a note that failed is none, and whoever looks at the notes has written none", () => {
  for (const kind of ["failed note", "look"] as const)
    expect(dueIn([...talks(2), kind], { turns: 3, iterations: 10 }).at(-1)).toBe("n-");
});

test("[J6][A6] skills are looked for behind the turn that carries the model calls with tools over a multiple, however many it has", () => {
  const due = dueIn(["work", "work", "work", "work", "talk", "work", "work", "work"], { turns: 99, iterations: 10 });
  expect(due).toEqual(["--", "--", "--", "-s", "--", "--", "--", "-s"]);
  expect(dueIn(["work", "skill", "work", "work", "talk"], { turns: 99, iterations: 4 })).toEqual([
    "--",
    "--",
    "--",
    "-s",
    "--",
  ]);
});

test("[J6] what was said to a turn that ran is no turn, and messages that are lost are none", () => {
  const mid: Message = { ...userText("more"), role: "user", midTurn: true };
  const history = [userText("a"), mid, undefined, assistantText("b")];
  expect(dueReviews({ history, firstSeq: 0 }, { turns: 2, iterations: 9 })).toMatchObject({
    notes: false,
    skills: false,
  });
  expect(turnsWithoutNote(history, 0)).toBe(1);
  expect(turnsWithoutNote(history, 1)).toBe(0);
});

test("[A6] the counts are of the history alone: whoever counts on from turn to turn comes to the same", () => {
  const kinds = array(constantFrom<Kind>("talk", "work", "note", "failed note", "look", "skill"), { maxLength: 40 });
  assert(
    property(kinds, integer({ min: 1, max: 7 }), integer({ min: 1, max: 7 }), (played, turns, iterations) => {
      let [said, worked] = [0, 0];
      const expected = played.map((kind) => {
        const [saidBefore, workedBefore] = [said, worked];
        said++;
        if (kind === "note") said = 0;
        worked += { talk: 0, work: 3, note: 1, "failed note": 1, look: 1, skill: 0 }[kind];
        if (kind === "skill") worked = 0;
        const notes = said > saidBefore && said % turns === 0;
        const skills = worked > workedBefore && Math.floor(worked / iterations) > Math.floor(workedBefore / iterations);
        return `${notes ? "n" : "-"}${skills ? "s" : "-"}`;
      });
      expect(dueIn(played, { turns, iterations })).toEqual(expected);
    }),
  );
});
