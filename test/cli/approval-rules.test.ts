import { globSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fakeProvider } from "../support/fake-provider.ts";
import { planned } from "../support/planned.ts";
import { ProgramWorld } from "../support/program.ts";
import { callTools, say, type ScriptedCall } from "../support/wire-script.ts";

const run = (id: string, command: string): ScriptedCall => ({ id, name: "planned", arguments: { command } });
const RESUME = ["session", "resume", "last", "--continue"];

async function firstWaiting(world: ProgramWorld): Promise<string> {
  const list = JSON.parse((await world.run(["approve", "list", "--json"])).stdout) as { readonly approvalId: string }[];
  return list[0]?.approvalId ?? "";
}

test("[E10] approve yes --always shows with --dry-run what it would write, writes it, and --approve rules runs by it", async () => {
  const tool = planned();
  await using provider = await fakeProvider([
    callTools([run("a", "git push origin && npm test")]),
    say("Done."),
    callTools([run("b", "npm test")]),
    say("Tested."),
    callTools([run("c", "npm install")]),
    say("Not installed."),
  ]);
  await using world = await ProgramWorld.onServer(provider.baseUrl, [tool]);
  await world.run(["-p", "do it", "--approve", "park"]);
  const id = await firstWaiting(world);
  const list = await world.run(["approve", "list"]);
  expect(list.stdout).toContain("    In /work\n    1. git changes something (planned: /bin/git push … in /work)\n");

  const dry = await world.run(["approve", "yes", id, "--always", "--dry-run"]);
  expect(dry.stdout).toContain(`would be allowed: ${id}\n  would be written: planned: /bin/git push … in /work\n`);
  expect(await world.run(["approve", "rules"])).toMatchObject({ stdout: "", code: 0 });
  expect(await firstWaiting(world)).toBe(id);

  const yes = await world.run(["approve", "yes", id, "--always"]);
  expect(yes.stdout).toMatch(
    /^allowed: planned \(session session-1\)\n {2}rule [0-9a-f]{8} {2}planned: \/bin\/git push … in \/work/u,
  );
  expect(await world.run(RESUME)).toMatchObject({ stdout: "Done.\n" });
  expect(await world.run(["-p", "test it", "--approve", "rules"])).toMatchObject({ stdout: "Tested.\n" });
  expect(await world.run(["-p", "install it", "--approve", "rules"])).toMatchObject({ stdout: "Not installed.\n" });
  expect(tool.ran).toEqual(["git push origin && npm test", "npm test"]);

  const rules = await world.run(["approve", "rules", "--json"]);
  const [git, npm] = JSON.parse(rules.stdout) as { readonly id: string; readonly hits: number }[];
  expect([git?.hits, npm?.hits]).toEqual([0, 1]);
  expect((await world.run(["approve", "rules", "--lang", "zh"])).stdout).toContain("（始终；已使用 1 次");
  expect((await world.run(["approve", "forget", npm?.id ?? "", "--dry-run"])).stdout).toContain("would be forgotten: ");
  expect((await world.run(["approve", "forget", npm?.id ?? "", "nothing"])).code).toBe(2);
  expect((await world.run(["approve", "forget", npm?.id ?? ""])).stdout).toContain(`forgotten: ${npm?.id}`);
  expect(JSON.parse((await world.run(["approve", "rules", "--json"])).stdout)).toMatchObject([{ id: git?.id }]);
});

test("[E10] what no rule can be written for is refused before anything is decided; both scopes at once are too", async () => {
  const tool = planned();
  await using provider = await fakeProvider([callTools([run("a", "npm test && no way")]), say("Done.")]);
  await using world = await ProgramWorld.onServer(provider.baseUrl, [tool]);
  await world.run(["-p", "do it", "--approve", "park"]);
  const id = await firstWaiting(world);
  expect((await world.run(["approve", "list"])).stdout).toContain("2. no changes something (no rule can allow this)");
  const always = await world.run(["approve", "yes", id, "--always"]);
  expect(always).toMatchObject({ code: 2, stdout: "" });
  expect(always.stderr).toContain(`no_rule: No rule can be written for ${id}`);
  expect((await world.run(["approve", "yes", id, "--always", "--session"])).stderr).toContain("exclude each other");
  expect(await firstWaiting(world)).toBe(id);
  expect((await world.run(["approve", "yes", id])).code).toBe(0);
  expect(await world.run(RESUME)).toMatchObject({ stdout: "Done.\n" });
  expect(tool.ran).toEqual(["npm test && no way"]);
});

test("[E10] approve no --stop ends the turn: nothing else of it is asked, and going on closes it", async () => {
  const tool = planned();
  await using provider = await fakeProvider([callTools([run("a", "git push"), run("b", "npm test")])]);
  await using world = await ProgramWorld.onServer(provider.baseUrl, [tool]);
  await world.run(["-p", "do it", "--approve", "park"]);
  const id = await firstWaiting(world);
  const no = await world.run(["approve", "no", id, "--stop"]);
  expect(no).toMatchObject({ code: 0, stdout: "denied: planned (session session-1)\n" });
  expect(await world.run(["approve", "list"])).toMatchObject({ stdout: "" });
  expect((await world.run(RESUME)).code).toBe(130);
  expect(tool.ran).toEqual([]);
});

test("[E10] the file of rules is its owner's alone, and a rule of a session says so", async () => {
  const tool = planned();
  await using provider = await fakeProvider([callTools([run("a", "git push")])]);
  await using world = await ProgramWorld.onServer(provider.baseUrl, [tool]);
  await world.run(["-p", "do it", "--approve", "park"]);
  await world.run(["approve", "yes", await firstWaiting(world), "--session"]);
  const [found = ""] = globSync("**/approval-rules.json", { cwd: world.folder });
  const path = join(world.folder, found);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ rules: [{ sessionId: "session-1" }] });
});

test("[E10] at a terminal the rules are listed before a yes for good writes them", async () => {
  const tool = planned();
  await using provider = await fakeProvider([callTools([run("a", "git push")]), say("Pushed.")]);
  await using world = await ProgramWorld.onServer(provider.baseUrl, [tool]);
  const seat = world.sit(["-p", "push", "--approve", "park"]);
  await seat.ended;
  const going = world.sit(RESUME);
  await world.shown("planned: /bin/git push … in /work");
  await world.shown("Allow? [y/s/a/N]");
  going.type("a\r");
  expect((await going.ended).stdout).toBe("Pushed.\n");
  expect(JSON.parse((await world.run(["approve", "rules", "--json"])).stdout)).toMatchObject([{ prefix: ["push"] }]);
  expect(tool.ran).toEqual(["git push"]);
});
