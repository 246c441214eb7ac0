import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ProgramWorld } from "../support/program.ts";

const OWN = `
export default {
  name: "greet", description: "Greets somebody. Politely.", toolset: "mine",
  parameters: { type: "object", properties: { name: { type: "string" }, times: { type: "integer" },
    also: { type: "array", items: { type: "string" } } }, required: ["name"] },
  effect: "effect", concurrency: "exclusive",
  ask: ({ name }) => (name === "Eve" ? "Eve is asked about\\u001b[2J." : undefined),
  run: ({ name, ...more }) => {
    if (name === "nobody") throw new Error("there is nobody");
    return name === "bad" ? JSON.stringify({ error: "no" }) : "Hello " + name + " " + JSON.stringify(more);
  },
};
`;

async function openWorld(): Promise<ProgramWorld> {
  const world = await ProgramWorld.open({ type: "practice" });
  await mkdir(join(world.folder, "state", "tools"), { recursive: true });
  await writeFile(join(world.folder, "state", "tools", "greet.mjs"), OWN);
  return world;
}

interface Listed {
  readonly tools: readonly Record<string, unknown>[];
  readonly troubles: readonly string[];
}

test("[E1] [X8] tool list says of each tool its set, its effect, where it comes from, and why it is not offered", async () => {
  await using world = await openWorld();
  await writeFile(join(world.folder, "state", "tools", "bad.mjs"), "export const x = 1;\n");
  const { code, stdout } = await world.run(["tool", "list", "--json", "--config", "tools.off=terminal"]);
  expect(code).toBe(0);
  const { tools, troubles } = JSON.parse(stdout) as Listed;
  const row = (name: string): unknown => tools.find((tool) => tool["name"] === name);
  expect(row("read_file")).toMatchObject({
    toolset: "files",
    effect: "pure",
    concurrency: "paths",
    offered: true,
    why: null,
    source: "built-in",
  });
  expect(row("terminal")).toMatchObject({ toolset: "terminal", offered: false, why: "switched off by tools.off" });
  const source = join(world.folder, "state", "tools", "greet.mjs");
  expect(row("greet")).toMatchObject({ toolset: "mine", effect: "effect", offered: true, source });
  expect(troubles).toEqual([expect.stringMatching(/bad\.mjs is not used: it exports neither tools nor a default\.$/u)]);
  const text = await world.run(["tool", "list", "--config", "tools.off=terminal"]);
  expect(text.stdout).toMatch(/^files\n {2}read_file {2}\(changes nothing\) {2}Read a text file\./mu);
  expect(text.stdout).toMatch(
    /^mine\n {2}greet {2}\(changes things\) {2}Greets somebody\..*\n {4}from .*greet\.mjs$/mu,
  );
  expect(text.stderr).toContain("bad.mjs is not used");
  expect((await world.run(["tool", "list", "--lang", "zh"])).stdout).toContain("(不做更改)");
});

test("[E1] [X8] tool show tells all of one tool; one that does not exist is refused with where to look", async () => {
  await using world = await openWorld();
  const { stdout } = await world.run(["tool", "show", "greet"]);
  expect(stdout).toMatch(
    /^greet\nset: mine\neffect: effect \(changes things\)\nbeside others: exclusive\nsource: \/.*/u,
  );
  expect(stdout).toContain('"required": [');
  const json = JSON.parse((await world.run(["tool", "show", "greet", "--json"])).stdout) as Record<string, unknown>;
  expect(json).toMatchObject({ name: "greet", parameters: { type: "object", required: ["name"] } });
  const none = await world.run(["tool", "show", "gret"]);
  expect(none).toMatchObject({ code: 2, stdout: "" });
  expect(none.stderr).toMatch(/There is no tool "gret" here\.[^]*tool list/u);
});

test("[E1] [X8] tool run runs one tool with what it is given in any way; its result is stdout, its failure the exit code", async () => {
  await using world = await openWorld();
  const run = (...args: readonly string[]) => world.run(["tool", "run", ...args]);
  expect(await run("greet", "--arg", "name=Ann", "--arg", "times=2", "--arg", "also=a", "--arg", "also=b")).toEqual({
    code: 0,
    stdout: 'Hello Ann {"times":2,"also":["a","b"]}\n',
    stderr: "",
  });
  expect((await run("greet", '{"name":"Bo"}')).stdout).toBe("Hello Bo {}\n");
  expect((await world.run(["tool", "run", "greet", "-"], '{"name":"Cy"}')).stdout).toBe("Hello Cy {}\n");
  const json = await run("greet", "--arg", "name=bad", "--json");
  expect(json.code).toBe(31);
  expect(JSON.parse(json.stdout)).toEqual({ text: '{"error":"no"}', failed: true, images: [] });
  expect(await run("greet", "--arg", "name=nobody")).toEqual({ code: 31, stdout: "", stderr: "there is nobody\n" });
  const wrong = await run("greet");
  expect(wrong).toMatchObject({ code: 2, stdout: "" });
  expect(wrong.stderr).toMatch(/the argument "name" is missing[^]*tool show greet/u);
  for (const args of [["{"], ["[1]"], ['{"name":"x"}', "--arg", "name=y"], ["--arg", "name"]])
    expect((await run("greet", ...args)).code).toBe(2);
  await writeFile(join(world.folder, "a.txt"), "one\ntwo\n");
  expect((await run("read_file", "--arg", "path=a.txt")).stdout).toContain("2|two");
  const off = await run("greet", "--arg", "name=x", "--config", "tools.off=mine");
  expect(off.stderr).toContain("The tool greet cannot be offered: switched off by tools.off.");
});

test("[E1] [E10] what needs a person asks at a terminal; unattended it is not run, unless it was said in advance", async () => {
  await using world = await openWorld();
  const args = ["tool", "run", "greet", "--arg", "name=Eve"];
  const unattended = await world.run(args);
  expect(unattended).toMatchObject({ code: 2, stdout: "" });
  expect(unattended.stderr).toContain(String.raw`This needs your yes: Eve is asked about\u{1b}[2J.`);
  expect(unattended.stderr).toContain("add --yes to run it");
  expect(await world.run([...args, "--yes"])).toMatchObject({ code: 0, stdout: "Hello Eve {}\n" });
  for (const [answer, code] of [
    ["y", 0],
    ["n", 130],
  ] as const) {
    const seat = world.sit(args);
    await world.shown("Run it? [y/N]");
    seat.type(`${answer}\r`);
    const ended = await seat.ended;
    expect(ended.code).toBe(code);
    expect(`${ended.stdout}${ended.stderr}`.includes("Hello Eve")).toBe(code === 0);
  }
  // The program's own state stays out of reach for a person's call as well.
  const own = await world.run([
    "tool",
    "run",
    "write_file",
    "--arg",
    "path=state/config.yaml",
    "--arg",
    "content=x",
    "-y",
  ]);
  expect([2, 31]).toContain(own.code);
  await expect(readFile(join(world.folder, "state", "config.yaml"))).rejects.toThrow("ENOENT");
});

test("[E1] [E11] what a tool run changes is said with the command that takes it back, and that command does", async () => {
  await using world = await openWorld();
  const file = join(world.folder, "a.txt");
  await writeFile(file, "one\n");
  const wrote = await world.run([
    "tool",
    "run",
    "write_file",
    '{"path":"a.txt","content":"two\\n","overwrite":true}',
    "-y",
  ]);
  expect(wrote).toMatchObject({ code: 0 });
  const id = /1 file changed \(.*turn undo (tool-\S+)\)/u.exec(wrote.stderr)?.[1] ?? wrote.stderr;
  expect((await world.run(["turn", "diff", id])).stdout).toContain("-one\n+two\n");
  expect(await world.run(["turn", "undo", id, "--yes"])).toMatchObject({ code: 0 });
  expect(await readFile(file, "utf8")).toBe("one\n");
  const below = join(world.folder, "below");
  await mkdir(below);
  await writeFile(join(below, "c.txt"), "three\n");
  const command = '{"command":"echo 3 >b.txt; rm c.txt; false"}';
  const failed = await world.run(["tool", "run", "terminal", command, "-y", "--cwd", below]);
  expect(failed.stderr).toMatch(/2 files changed \(.*turn undo tool-/u);
  // What is above the home folder is never kept.
  const unkept = await world.run(["tool", "run", "terminal", '{"command":"echo 3 >b.txt"}', "-y"]);
  expect(unkept.stderr).toContain("No snapshot: ");
  expect((await world.run(["tool", "run", "read_file", "--arg", "path=b.txt"])).stderr).toBe("");
});
