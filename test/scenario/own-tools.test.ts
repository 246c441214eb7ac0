import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fakeProvider } from "../support/fake-provider.ts";
import { callTools, say } from "../support/wire-script.ts";
import { Place, resultOf } from "./program.ts";

const toolFile = (name: string, returned = '"done"', more = ""): string =>
  `export const tools = [{ name: "${name}", description: "does it", parameters: { type: "object", properties: {} }, ` +
  `effect: "pure", concurrency: "shared", ${more} run: () => ${returned} }];\n`;

interface Asked {
  readonly requests: readonly { readonly body: { readonly tools?: readonly unknown[] } }[];
}

const sent = ({ requests }: Asked, at: number): string[] =>
  (requests[at]?.body.tools ?? []).map((tool) => (tool as { function: { name: string } }).function.name);

test("[E1] tools of one's own come from the config folder, from files, folders and packages that are named; what cannot be used is named and passed over", async () => {
  const place = new Place();
  await using provider = await fakeProvider([callTools([{ id: "c1", name: "mine", arguments: {} }]), say("Done.")]);
  try {
    const at = (...parts: string[]): string => join(place.home, ...parts);
    for (const folder of ["tools", "node_modules/pack/lib"]) mkdirSync(at(folder), { recursive: true });
    writeFileSync(at("tools", "mine.ts"), `type Said = string;\n${toolFile("mine", '("from " + "ts") as Said')}`);
    writeFileSync(at("tools", "open.mjs"), toolFile("open"));
    chmodSync(at("tools", "open.mjs"), 0o666);
    writeFileSync(at("tools", "throws.mjs"), "throw new Error('broke at load');\n");
    writeFileSync(at("tools", "also-mine.js"), `module.exports = {};\n`);
    writeFileSync(at("node_modules/pack/package.json"), '{"type":"module","exports":{".":{"import":"./lib/in.js"}}}');
    writeFileSync(at("node_modules/pack/lib/in.js"), toolFile("packed"));
    mkdirSync(join(place.work, "some"));
    writeFileSync(join(place.work, "some", "a.mjs"), toolFile("terminal") + toolFile("x").replace("tools", "other"));
    writeFileSync(join(place.work, "some", "b.mjs"), "export default { name: 'no', description: 'x' };\n");
    // Nobody has named this one.
    mkdirSync(join(place.work, ".evander", "tools"), { recursive: true });
    writeFileSync(join(place.work, ".evander", "tools", "evil.mjs"), toolFile("evil"));
    const ended = await place.run(provider.baseUrl, [
      "-p",
      "go",
      "--output",
      "json",
      "--config",
      "tools.files=pack,./some,./none.mjs",
    ]);
    const result = resultOf(ended);
    assert.equal(result.answer, "Done.", ended.stderr);
    const names = sent(provider, 0);
    expect(names).toEqual(expect.arrayContaining(["mine", "packed"]));
    for (const name of ["open", "evil", "no"]) expect(names).not.toContain(name);
    expect(JSON.stringify(provider.requests[1]?.body)).toContain("from ts");
    const told = result.cleanupErrors.join("\n");
    expect(told).toMatch(/also-mine\.js is not used: .+/u);
    expect(told).toContain("open.mjs is not used: others on this machine can change it.");
    expect(told).toContain("throws.mjs is not used: broke at load.");
    expect(told).toMatch(/The tool terminal of .+a\.mjs is not used: the program itself has one of that name\./u);
    expect(told).toContain("the parameters of the tool no are no JSON Schema of an object.");
    expect(told).toMatch(/none\.mjs is not used: Cannot find module/u);
    expect(result.cleanupErrors).toHaveLength(6);
  } finally {
    place.remove();
  }
});

test("[E1] sets of tools are chosen by name, in a run and in the config; what is off or unavailable is not offered, and asking for it says why", async () => {
  const place = new Place();
  await using provider = await fakeProvider(Array.from({ length: 3 }, () => say("Done.", { newHead: true })));
  try {
    mkdirSync(join(place.home, "tools"), { recursive: true });
    writeFileSync(join(place.home, "tools", "gone.mjs"), toolFile("gone", "1", 'available: () => "no scanner here",'));
    place.configure({ mine: provider });
    const run = (...args: string[]) => place.run(undefined, ["-p", "go", ...args]);
    assert.equal((await run()).code, 0);
    expect(sent(provider, 0)).toEqual(expect.arrayContaining(["read_file", "terminal", "todo"]));
    expect(sent(provider, 0)).not.toContain("gone");
    await run("--tools", "files,todo");
    expect(sent(provider, 1)).toEqual(expect.arrayContaining(["read_file", "search_files", "write_file", "todo"]));
    expect(sent(provider, 1)).not.toContain("terminal");
    const off = await run("--config", "tools.sets=files,session", "--config", "tools.off=write_file,todoo");
    expect(sent(provider, 2)).toEqual(expect.arrayContaining(["read_file", "todo"]));
    for (const name of ["write_file", "terminal"]) expect(sent(provider, 2)).not.toContain(name);
    expect(off.stderr).toContain('tools.off names "todoo"');
    const unavailable = await run("--tools", "gone");
    assert.deepEqual([unavailable.code, unavailable.stdout], [2, ""]);
    expect(unavailable.stderr).toContain("The tool gone cannot be offered: unavailable: no scanner here.");
    const isOff = await run("--tools", "terminal", "--config", "tools.off=terminal");
    expect(isOff.stderr).toContain("switched off by tools.off");
    expect((await run("--tools", "fles")).stderr).toMatch(/There is no tool "fles"; there are .*read_file.*, files/u);
  } finally {
    place.remove();
  }
});

test("[E8] a long result is read on from its file without a question, and goes with its session", async () => {
  const place = new Place();
  const pathIn = (body: unknown): string => /in the file \W+(\/[^"\\]+)/u.exec(JSON.stringify(body))?.[1] ?? "";
  const provider = await fakeProvider([
    callTools([{ id: "c1", name: "long", arguments: {} }]),
    ({ body }) =>
      callTools([{ id: "c2", name: "read_file", arguments: { path: pathIn(body), offset: 9_000, limit: 1 } }]),
    say("Done."),
  ]);
  try {
    mkdirSync(join(place.home, "tools"), { recursive: true });
    const lines = "Array.from({ length: 20_000 }, (_, line) => `line ${line + 1}`).join('\\n')";
    writeFileSync(join(place.home, "tools", "long.mjs"), toolFile("long", lines));
    place.configure({ mine: provider });
    const result = resultOf(await place.run(undefined, ["-p", "go", "--output", "json"]));
    const path = pathIn(provider.requests[1]?.body);
    expect(JSON.stringify(provider.requests[2]?.body)).toContain("9000|line 9000");
    assert.ok(path.startsWith(join(place.home, "results", result.sessionId ?? "")), path);
    assert.ok(existsSync(path));
    assert.equal((await place.run(undefined, ["session", "rm", result.sessionId ?? "", "--yes"])).code, 0);
    assert.deepEqual(readdirSync(join(place.home, "results")), []);
  } finally {
    await provider.close();
    place.remove();
  }
});

test("[E8] the largest results of a reply go to files until the rest fits; order stays, and what read_file shows is never moved", async () => {
  const place = new Place();
  const sizes = [
    ["long", { size: 60_000 }],
    ["long", { size: 90_000 }],
    ["read_file", { path: "big.txt", limit: 2_000 }],
    ["long", { size: 300 }],
    ["change", { size: 40_000 }],
  ] as const;
  const calls = sizes.map(([name, args], at) => ({ id: `c${at}`, name, arguments: args }));
  await using provider = await fakeProvider([callTools(calls), say("Done.")]);
  try {
    mkdirSync(join(place.home, "tools"), { recursive: true });
    const text = toolFile("long").replace('() => "done"', '({ size }) => "x".repeat(size)');
    writeFileSync(join(place.home, "tools", "long.mjs"), text);
    const change = text.replace('"long"', '"change"').replace('"pure"', '"effect"');
    writeFileSync(join(place.home, "tools", "change.mjs"), change);
    writeFileSync(join(place.work, "big.txt"), "y".repeat(49).concat("\n").repeat(1_500));
    place.configure({ mine: provider }, ["results: {batch: 120000}"]);
    const ended = await place.run(undefined, ["-p", "go", "--output", "json"]);
    expect(resultOf(ended).answer, ended.stderr).toBe("Done.");
    const messages = provider.requests[1]?.body.messages ?? [];
    const told = messages.filter(({ role }) => role === "tool").map(({ content }) => String(content));
    const moved = told.map((content) => content.startsWith("[This result has"));
    expect(moved).toEqual([true, true, false, false, false]);
    expect(told[1]).toContain("This result has 90000 characters");
    expect(told[2]?.length).toBeGreaterThan(75_000);
    expect(told[4]).toHaveLength(40_000);
    expect(told.join("").length).toBeLessThan(130_000);
  } finally {
    place.remove();
  }
});

test("[E1] [E10] tool run asks nobody about what a rule allows, and about the same without the rule", async () => {
  const place = new Place();
  const command = "git commit -m tea";
  const asked = callTools([{ id: "c1", name: "terminal", arguments: { command } }]);
  await using provider = await fakeProvider([asked]);
  try {
    place.configure({ mine: provider });
    const run = () => place.run(undefined, ["tool", "run", "terminal", JSON.stringify({ command })]);
    const before = await run();
    assert.equal(before.code, 2);
    expect(before.stderr).toContain("This needs your yes");
    await place.run(undefined, ["-p", "go", "--approve", "park"]);
    const list = await place.run(undefined, ["approve", "list", "--json"]);
    const [waiting] = JSON.parse(list.stdout) as readonly { readonly approvalId: string }[];
    const ruled = await place.run(undefined, ["approve", "yes", waiting?.approvalId ?? "", "--always"]);
    assert.equal(ruled.code, 0, ruled.stderr);
    const after = await run();
    // No repository is there to commit to.
    expect(after.stdout).toMatch(/^Exit code 128 /u);
    expect(after.stderr).not.toContain("needs your yes");
    const rules = await place.run(undefined, ["approve", "rules", "--json"]);
    expect(JSON.parse(rules.stdout)).toMatchObject([{ hits: 1 }]);
  } finally {
    place.remove();
  }
});
