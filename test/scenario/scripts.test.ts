import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished, test } from "vitest";
import { fakeProvider } from "../support/fake-provider.ts";
import { callTools, say, type Step } from "../support/wire-script.ts";
import { Place, resultOf } from "./program.ts";

const GO = ["-p", "go", "--approve", "all", "--output", "json"];

const script = (code: string): Step =>
  callTools([{ id: "c", name: "execute_code", arguments: { language: "python", code } }]);

test("[E9] [E11] [E12] what a script changed, by itself and by tools, is shown and undone as its turn's", async () => {
  const place = new Place();
  onTestFinished(() => place.remove());
  writeFileSync(join(place.work, "tea.txt"), "green\n");
  const code = 'read_file("tea.txt")\npatch("tea.txt", "green", "black")\nopen("cup.txt", "w").write("one\\n")';
  await using provider = await fakeProvider([script(code), say("Done.")]);
  const result = resultOf(await place.run(provider.baseUrl, GO));
  assert.equal(result.answer, "Done.");
  assert.deepEqual(
    result.files.map(({ path, change }) => `${change} ${path.slice(place.work.length + 1)}`).toSorted(),
    ["changed tea.txt", "created cup.txt"],
  );
  const { stdout } = await place.run(undefined, ["turn", "diff", "last"]);
  assert.match(stdout, /-green\n\+black/u);
  assert.match(stdout, /\+one/u);
  assert.equal((await place.run(undefined, ["turn", "undo", "last", "--yes"])).code, 0);
  assert.equal(readFileSync(join(place.work, "tea.txt"), "utf8"), "green\n");
  assert.throws(() => readFileSync(join(place.work, "cup.txt")), /ENOENT/u);
});

test("[E9] [X6] a script that kills the program is not run again: its end is told as unknown", async () => {
  const place = new Place();
  onTestFinished(() => place.remove());
  const code = 'import os, signal\nopen("ran.log", "a").write("ran\\n")\nos.kill(os.getppid(), signal.SIGKILL)';
  await using provider = await fakeProvider([script(code), say("I see.")]);
  // What it leaves behind goes with the folder of the test.
  const died = await place.run(provider.baseUrl, GO, { env: { TMPDIR: place.folder } });
  assert.equal(died.signal, "SIGKILL", died.stderr);
  const resumed = await place.run(provider.baseUrl, [
    "session",
    "resume",
    "last",
    "--continue",
    "--approve",
    "all",
    "--output",
    "json",
  ]);
  assert.equal(resultOf(resumed).answer, "I see.", resumed.stderr);
  assert.equal(readFileSync(join(place.work, "ran.log"), "utf8"), "ran\n");
  const told = provider.requests.at(-1)?.body.messages.at(-1)?.content;
  assert.match(String(told), /whether it took effect is unknown/u);
});
