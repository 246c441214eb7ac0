import { ENDINGS } from "../../test/support/endings.ts";

export const about = "every way a run can end: the fault that brings it about, its code, what is said and what helps";

/**
 * @returns {Promise<import("../show.mjs").Figure[]>}
 */
export async function measure() {
  let right = 0;
  let runs = 0;
  /** @type {string[]} */
  const later = [];
  for (const [reason, endings] of Object.entries(ENDINGS)) {
    if ("later" in endings) {
      later.push(`${reason}: ${endings.later}`);
      continue;
    }
    for (const { fault, code, run } of endings) {
      const [english, chinese] = [await run("en"), await run("zh")];
      const { exit } = english;
      runs += 1;
      if (exit.reason === reason && exit.code === code && chinese.exit.reason === reason) right += 1;
      console.log(`${String(exit.code).padStart(3)}  ${exit.reason}  <-  ${fault}`);
      if (exit.explain === null) continue;
      console.log(`     en    ${exit.explain}\n     zh    ${chinese.exit.explain}`);
      for (const { text, command } of exit.next)
        console.log(`     next  ${text}${command === null ? "" : ` ${command}`}`);
    }
  }
  console.log(`\nNot reachable yet, and the part that brings each:\n  ${later.join("\n  ")}\n`);
  return [
    {
      figure: "endings driven to the exit that was meant",
      value: `${right} of ${runs}`,
      goal: "all",
      pass: right === runs,
    },
  ];
}
