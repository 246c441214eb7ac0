import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { agentOn } from "../../src/agent/agent.ts";
import { openKeyChest } from "../../src/credentials/chest.ts";
import { keptKeys } from "../../src/program/owner-secrets.ts";
import { openDesk } from "../../src/program/terminal.ts";
import { memoryStore } from "../../src/store/memory.ts";
import { fakeProvider } from "../support/fake-provider.ts";
import { unmarked } from "../support/marks.ts";
import { echo } from "../support/tools.ts";
import { callTools, say } from "../support/wire-script.ts";

/** Nothing about it looks like a key. */
const KEPT = "correct horse battery 7";

async function keptBeside(): Promise<string> {
  const state = mkdtempSync(join(tmpdir(), "evander-kept-"));
  onTestFinished(() => rmSync(state, { recursive: true }));
  await openKeyChest(state, Date.now).add({ provider: "another", key: KEPT });
  return state;
}

test("[C12] keys that are kept for servers not in use are known from the first call of a tool on, and not looked up before", async () => {
  const state = await keptBeside();
  await using provider = await fakeProvider([
    say("Hi."),
    callTools([{ id: "c", name: "echo", arguments: { text: `it is ${KEPT}` } }]),
    say(`It was ${KEPT}.`),
  ]);
  let looks = 0;
  const secretsLater = async (): Promise<readonly string[]> => {
    looks++;
    return keptKeys({ state });
  };
  const { baseUrl } = provider;
  await using bot = agentOn(memoryStore(), { baseUrl, model: "m", tools: [echo], secretsLater });
  await bot.run("Hi", { sessionId: "s" });
  expect(looks).toBe(0);
  const { answer } = await bot.run("Read it", { sessionId: "s" });
  expect(looks).toBe(1);
  expect(unmarked(answer ?? "")).toBe("It was ***.");
  expect(provider.requests.at(-1)?.text).toContain("echo: it is ‹redacted:known:");
  expect(await keptKeys(undefined)).toEqual([]);
});

test("[E9] what a background process prints is kept without those keys, and without what looks like one", async () => {
  const state = await keptBeside();
  const desk = openDesk({}, { limitsFolder: state }, () => keptKeys({ state }));
  onTestFinished(() => desk.close());
  const looks = `ghp_${"a1B2".repeat(6)}`;
  const started = await (
    await desk.open()
  ).start({
    call: { sessionId: "s", callId: "c" },
    command: "printf",
    cwd: state,
    launch: { file: "printf", args: ["%s\n", `a ${KEPT} b ${looks} c`], cwd: state, env: {} },
    limits: { processes: 100, memoryMb: 4_096, openFiles: 100, fileMb: 10 },
  });
  await started.wait(60_000, new AbortController().signal);
  await started.log.settled();
  expect(unmarked(started.log.since(0).text)).toBe("a *** b *** c\n");
  const written = readdirSync(state, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".log"));
  expect(written.map((path) => unmarked(readFileSync(join(state, path), "utf8")))).toEqual(["a *** b *** c\n"]);
});
