import { plantBugs } from "../../test/properties/mutants.ts";

export const about =
  "bugs planted in a copy of the sources, one at a time: each must turn a test red (3 minutes on two cores)";

/**
 * @returns {Promise<import("../show.mjs").Figure[]>}
 */
export async function measure() {
  process.stderr.write("evander: copying the sources, and running the tests without a bug …\n");
  let all = 0;
  let caught = 0;
  await plantBugs(({ name, caught: by }) => {
    all += 1;
    if (by !== undefined) caught += 1;
    console.log(by === undefined ? `SURVIVED  ${name}` : `caught    ${name}\n            by ${by}`);
  });
  return [
    { figure: "planted bugs that a test finds", value: `${caught} of ${all}`, goal: "all", pass: caught === all },
  ];
}
