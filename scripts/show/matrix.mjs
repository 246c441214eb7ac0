import { SUBJECTS } from "../../test/dialects/subjects.ts";
import { ALL, CELLS, FAMILIES, HANG_MS, IMPOSSIBLE, reasonAgainst, verdictOf } from "../../test/matrix/matrix.ts";
import { WAYS } from "../../test/matrix/fault.ts";

export const about = "every fault of a model's server, in every dialect, streamed and in one piece: what comes of it";

const WIDTH = 11;

/** @typedef {import("../../test/matrix/cell.ts").Cell} Cell */
/** @typedef {{ held: number, hung: number, leaks: number, illegal: number, attempts: number, longestMs: number }} Totals */

/**
 * @returns {Promise<import("../show.mjs").Figure[]>}
 */
export async function measure() {
  const totals = { held: 0, hung: 0, leaks: 0, illegal: 0, attempts: 0, longestMs: 0 };
  /** @type {string[]} */
  const notes = [];
  const names = FAMILIES.flatMap(({ faults }) => faults.map(({ name }) => name.length));
  const longest = Math.max(...names) + 2;
  console.log("Each cell: streamed, in one piece. + holds, ! does not, - cannot be.\n");
  console.log(
    `${"".padEnd(longest)}${SUBJECTS.map(({ wire }) => (wire.mode.split("_")[0] ?? "").padEnd(WIDTH)).join("")}expected`,
  );
  for (const { name, faults } of FAMILIES) {
    console.log(`\n${name}`);
    for (const fault of faults) {
      const marks = [];
      for (const side of SUBJECTS) marks.push((await marksOf({ fault, side }, totals, notes)).padEnd(WIDTH));
      console.log(`${fault.name.padEnd(longest)}${marks.join("")}${expectation(fault)}`);
    }
  }
  if (notes.length > 0) console.log(`\n${notes.join("\n")}`);
  console.log(`\n${impossible()}\n`);
  return figures(totals);
}

/**
 * @param {Omit<Cell, "way">} cells
 * @param {Totals} totals
 * @param {string[]} notes
 */
async function marksOf(cells, totals, notes) {
  let marks = "";
  for (const way of WAYS) marks += await mark({ ...cells, way }, totals, notes);
  return marks;
}

/**
 * @param {Cell} cell
 * @param {Totals} totals
 * @param {string[]} notes
 * @returns {Promise<string>}
 */
async function mark(cell, totals, notes) {
  if (reasonAgainst(cell) !== undefined) return "-";
  const { problems, hung, ms, attempts } = await verdictOf(cell);
  totals.hung += Number(hung);
  totals.leaks += problems.filter((problem) => problem.startsWith("the key ")).length;
  totals.illegal += problems.filter((problem) => problem.startsWith("illegal: ")).length;
  totals.attempts = Math.max(totals.attempts, attempts);
  totals.longestMs = Math.max(totals.longestMs, ms);
  if (problems.length === 0) {
    totals.held += 1;
    return "+";
  }
  const where = `${cell.fault.name}, ${cell.side.wire.mode}, ${cell.way === "stream" ? "streamed" : "in one piece"}`;
  notes.push(...problems.map((problem) => `${where}: ${problem}`));
  return "!";
}

/**
 * @param {import("../../test/matrix/fault.ts").Fault} fault
 * @returns {string}
 */
function expectation({ expected }) {
  if (typeof expected === "function") return "by dialect and way; see the table";
  const { reason, does, exit, code } = expected;
  const steps = does.length === 0 ? "" : `${does.join(", ")} -> `;
  return `${reason === null ? "" : `${reason}: `}${steps}${exit} ${code}`;
}

/** Each reason once, with what it excludes. */
function impossible() {
  const reasons = Map.groupBy(IMPOSSIBLE, ({ why }) => why);
  const lines = [...reasons].map(([why, cells]) => {
    const faults = [...new Set(cells.map(({ fault }) => fault.name))];
    return `  ${String(cells.length).padStart(3)}  ${why}\n       ${faults.join("; ")}`;
  });
  return `Cells that cannot be, and why:\n${lines.join("\n")}`;
}

/**
 * @param {Totals} totals
 * @returns {import("../show.mjs").Figure[]}
 */
function figures({ held, hung, leaks, illegal, attempts, longestMs }) {
  const faults = FAMILIES.flatMap((family) => family.faults).length;
  const cells = CELLS.length;
  return [
    { figure: "faults", value: `${faults}`, goal: ">= 48", pass: faults >= 48 },
    { figure: "cells", value: `${cells} of ${ALL.length}`, goal: ">= 480", pass: cells >= 480 },
    { figure: "cells that end as they must", value: `${held}`, goal: "all", pass: held === cells },
    { figure: "cells that hang", value: `${hung}`, goal: "0", pass: hung === 0 },
    { figure: "places where a key stands", value: `${leaks}`, goal: "0", pass: leaks === 0 },
    { figure: "illegal requests", value: `${illegal}`, goal: "0", pass: illegal === 0 },
    {
      figure: "attempts of one call of one model behind its newest text",
      value: `${attempts}`,
      goal: "<= 5",
      pass: attempts <= 5,
    },
    {
      figure: "the longest cell",
      value: `${Math.round(longestMs)} ms`,
      goal: `< ${HANG_MS} ms`,
      pass: longestMs < HANG_MS,
    },
  ];
}
