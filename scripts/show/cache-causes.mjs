import { runTests } from "../report/results.mjs";

export const about = "causes of misses planted in a server's prompt cache, and which of them the cache doctor names";

const FILE = "test/dialects/cache-doctor.test.ts";
const PLANTED = /planted in (\w+): ([\w-]+) at (\w+) is named/u;
const GOAL = 8;

/**
 * @param {{ readonly status: string }} test
 */
const isPassed = ({ status }) => status === "passed";

/**
 * @param {string} root
 * @returns {Promise<import("../show.mjs").Figure[]>}
 */
export async function measure(root) {
  const { tests } = await runTests(root, [FILE]);
  const planted = tests.flatMap(({ title, status }) => {
    const [, mode = "", cause = ""] = PLANTED.exec(title) ?? [];
    return cause === "" ? [] : [{ mode, cause, passed: status === "passed" }];
  });
  for (const { mode, cause, passed } of planted)
    console.log(`${passed ? "named " : "MISSED"}  ${cause.padEnd(12)}  ${mode}`);
  const without = tests.filter(({ title }) => title.includes("nothing is missed"));
  const causes = new Set(planted.filter(({ passed }) => passed).map(({ cause }) => cause));
  return [
    {
      figure: "kinds of causes that were planted and named, with their price",
      value: String(causes.size),
      goal: `${GOAL} or more`,
      pass: causes.size >= GOAL,
    },
    {
      figure: "plants that are named",
      value: `${planted.filter(({ passed }) => passed).length} of ${planted.length}`,
      goal: "all",
      pass: planted.length > 0 && planted.every(({ passed }) => passed),
    },
    {
      figure: "dialects on which nothing is named where nothing is missed",
      value: `${without.filter(isPassed).length} of ${without.length}`,
      goal: "all",
      pass: without.length > 0 && without.every(isPassed),
    },
  ];
}
