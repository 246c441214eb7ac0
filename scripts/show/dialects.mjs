import { SUBJECTS } from "../../test/dialects/subjects.ts";
import { SUITE } from "../../test/dialects/suite.ts";

export const about = "what must hold on every dialect, and where it does: each item is played against a fake server";

const WIDTH = 20;

/**
 * @returns {Promise<import("../show.mjs").Figure[]>}
 */
export async function measure() {
  const sides = SUBJECTS.map((side) => ({ side, held: 0, of: 0, notes: /** @type {string[]} */ ([]) }));
  const longest = Math.max(...SUITE.map(({ name }) => name.length)) + 2;
  console.log(`${"".padEnd(longest)}${SUBJECTS.map(({ wire }) => wire.mode.padEnd(WIDTH)).join("")}`);
  for (const item of SUITE) {
    let row = item.name.padEnd(longest);
    for (const each of sides) {
      const { word, note } = await outcome(item, each.side);
      row += word.padEnd(WIDTH);
      if (note !== undefined) each.notes.push(`${each.side.wire.mode}, ${item.name}: ${note}`);
      each.held += word === "holds" ? 1 : 0;
      each.of += word === "not on this wire" ? 0 : 1;
    }
    console.log(row);
  }
  console.log(`\n${sides.flatMap(({ notes }) => notes).join("\n")}\n`);
  return sides.map(({ side, held, of }) => ({
    figure: side.wire.mode,
    value: `${held} of ${of} items hold`,
    goal: "all",
    pass: of > 0 && held === of,
  }));
}

/**
 * @param {(typeof SUITE)[number]} item
 * @param {(typeof SUBJECTS)[number]} side
 * @returns {Promise<{ word: "holds" | "FAILS" | "not on this wire", note?: string }>}
 */
async function outcome(item, side) {
  const why = item.except?.[side.wire.mode];
  if (why !== undefined) return { word: "not on this wire", note: why };
  try {
    await item.run(side);
    return { word: "holds" };
  } catch (error) {
    return { word: "FAILS", note: String(error).split("\n").slice(0, 3).join(" ") };
  }
}
