import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
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
