import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { agent } from "../../src/index.ts";
import type { Tool } from "../../src/protocol/tool.ts";
import { readCaseFile } from "../conformance/case-file.ts";
import { objectOf, textOf } from "../conformance/input.ts";
import { fakeProvider } from "../support/fake-provider.ts";
import { unmarked } from "../support/marks.ts";
import { callTools, say } from "../support/wire-script.ts";

const CASES = join(import.meta.dirname, "../conformance/cases/bugs.json");
const LEAK = textOf(
  objectOf(readCaseFile(CASES).cases.find(({ id }) => id === "LEAK-01")?.input ?? null, "input")["tool_output"] ?? null,
  "tool_output",
);

const OPEN = ["AAExampleExample", "EXAMPLEEXAMPLE", "dXNlcjpwYXNz", "abcd1234abcd"];
const KNOWN = "correct horse battery 9";
const CODED = Buffer.from(`:${KNOWN}`).toString("base64");

const tool = (name: string, effect: Tool["effect"], run: Tool["run"]): Tool => ({
  name,
  description: "Does it.",
  parameters: { type: "object" },
  effect,
  concurrency: "exclusive",
  run,
});

/** A conversation in which a model reads what holds secrets, and all that is shown, sent and kept of it. */
async function played(tools: readonly Tool[], ...calls: readonly string[]): Promise<Record<string, string>> {
  const asked = calls.map((name, at) => callTools([{ id: `c${at}`, name, arguments: {} }]));
  await using provider = await fakeProvider([...asked, say(`I have read ${CODED}.`)]);
  const store = mkdtempSync(join(tmpdir(), "evander-redaction-"));
  try {
    const bot = agent({ baseUrl: provider.baseUrl, model: "m", tools, store, secrets: [KNOWN], approvals: "all" });
    const shown: unknown[] = [];
    const turn = bot.start("look", { sessionId: "s" });
    for await (const event of turn) shown.push(event);
    const result = await turn;
    const requests = [...bot.store.requests("last")];
    await bot.close();
    return {
      told: provider.requests.map(({ text }) => text).join("\n"),
      shown: JSON.stringify([shown, result, requests]),
      kept: readdirSync(store)
        .map((name) => readFileSync(join(store, name), "utf8"))
        .join("\n"),
    };
  } finally {
    rmSync(store, { recursive: true, force: true });
  }
}

test("[LEAK-01] [security 3.13] secrets in what a tool says and shows reach no model, screen or store, in whatever pieces", async () => {
  const leak = tool("leak", "pure", (_input, { output }) => {
    for (const sign of Array.from(`${LEAK}\n${CODED}\n`)) output(sign);
    return `${LEAK}\n${CODED}\nthe rest`;
  });
  const fails = tool("fails", "pure", () => Promise.reject(new Error(`refused: ${KNOWN}, ${LEAK}`)));
  const places = await played([leak, fails], "leak", "fails");
  for (const [name, text] of Object.entries(places)) {
    for (const secret of [...OPEN, KNOWN, CODED]) expect(text, name).not.toContain(secret);
    expect(unmarked(text), name).toContain("***");
  }
  expect(unmarked(places["told"] ?? "")).toContain("the rest");
  expect(unmarked(places["shown"] ?? "")).toContain("I have read Om***");
});

test("[security 3.13] what would write a mark in the place of a secret is not run, and says why", async () => {
  const ran: string[] = [];
  const write = tool("write", "effect", ({ text }) => void ran.push(String(text)));
  const marked = "API_KEY=‹redacted:key:0a1b›";
  await using provider = await fakeProvider([
    callTools([{ id: "w", name: "write", arguments: { text: marked } }]),
    callTools([{ id: "x", name: "write", arguments: { text: "API_KEY=sk-test-0123456789abcdef" } }]),
    say("Done."),
  ]);
  const bot = agent({ baseUrl: provider.baseUrl, model: "m", tools: [write], approvals: "all" });
  expect(await bot.run("go")).toMatchObject({ ok: true });
  await bot.close();
  // What somebody wants written is written as it is.
  expect(ran).toEqual(["API_KEY=sk-test-0123456789abcdef"]);
  expect(provider.requests[1]?.text).toContain("the secret would be lost");
});
