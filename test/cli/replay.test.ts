import { readdirSync } from "node:fs";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { readZip } from "../../src/cli/bundle/zip.ts";
import type { Replay } from "../../src/protocol/replay.ts";
import { pricedProgram, type PricedProgram } from "../support/priced-program.ts";
import { reply } from "../support/wire-script.ts";

const prices = { input: 3, output: 15, asOf: "2026-11-01", source: "a list" };
const scene = (): Promise<PricedProgram> =>
  pricedProgram(
    prices,
    reply({ calls: [{ id: "c1", name: "echo", arguments: { text: "one" } }] }),
    reply({ text: "Done." }),
  );

const SECRET = "sk-proj-Zx81kQm29LwPq7vT3nRb5cYd";

/** A later version of this program sees another text than the one that was recorded. */
function change(folder: string, from: string, to: string): void {
  const [file = ""] = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith("evander.db"),
  );
  const db = new DatabaseSync(join(folder, file));
  db.prepare("update message set body = replace(body, ?, ?), sum = null").run(from, to);
  db.close();
}

test("[X7] turn replay: a turn comes out as it was recorded, without a network; as JSON and in Chinese too", async () => {
  await using on = await scene();
  const { world } = on;
  await world.ask("go");
  await on.provider.close();
  const told = await world.run(["turn", "replay"]);
  expect(told).toMatchObject({ code: 0, stderr: "" });
  expect(told.stdout).toMatch(
    /^The same, without a network: \d+ facts and 2 requests came out as they were recorded\.\n$/u,
  );
  const replay = JSON.parse((await world.run(["turn", "replay", "last", "--json"])).stdout) as Replay;
  expect(replay).toMatchObject({ requests: 2, difference: null, unchecked: [] });
  expect((await world.run(["turn", "replay", "--lang", "zh"])).stdout).toMatch(/^结果相同（未使用网络）：/u);
  expect((await world.run(["turn", "replay", "nope"])).code).toBe(2);
});

test("[X7] turn replay: the first difference is told with what was recorded and what comes out now, and the code is 70", async () => {
  await using on = await scene();
  const { world } = on;
  await world.ask("go now");
  change(world.folder, "go now", "go then");
  const told = await world.run(["turn", "replay"]);
  expect(told.code).toBe(70);
  expect(told.stdout).toMatch(
    /^The first difference is in the request of attempt 1, at character \d+: messages\[0\] \(user\)\./mu,
  );
  expect(told.stdout).toMatch(/recorded .*go now/u);
  expect(told.stdout).toMatch(/now .*go then/u);
});

test("[X7] bundle: a turn in a private file without the secret that was pasted, listed before and after, which replays", async () => {
  await using on = await scene();
  const { world } = on;
  await world.ask(`my key is ${SECRET}, use it`);
  const file = join(world.folder, "report.zip");
  const preview = await world.run(["bundle", "last", file, "--dry-run"]);
  expect(preview).toMatchObject({ code: 0, stderr: "" });
  expect(preview.stdout).toContain("turn.jsonl");
  await expect(stat(file)).rejects.toThrow(/ENOENT/u);
  const made = await world.run(["bundle", "last", file]);
  expect(made.stdout).toContain("Nothing was sent anywhere.");
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const entries = readZip(await readFile(file));
  expect(entries.map(({ name }) => name)).toEqual([
    "turn.jsonl",
    "about.json",
    "explain.txt",
    "config.json",
    "doctor.json",
    "log.jsonl",
  ]);
  for (const { name, bytes } of entries) expect(bytes.toString(), name).not.toContain(SECRET.slice(8));
  const again = await world.run(["turn", "replay", file]);
  expect(again).toMatchObject({ code: 0 });
  expect(again.stdout).toContain("2 requests came out");
  expect((await world.run(["bundle", "last", file])).code).toBe(2);
  expect((await world.run(["bundle", "last", file, "-y", "--json"])).code).toBe(0);
  const broken = join(world.folder, "no.jsonl");
  await writeFile(broken, "nothing\n");
  expect((await world.run(["turn", "replay", broken])).code).toBe(2);
});

test("[X7] turn replay --from: what cannot be gone on with is told with its cause and the next step, and nothing is made", async () => {
  await using on = await scene();
  const { world } = on;
  const first = await world.ask("go");
  const refused = async (...words: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await world.run(["turn", "replay", ...words]);
    expect(code, words.join(" ")).toBe(2);
    return stdout + stderr;
  };
  expect(await refused("last", "--from", "3")).toContain("This turn has no iteration 3: --from takes 1 to 2.");
  expect(await refused("last", "--from", "3", "--lang", "zh")).toContain("这一轮没有第 3 次迭代");
  for (const no of ["0", "x", "1.5"])
    expect(await refused("last", "--from", no)).toContain(`--from ${no} is no iteration`);
  expect(await refused("nope", "--from", "1")).toContain("nope");
  expect(await refused("last", "--model", "fake-2")).toContain("name the iteration with --from N");
  const file = join(world.folder, "report.zip");
  await world.run(["bundle", "last", file]);
  expect(await refused(file, "--from", "1")).toContain("A turn in a file can be replayed, and not gone on with");
  const failed = JSON.parse((await world.run(["turn", "replay", "--from", "9", "--json"])).stdout) as object;
  expect(failed).toMatchObject({ ok: false, error: { code: "usage_error" } });
  expect(JSON.parse((await world.run(["session", "list", "--json"])).stdout)).toHaveLength(1);
  world.search = { type: "none", cause: "no_provider", message: "Gone.", next: [] };
  expect((await world.run(["turn", "replay", first.turnId ?? "", "--from", "2", "--model", "gone"])).code).not.toBe(0);
  expect(JSON.parse((await world.run(["session", "list", "--json"])).stdout)).toHaveLength(1);
});
