import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { agent } from "../../src/agent/agent.ts";
import { recordLines } from "../../src/session/replay/record-file.ts";
import { replay, say, script } from "../../src/testing.ts";

test("[X7] a recorded turn in a file is a test: it passes as it was, and fails with the first difference", async () => {
  const folder = await mkdtemp(join(tmpdir(), "evander-replay-"));
  const bot = agent({ model: script([say.text("Hello.")]) });
  const { turnId } = await bot.run("hi");
  const turn = bot.store.recorded(turnId ?? "");
  await bot.close();
  if (turn === undefined) throw new Error("there is no record");
  const file = join(folder, "turn.jsonl");
  const lines = [...recordLines(turn)].join("\n");
  await writeFile(file, lines);
  expect(await replay(file)).toMatchObject({ requests: 1, difference: null, unchecked: [] });
  await writeFile(file, lines.replaceAll('"text":"hi"', '"text":"ho"'));
  await expect(replay(file)).rejects.toThrow(/The first difference is in the request of attempt 1/u);
  await writeFile(file, "nothing");
  await expect(replay(file)).rejects.toThrow(/is no recorded turn/u);
  await rm(folder, { recursive: true });
});
