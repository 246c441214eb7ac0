import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { TurnResult } from "../../src/protocol/result.ts";
import { ProgramWorld } from "../support/program.ts";

/** Command lines that are refused, each in another place of the program. */
const REFUSED: readonly (readonly string[])[] = [
  ["--nonsense"],
  ["session", "lst"],
  ["session", "show"],
  ["-p", "hi", "--cwd", "/nowhere/at/all"],
  ["-p", "hi", "--tools", "x", "--model"],
  ["sesion"],
  ["session", "show", "last"],
  ["session", "resume", "last"],
  ["approve", "yes", "x"],
  ["turn", "explain", "x"],
  ["next"],
  ["docs", "x"],
  ["config", "get", "x"],
  ["config", "set", "maxIterations", "x"],
  ["session", "prune"],
  ["logs", "-n", "x"],
  ["session", "rm", "x"],
  ["trust", "add", "."],
  ["-P", "x", "ps"],
  ["-p", "", "--no-save"],
  ["-p", "look", "-f", "nowhere.txt"],
  ["-p", "look", "-f", "."],
  ["-p", "look", "-f", "picture.png"],
  ["session", "import", "nowhere.jsonl"],
];

test("[J3] a refusal speaks Chinese where Chinese is asked for: cause and next step", async () => {
  await using world = await ProgramWorld.open({ type: "practice" });
  await mkdir(join(world.folder, "state"), { recursive: true });
  await writeFile(join(world.folder, "picture.png"), Buffer.from("89504e470d0a1a0a", "hex"));
  for (const words of REFUSED) {
    const { code, stderr } = await world.run(words, "", { env: { LANG: "zh_CN.UTF-8" } });
    expect(code, words.join(" ")).not.toBe(0);
    for (const line of stderr.trimEnd().split("\n")) expect(line, words.join(" ")).toMatch(/\p{Script=Han}/u);
    expect(stderr, words.join(" ")).not.toMatch(/ (?:is|the|there|be) /u);
  }
});

test("[J3][G1] a store that cannot be used is told in both languages", async () => {
  await using world = await ProgramWorld.open({ type: "practice" });
  await mkdir(join(world.folder, "state/evander.db"), { recursive: true });
  const said = async (lang: string): Promise<string | undefined> => {
    const { stdout } = await world.run(["session", "list", "--output", "json", "--lang", lang]);
    return (JSON.parse(stdout) as TurnResult).error?.message;
  };
  expect(await said("en")).toContain("The store ");
  expect(await said("zh")).toContain("存储 ");
});

test("[J3] a conversation in Chinese answers in Chinese what commands of the program are asked in it", async () => {
  await using world = await ProgramWorld.onServer("http://127.0.0.1:9/v1");
  const lines = ["/memory", "/config", "/doctor", "/skills"];
  const { stderr } = await world.run(["--lang", "zh"], `${lines.join("\n")}\n`);
  expect(stderr).toContain("还没有记住任何内容。");
  expect(stderr).toMatch(/正常 +runtime\.node/u);
});
