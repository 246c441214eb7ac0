import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { callTools, say } from "../../support/wire-script.ts";
import { running } from "../week/model.ts";
import { told } from "./model.ts";
import type { Workshop } from "./workshop.ts";

const CHANGES = "rm -r docs; chmod 755 run.sh; ln -s src lib; mkdir empty; mv server.mjs src; git commit -qam more";
const PATCH = { mode: "replace", path: "README.md", old_string: "Boils at 100", new_string: "Whistles at 100" };

/** One turn that changes all that can be changed of a folder; its undo, and the undo of that. */
export async function undo(shop: Workshop): Promise<string> {
  shop.photograph("before");
  shop.model.script(
    callTools([
      { id: "u1", name: "patch", arguments: PATCH },
      { id: "u2", name: "terminal", arguments: { command: CHANGES } },
    ]),
    told(["Changed README.md", "Exit code 0"], say("Much is new.")),
  );
  await shop.run("-p", "Change much.", "--resume", "last", "--approve", "all");
  shop.photograph("after");
  const changed = shop.differsFrom("before");
  const diff = await shop.print("turn", "diff", "last");
  for (const line of ["-Boils at 100 degrees.", "+Whistles at 100 degrees.", "new mode 100755"])
    assert.ok(diff.includes(`\n${line}\n`), diff);
  const { stderr } = await shop.run("turn", "undo", "last", "--yes");
  const undone = shop.differsFrom("before");
  const [, undoId = ""] = /evander turn undo (undo-\S+)/u.exec(stderr) ?? [];
  await shop.run("turn", "undo", undoId, "--yes");
  const redone = shop.differsFrom("after");
  await shop.run("turn", "undo", "last", "--yes");
  assert.ok(changed > 7, String(changed));
  return `undone ${undone} paths differ, undo undone ${redone}, undone again ${shop.differsFrom("before")}`;
}

/** The process dies while its command has done half of it. */
export async function death(shop: Workshop): Promise<string> {
  const pidFile = join(shop.place.folder, "pid");
  const command = `rm -r src; printf x > README.md; chmod 700 run.sh; kill -9 $(cat ${pidFile})`;
  shop.model.script(() => {
    writeFileSync(pidFile, String(started.pid));
    return running(command);
  });
  const started = shop.start(["-p", "Break off.", "--resume", "last", "--approve", "all"]);
  const { signal, stderr } = await started.ended;
  assert.equal(signal, "SIGKILL", stderr);
  assert.ok(shop.differsFrom("before") > 3);
  const diff = await shop.run("turn", "diff", "last");
  assert.match(diff.stdout, /\n\+x\n/u);
  await shop.run("turn", "undo", "last", "--yes");
  return `${diff.stderr.trim()} ${shop.differsFrom("before")} paths differ`;
}

/** The turns of the conversation, from the last to the first. */
export async function whole(shop: Workshop): Promise<string> {
  for (const name of ["removed", "edited"]) await shop.run("turn", "undo", shop.recall(name), "--yes");
  const health = (await shop.print("doctor")).trim().split("\n").at(-1);
  return `${shop.differsFrom("at first")} paths differ from the beginning; doctor: ${health}`;
}
