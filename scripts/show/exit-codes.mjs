import { readFileSync } from "node:fs";
import { join } from "node:path";
import { exitCode } from "../../src/protocol/exit.ts";
import { BY_FAILURE } from "../../test/properties/exit-table.ts";
import { ENDINGS } from "../../test/support/endings.ts";
import { exitRow } from "../report/exit-codes.mjs";

export const about =
  "every exit reason of row J1: driven by a fault on the wire, with the code of the row (half a minute)";

const FAILURES = /** @type {import("../../src/protocol/failure.ts").FailureReason[]} */ (Object.keys(BY_FAILURE));

/**
 * @param {string} root
 * @returns {Promise<import("../show.mjs").Figure[]>}
 */
export async function measure(root) {
  const row = exitRow(readFileSync(join(root, "docs", "features.md"), "utf8"));
  let reasons = 0;
  let driven = 0;
  /** @type {string[]} */
  const wrong = [];
  for (const [reason, endings] of Object.entries(ENDINGS)) {
    reasons += 1;
    const codes = row.reasons.get(reason) ?? [];
    if ("later" in endings) {
      console.log(`later  ${reason} (${codes.join(", ")}): ${endings.later}`);
      continue;
    }
    /** @type {number[]} */
    const seen = [];
    for (const { fault, run } of endings) {
      const { exit } = await run("en");
      if (exit.reason !== reason || !codes.includes(exit.code))
        wrong.push(`${reason}, by ${fault}: ended as ${exit.reason} with ${exit.code}, not ${codes.join(" or ")}`);
      else seen.push(exit.code);
    }
    if (seen.length > 0) driven += 1;
    console.log(`driven ${reason} (${[...new Set(seen)].join(", ")}): ${endings.map(({ fault }) => fault).join("; ")}`);
  }
  for (const line of wrong) console.log(`WRONG  ${line}`);
  const unknown = [...row.reasons.keys()].filter((reason) => !(reason in ENDINGS));
  const later = Object.values(ENDINGS).filter((endings) => "later" in endings).length;
  return [
    {
      figure: "reasons of row J1 that a wire-level test drives",
      value: `${driven} of ${reasons}, and ${later} wait for a part that is named`,
      goal: "each driven or waiting, none unknown",
      pass: driven + later === reasons && unknown.length === 0 && row.reasons.size === reasons && wrong.length === 0,
    },
    walkFailures(row),
  ];
}

/**
 * The codes of the two reasons that the last failure decides.
 * @param {import("../report/exit-codes.mjs").ExitRow} row
 * @returns {import("../show.mjs").Figure}
 */
function walkFailures({ byFailure, failures, otherwise }) {
  let walked = 0;
  let right = 0;
  for (const reason of byFailure)
    for (const failure of FAILURES) {
      const named = [...failures].find(([name]) => failure === name || failure.startsWith(`${name}_`));
      walked += 1;
      const code = exitCode(/** @type {"request_rejected"} */ (reason), { failure: { reason: failure } });
      if (code === (named?.[1] ?? otherwise)) right += 1;
    }
  return {
    figure: "codes that the last failure decides",
    value: `${right} of ${walked}`,
    goal: "all as the row says",
    pass: right === walked && walked > 0,
  };
}
