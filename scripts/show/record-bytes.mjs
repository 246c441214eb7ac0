import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Mock } from "../../bench/harness/mock.mjs";
import { setUp } from "../setup/set-up.mjs";

export const about = "what is kept of the requests of a turn of 400 iterations x 8 tools";

const ITERATIONS = 400;
const TOOLS = 8;
/** What an iteration costs at the end of the turn, beside the beginning. */
const GOAL = 1.05;
/** Bytes kept for each byte of content. */
const FACTOR_GOAL = 1.5;

/**
 * @param {string} root
 * @returns {Promise<import("../show.mjs").Figure[]>}
 */
export async function measure(root) {
  await setUp(root, { bundle: true });
  const { agent } = await import(join(root, "dist", "index.js"));
  const folder = mkdtempSync(join(tmpdir(), "evander-records-"));
  const mock = await Mock.start();
  try {
    await mock.register({ id: "records", iterations: ITERATIONS, tools: TOOLS });
    const output = "a line of a file that was read by a tool\n".repeat(25);
    const tool = {
      name: "echo",
      description: "Echoes.",
      parameters: { type: "object" },
      effect: "pure",
      concurrency: "shared",
      run: async () => output,
    };
    const bot = agent({
      baseUrl: mock.baseUrl("records"),
      model: "m",
      tools: [tool],
      store: folder,
    });
    const { ok, exit } = await bot.run("go");
    if (!ok) throw new Error(`the turn ended as ${exit.reason}`);
    let requests = 0;
    let sent = 0;
    for (const { body } of bot.store.requests("last")) {
      requests++;
      sent += Buffer.byteLength(body);
    }
    await bot.close();
    return figures(join(folder, "evander.db"), { requests, sent });
  } finally {
    mock.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * @param {string} path
 * @param {{ requests: number, sent: number }} all
 * @returns {import("../show.mjs").Figure[]}
 */
function figures(path, { requests, sent }) {
  const db = new DatabaseSync(path, { readOnly: true });
  const rows = db
    .prepare(
      "select length(added) + length(cast(tail as blob)) as bytes from journal where tail is not null order by id",
    )
    .all();
  const content = Number(db.prepare("select sum(length(cast(body as blob))) as n from message").get()?.["n"]);
  db.close();
  const bytes = rows.map((row) => Number(row["bytes"]));
  const mean = (/** @type {number[]} */ some) => some.reduce((sum, one) => sum + one, 0) / some.length;
  const first = mean(bytes.slice(2, 42));
  const last = mean(bytes.slice(-41, -1));
  const kept = bytes.reduce((sum, one) => sum + one, 0);
  const kilo = (/** @type {number} */ n) => `${(n / 1_000).toFixed(1)} KB`;
  return [
    {
      figure: "kept for an iteration, the last 40 / the first 40",
      value: `${(last / first).toFixed(3)}x (${kilo(last)} / ${kilo(first)})`,
      goal: `<= ${GOAL}x`,
      pass: last / first <= GOAL,
    },
    {
      figure: "kept for a byte of content",
      value: `${(kept / content).toFixed(2)} (${kilo(kept)} for ${requests} requests of ${kilo(sent)} in all)`,
      goal: `<= ${FACTOR_GOAL}`,
      pass: kept / content <= FACTOR_GOAL && requests === ITERATIONS + 1,
    },
  ];
}
