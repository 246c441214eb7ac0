import { expect, test } from "vitest";
import type { Intent } from "./intents.ts";
import type { Known } from "./look-up.ts";
import { plan } from "./plan.ts";
import type { Reply, WantedCall } from "./completion.ts";

const TOOLS = new Set(["search_files", "read_file", "terminal", "write_file"]);

const known = (receipts: readonly (readonly [WantedCall, string])[], tools = TOOLS): Known => ({
  receiptOf: (call, since) =>
    receipts
      .map(([made, text], at) => ({ made, text, at }))
      .find(({ made, at }) => at >= since && JSON.stringify(made) === JSON.stringify(call)),
  since: 0,
  tools,
  subject: undefined,
  facts: [],
});

/** Answers every call with `text` until there is an answer. */
function converse(
  intents: readonly Intent[],
  text: (call: WantedCall) => string,
): { calls: WantedCall[]; answer: string } {
  const receipts: [WantedCall, string][] = [];
  for (let rounds = 0; rounds < 40; rounds += 1) {
    const reply: Reply = plan(intents, known(receipts), false);
    if (reply.type === "answer") return { calls: receipts.map(([call]) => call), answer: reply.text };
    for (const call of reply.calls) receipts.push([call, text(call)]);
  }
  throw new Error("no answer");
}

const count: Intent = { type: "count", what: "files", scope: {} };
const smallest: Intent = { type: "rank", by: "size", end: "least", count: 1, scope: {} };
const run: Intent = { type: "run", command: "date" };

test("[X2] independent questions call their tools together, a dependent one waits", () => {
  const outline: Intent = { type: "outline", target: { type: "it" } };
  const reply = plan([count, smallest, outline], known([]), false);
  expect(reply).toMatchObject({ type: "calls", calls: [{ input: { limit: 1 } }, { input: { sort: "size" } }] });
});

test("[X2] no receipt, whatever it says, keeps the plan from ending", () => {
  const texts = [
    "",
    "Not run: the user denied this call.",
    "[output omitted]",
    "9 files, 0 folders, 9 bytes in . (by name)",
    "x: lines 1-1 and more follow, 9 bytes\n1|a\n(not the end of the file: read on with offset 2)",
  ];
  const intents: Intent[] = [
    count,
    smallest,
    run,
    { type: "search", text: "x", where: "anywhere", scope: {} },
    { type: "outline", target: { type: "named", names: ["/x.md"] } },
  ];
  for (const text of texts) expect(converse(intents, () => text).answer).not.toBe("");
});

test("[X2] what a tool refuses is passed on in its own words", () => {
  expect(converse([count], () => "nobody is here to give it").answer).toBe(
    "I could not list the files. The tool says: nobody is here to give it",
  );
  expect(converse([run], () => "Not run: denied.").answer).toContain("Not run: denied.");
});

test("[X2] the smallest of very many files is asked for from that end", () => {
  const rows = Array.from({ length: 20 }, (_, at) => `f${at} (${at} bytes)`).join("\n");
  const { answer, calls } = converse(
    [smallest],
    () => `1500 files, 0 folders, 1 byte in . (smallest first)\n${rows}\n(1480 more: raise limit)`,
  );
  expect(calls).toEqual([{ name: "search_files", input: { mode: "files", sort: "size", reverse: true, limit: 20 } }]);
  expect(answer).toContain("The smallest file is `f0` (0 bytes).");
});

test("[X2] a question about a day gets the newest files and says why", () => {
  const today: Intent = { type: "rank", by: "time", end: "most", count: 1, period: "today", scope: {} };
  const { answer } = converse(
    [today],
    () => "1 file, 0 folders, 1 byte in . (newest first)\na (1 byte, 2033-05-18T03:33:20.000Z)",
  );
  expect(answer).toContain("I have no calendar");
  expect(answer).not.toContain("`today`"); // what stands in code marks is a file to speak of next
  expect(answer).toContain("`a` (2033-05-18T03:33:20.000Z");
});

test("[X2] a limit that the tool reached is told", () => {
  const { answer } = converse(
    [count],
    () =>
      "10000 files, 3 folders, 5 bytes in . (by name)\na (1 byte)\n(9999 more: raise limit)\n(stopped after 10000 entries: there are more)",
  );
  expect(answer).toContain("10000 files");
  expect(answer).toContain("stopped after 10000 entries");
});

test("[X2] a command is called only for a run intent, and only the tools on offer are called", () => {
  expect(converse([run], () => "ok").calls).toEqual([{ name: "terminal", input: { command: "date" } }]);
  expect(plan([run], known([], new Set()), false)).toEqual({
    type: "answer",
    text: "I would need the tool terminal for that, and it is not offered here.",
  });
});

test("[X2] many questions are called eight at a time", () => {
  const intents = Array.from({ length: 20 }, (_, at): Intent => ({ ...count, scope: { name: `${at}` } }));
  const reply = plan(intents, known([]), false);
  expect(reply.type === "calls" && reply.calls.length).toBe(8);
  expect(converse(intents, () => "done").calls).toHaveLength(20);
});

test("[X2] what changes something is done alone and in its turn, and what follows looks anew", () => {
  const look = plan([count, run, count], known([]), false);
  expect(look).toMatchObject({ calls: [{ name: "search_files" }] });
  const listed = "9 files, 0 folders, 9 bytes in . (by name)";
  const text = ({ name }: WantedCall): string => (name === "terminal" ? "Exit code 0 after 0.1 s." : listed);
  const order = converse([count, run, count], text).calls.map(({ name }) => name);
  expect(order.join(" ")).toBe("search_files terminal search_files");
});
