import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "vitest";
import { EndlessProvider } from "../support/endless-provider.ts";
import { folderPicture } from "../support/folder-picture.ts";
import { callTools, say } from "../support/wire-script.ts";
import { atMost } from "./at-most.ts";
import { Place, resultOf } from "./program.ts";

const CHANGES = "rm old.txt; printf x > new.txt; chmod 700 run.sh; mv sub moved; ln -s new.txt link; mkdir empty";

interface Death {
  readonly how: string;
  readonly killAt?: string;
  /** The command ends the program, as `kill -9` does. */
  readonly byCommand?: true;
}

const DEATHS: readonly Death[] = [
  { how: "does not die" },
  { how: "dies before the first change", killAt: "after-commit:segment-start" },
  { how: "dies while its command runs", byCommand: true },
  { how: "dies before the receipt is kept", killAt: "before-commit:receipt" },
  { how: "dies behind the receipt", killAt: "after-commit:receipt" },
];

for (const { how, killAt, byCommand } of DEATHS)
  test.concurrent(`[E12] [X6] a turn that ${how} is undone bit by bit, also by the built program`, async () => {
    await atMost(async () => {
      const place = new Place();
      const pidFile = join(place.folder, "pid");
      const command = byCommand === true ? `${CHANGES}; kill -9 $(cat ${pidFile})` : CHANGES;
      const call = { id: "t", name: "terminal", arguments: { command } };
      const provider = new EndlessProvider(({ body }) => {
        if (body.messages.some(({ role }) => role === "tool")) return say("done");
        writeFileSync(pidFile, String(running?.pid));
        return callTools([call]);
      });
      let running: ReturnType<Place["start"]> | undefined;
      try {
        await provider.server.listen();
        const { baseUrl } = provider.server;
        mkdirSync(join(place.work, "sub"));
        for (const name of ["old.txt", "run.sh", "sub/deep.txt"]) writeFileSync(join(place.work, name), name);
        const before = folderPicture(place.work);
        const go = ["-p", "go", "--approve", "all", "--output", "json"];
        running = place.start(baseUrl, go, killAt === undefined ? {} : { killAt });
        const ended = await running.ended;
        const dies = killAt !== undefined || byCommand === true;
        assert.equal(ended.signal, dies ? "SIGKILL" : null, ended.stderr);
        if (!dies) assert.equal(resultOf(ended).files.length, 6);
        const diff = await place.run(undefined, ["turn", "diff", "last"]);
        assert.equal(diff.code, 0, diff.stderr);
        const undo = await place.run(undefined, ["turn", "undo", "last", "--yes"]);
        assert.equal(undo.code, 0, undo.stderr);
        assert.deepEqual(folderPicture(place.work), before);
      } finally {
        await provider.close();
        place.remove();
      }
    });
  });

test.concurrent("[E12] turn diff is read by git apply: folders, links, modes, and names that would break a line", async () => {
  await atMost(async () => {
    const place = new Place();
    const odd = String.raw`$'deep/a "b"\\c\n+++ b-d\033.md'`;
    const command = `${CHANGES}; chmod 755 run.sh; mkdir -p deep; echo odd > ${odd}; rm was.txt; mkdir was.txt; echo in > was.txt/it`;
    const provider = new EndlessProvider(({ body }) =>
      body.messages.some(({ role }) => role === "tool")
        ? say("done")
        : callTools([{ id: "t", name: "terminal", arguments: { command } }]),
    );
    try {
      await provider.server.listen();
      mkdirSync(join(place.work, "sub"));
      for (const name of ["old.txt", "run.sh", "sub/deep.txt", "was.txt"]) writeFileSync(join(place.work, name), name);
      await place.run(provider.server.baseUrl, ["-p", "go", "--approve", "all"]);
      // Git has no empty folders.
      rmSync(join(place.work, "empty"), { recursive: true });
      const after = folderPicture(place.work);
      const { stdout } = await place.run(undefined, ["turn", "diff", "last"]);
      const stat = await place.run(undefined, ["turn", "diff", "last", "--stat"]);
      assert.equal(stat.stdout.trim().split("\n").length, Number(/^(\d+) files/u.exec(stat.stderr)?.[1]), stat.stdout);
      const undo = await place.run(undefined, ["turn", "undo", "last", "--yes", "--force"]);
      assert.equal(undo.code, 0, undo.stderr);
      assert.match(stdout, /^# created: empty\/ \(755\)$/mu);
      execFileSync("git", ["apply"], {
        cwd: place.work,
        input: stdout,
        stdio: "pipe",
        env: { ...process.env, GIT_DIR: "none" },
      });
      assert.deepEqual(folderPicture(place.work), after);
    } finally {
      await provider.close();
      place.remove();
    }
  });
});

test("[E12] [X6] what is made when a left turn has been taken up is nobody's work of it: undo leaves it alone", async () => {
  await atMost(async () => {
    const place = new Place();
    const pidFile = join(place.folder, "pid");
    const command = `printf x > new.txt; kill -9 $(cat ${pidFile})`;
    const provider = new EndlessProvider(({ body }) => {
      if (body.messages.some(({ role }) => role === "tool")) return say("done");
      writeFileSync(pidFile, String(running?.pid));
      return callTools([{ id: "t", name: "terminal", arguments: { command } }]);
    });
    let running: ReturnType<Place["start"]> | undefined;
    try {
      await provider.server.listen();
      const { baseUrl } = provider.server;
      running = place.start(baseUrl, ["-p", "go", "--approve", "all"]);
      assert.equal((await running.ended).signal, "SIGKILL");
      const resumed = await place.run(baseUrl, ["session", "resume", "last", "--continue", "--approve", "all"]);
      assert.equal(resumed.code, 0, resumed.stderr);
      writeFileSync(join(place.work, "later.txt"), "mine");
      const undo = await place.run(undefined, ["turn", "undo", "last", "--yes"]);
      assert.equal(undo.code, 0, undo.stderr);
      assert.deepEqual(readdirSync(place.work), ["later.txt"]);
    } finally {
      await provider.close();
      place.remove();
    }
  });
});
