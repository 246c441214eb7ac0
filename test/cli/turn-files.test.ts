import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { builtInTools } from "../../src/tools/built-in.ts";
import { fakeProvider } from "../support/fake-provider.ts";
import { ProgramWorld } from "../support/program.ts";
import { callTools, say, type ScriptedCall, type Step } from "../support/wire-script.ts";

const write = (id: string, path: string, content: string): ScriptedCall => ({
  id,
  name: "write_file",
  arguments: { path, content },
});
const shell = (id: string, command: string): ScriptedCall => ({ id, name: "terminal", arguments: { command } });

interface Scene {
  readonly world: ProgramWorld;
  /** The working folder. */
  readonly work: string;
  readonly path: (name: string) => string;
  readonly text: (name: string) => string;
  readonly asked: () => readonly string[];
}

/** A working folder with `a.txt` and `old.txt`, and a model that follows a script. */
async function scene(steps: readonly Step[], play: (scene: Scene) => Promise<void>): Promise<void> {
  const work = realpathSync(mkdtempSync(join(tmpdir(), "evander-files-")));
  const path = (name: string): string => join(work, name);
  writeFileSync(path("a.txt"), "one\ntwo\n");
  writeFileSync(path("old.txt"), "old\n");
  try {
    await using provider = await fakeProvider(steps);
    const tools = builtInTools({ cwd: work, home: join(work, "..", "nobody"), env: { PATH: process.env["PATH"] } });
    await using world = await ProgramWorld.onServer(provider.baseUrl, tools);
    const asked = (): string[] => provider.requests.map(({ body }) => JSON.stringify(body));
    await play({ world, work, path, text: (name) => readFileSync(path(name), "utf8"), asked });
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

const ALL = ["--approve", "all"] as const;

/** A file is written by whoever has read it. */
const READ = callTools([{ id: "r", name: "read_file", arguments: { path: "a.txt" } }]);

const CHANGING = [
  READ,
  callTools([write("w", "a.txt", "one\n2\n"), write("n", "new/b.txt", "new\n")]),
  callTools([shell("t", "rm old.txt && mkdir empty && printf x > c.txt && chmod 600 c.txt")]),
  say("Done."),
];

test("[E12][E11] what a turn changed is told with its result, shown as a diff, and taken back", () =>
  scene([...CHANGING, say("I see.")], async ({ world, work, path, text, asked }) => {
    const result = await world.ask("do it", "--cwd", work, ...ALL);
    expect(result.files).toEqual([
      { path: path("a.txt"), change: "changed" },
      { path: path("c.txt"), change: "created" },
      { path: path("new/b.txt"), change: "created" },
      { path: path("old.txt"), change: "deleted" },
    ]);
    expect(result.shown).toBe("Done.");
    const diff = await world.run(["turn", "diff", "last"]);
    expect(diff.stdout).toContain("-two\n+2\n");
    expect(diff.stdout).toContain("deleted file mode 100644\n");
    expect(diff.stdout).toContain("new file mode 100600\n");
    const stat = await world.run(["turn", "diff", "--stat"]);
    expect(stat.stdout).toContain(`changed  ${path("a.txt")}  +1 −1\n`);
    const listed = JSON.parse((await world.run(["turn", "diff", "--json"])).stdout) as { files: object[] };
    expect(listed.files).toHaveLength(6);

    expect(await world.run(["turn", "undo"])).toMatchObject({ code: 2 });
    const dry = await world.run(["turn", "undo", "--dry-run"]);
    expect(dry.stdout).toContain(`deleted  ${path("c.txt")}\n`);
    expect(text("a.txt")).toBe("one\n2\n");
    const undone = await world.run(["turn", "undo", "last", "--yes"]);
    expect(undone.code).toBe(0);
    expect([text("a.txt"), text("old.txt"), readdirSync(work)]).toEqual(["one\ntwo\n", "old\n", ["a.txt", "old.txt"]]);
    expect((await world.run(["turn", "undo", "--yes"])).stderr).toContain("There is nothing to undo");

    // The model is told once, with the next message of the session.
    await world.ask("and now?", "--cwd", work, "--resume", "last");
    expect(asked().at(-1)).toContain("The user has undone what an earlier turn did to these files");
    expect(asked().at(-1)).toContain("c.txt");

    const [, undoId = ""] = /evander turn undo (undo-\w+)/u.exec(undone.stderr) ?? [];
    await world.run(["turn", "undo", undoId, "--yes"]);
    expect([text("a.txt"), text("new/b.txt"), text("c.txt")]).toEqual(["one\n2\n", "new\n", "x"]);
  }));

test("[E12] git applies the diff backwards to what the turn left", () =>
  scene(CHANGING, async ({ world, work, text }) => {
    await world.ask("do it", "--cwd", work, ...ALL);
    const { stdout } = await world.run(["turn", "diff"]);
    // The paths are absolute, because the command was run elsewhere; git knows no folders.
    const parts = stdout.replaceAll(`${work.slice(1)}/`, "").split(/(?=^diff --git )/mu);
    const files = parts.filter((part) => !part.includes(" mode 04")).join("");
    execFileSync("git", ["apply", "-R", "-"], { cwd: work, input: files, stdio: "pipe" });
    expect([text("a.txt"), text("old.txt")]).toEqual(["one\ntwo\n", "old\n"]);
  }));

test("[E12] what a person has changed since is named and left, unless it is to go too", () =>
  scene([READ, callTools([write("w", "a.txt", "by the turn")]), say("Done.")], async ({ world, work, path, text }) => {
    await world.ask("do it", "--cwd", work);
    writeFileSync(path("a.txt"), "by a person");
    const refused = await world.run(["turn", "undo", "--yes"]);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain(`left as it is: ${path("a.txt")} (changed by somebody else since`);
    expect(text("a.txt")).toBe("by a person");
    expect((await world.run(["turn", "undo", "--yes", "--force"])).code).toBe(0);
    expect(text("a.txt")).toBe("one\ntwo\n");
  }));

test("[E11] a write that failed and was not made good is told beside the answer, which stays the model's own", () =>
  scene(
    [
      callTools([write("w", "a.txt/below", "x"), write("v", "b.txt/", "x")]),
      callTools([write("u", "b.txt", "x")]),
      say("All is written."),
    ],
    async ({ world, work }) => {
      const result = await world.ask("do it", "--cwd", work);
      expect(result.answer).toBe("All is written.");
      expect(result.shown).toMatch(
        /^All is written\.\n\n⚠ Not written: 1 file was to be changed, and it failed\.\n- `a\.txt\/below`: .+$/u,
      );
      const told = await world.run(["turn", "explain", "last"]);
      expect(told.stdout).toContain("1 file changed");
    },
  ));

test("[E11] a terminal that fails has its changes on its receipt all the same", () =>
  scene([callTools([shell("t", "printf x > c.txt; exit 3")]), say("It failed.")], async ({ world, work, path }) => {
    const result = await world.ask("do it", "--cwd", work, ...ALL);
    expect(result.files).toEqual([{ path: path("c.txt"), change: "created" }]);
  }));

test("[G13] what is kept of files goes with its session; a run that keeps nothing keeps no file", () =>
  scene([...CHANGING, callTools([write("w", "a.txt", "x")]), say("Done.")], async ({ world, work }) => {
    await world.ask("do it", "--cwd", work, ...ALL);
    const folder = join(world.folder, "state", "checkpoints");
    expect(readdirSync(folder)).toContain("checkpoints.db");
    const { stdout } = await world.run(["turn", "diff", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ kept: true });
    await world.ask("again", "--cwd", work, "--no-save");
    expect((await world.run(["turn", "diff", "--json"])).stdout).toBe(stdout);
  }));
