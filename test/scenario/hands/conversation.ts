import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { callTools, say } from "../../support/wire-script.ts";
import { calling, running } from "../week/model.ts";
import { told } from "./model.ts";
import { FAR, KEY, TEST_PROGRAM, TOKEN } from "./project.ts";
import type { Workshop } from "./workshop.ts";

const QUESTION = "Allow? [";
/** Heads each question, which is drawn again with each key. */
const HEAD = "needs your approval";

const questionsIn = (seen: string): number => seen.split(HEAD).length - 1;

const V4A = `*** Begin Patch
*** Update File: README.md
@@
-Boils at 90 degrees.
+Boils at 100 degrees.
*** Update File: docs/use.md
@@
-Set it to 90 and wait.
+Set it to 100 and wait.
*** End Patch`;

const replacing = (path: string, old: string, now: string): object => ({
  mode: "replace",
  path,
  old_string: old,
  new_string: now,
});

/** Five calls of one reply. */
export async function edit(shop: Workshop): Promise<string> {
  shop.model.script(
    told(
      ["hotter"],
      callTools([
        { id: "e1", name: "patch", arguments: replacing("src/heat.mjs", "90", "100") },
        { id: "e2", name: "patch", arguments: replacing("src/cups.mjs", "2", "4") },
        { id: "e3", name: "patch", arguments: { mode: "patch", patch: V4A } },
        { id: "e4", name: "read_file", arguments: { path: "test/kettle.test.mjs" } },
        {
          id: "e5",
          name: "search_files",
          arguments: { pattern: "kettle", mode: "content", path: "docs/../server.mjs" },
        },
      ]),
    ),
    told(
      ["Changed src/heat.mjs", "Changed src/cups.mjs", "Changed README.md", "Changed docs/use.md", "boils", "serves"],
      say("Hotter now."),
    ),
  );
  await shop.send("Make it hotter.");
  shop.keep("edited", await shop.answered("Make it hotter."));
  const seen = await shop.readSince("Make it hotter.");
  assert.equal(questionsIn(seen), 0, seen);
  const texts = ["README.md", "docs/use.md", "src/heat.mjs"].map((name) => read(shop, name));
  return `${texts.filter((text) => text.includes("100")).length} of 3 texts say 100, ${read(shop, "src/cups.mjs").trim()}`;
}

/** A program that nobody knows is asked about, and learned. */
export async function test(shop: Workshop): Promise<string> {
  const passes = told(["Exit code 0", "# pass 2"], say("Both pass."));
  shop.model.script(running(TEST_PROGRAM), passes, running(TEST_PROGRAM), passes);
  await shop.send("Test it.");
  const pty = await shop.talk();
  await pty.shown(`$ ${TEST_PROGRAM}`, "Test it.");
  await pty.shown("Allow? [y/s/a/N]", "Test it.");
  pty.type("a\r");
  await shop.answered("Test it.");
  await shop.send("And again.");
  await shop.answered("And again.");
  const seen = await shop.readSince("And again.");
  const rules = await shop.print("approve", "rules");
  assert.ok(rules.includes(`/bin/${TEST_PROGRAM} … in `), rules);
  return `asked about and learned; ${questionsIn(seen)} questions at the second run`;
}

/** A delete is asked about once, with all that it is, and done with a yes. */
export async function remove(shop: Workshop): Promise<string> {
  const command = "rm -r build";
  shop.model.script(running(command), told(["Exit code 0"], say("Gone.")));
  await shop.send("Clean up.");
  const pty = await shop.talk();
  await pty.shown(QUESTION, "Clean up.");
  assert.ok(existsSync(join(shop.place.work, "build")));
  const asked = await shop.readSince("Clean up.");
  pty.type("y\r");
  shop.keep("removed", await shop.answered("Clean up."));
  const [, shown, deletes] = /\n +\$ (.+)\n[^]*\n +(Deletes .+)\n/u.exec(asked.replaceAll("\r", "")) ?? [];
  const times = questionsIn(await shop.readSince("Clean up."));
  const isThere = existsSync(join(shop.place.work, "build"));
  return `${times} question: ${shown}; ${deletes}; it is ${isThere ? "still there" : "gone"}`;
}

/** Own files are out of reach of any yes; other files outside wait for one. */
export async function outside(shop: Workshop): Promise<string> {
  const config = join(shop.place.home, "config.yaml");
  const before = readFileSync(config, "utf8");
  shop.model.script(
    calling("write_file", { path: config, content: "model: other\n", overwrite: true }),
    told(["belongs to this program itself"], calling("write_file", { path: "../stray.txt", content: "stray\n" })),
    told(["Not run"], say("Refused twice.")),
  );
  await shop.send("Write elsewhere.");
  const pty = await shop.talk();
  await pty.shown(QUESTION, "Write elsewhere.");
  pty.type("n\r");
  await shop.answered("Write elsewhere.");
  const questions = questionsIn(await shop.readSince("Write elsewhere."));
  const all = await unattended(shop, ["--approve", "all"], config, "belongs to this program itself");
  const none = await unattended(shop, [], "../stray.txt", "outside the working folder");
  assert.equal(readFileSync(config, "utf8"), before);
  assert.ok(!existsSync(join(shop.place.folder, "stray.txt")));
  return `own config: no question, no write, ${all} with --approve all; elsewhere: ${questions} question, ${none} when nobody is there`;
}

/** A run of one write beside the conversation. */
async function unattended(shop: Workshop, flags: readonly string[], path: string, why: string): Promise<string> {
  shop.model.script(
    { ...calling("write_file", { path, content: "x\n", overwrite: true }), newHead: true },
    told([why], say("refused")),
  );
  const [answer = ""] = (await shop.print("-p", "Write there.", ...flags)).split("\n");
  return answer;
}

/** What is too long to be told lies in a file, and is read on there. */
export async function long(shop: Workshop): Promise<string> {
  shop.model.script(
    running("cat long.log"),
    told(["line 1 of", "line 12000 of", "characters left out; all of it is in "], (heard) => {
      assert.ok(!heard.includes(FAR.text), "the middle is told");
      const [, path = ""] = /all of it is in (\S+) …\]/u.exec(heard) ?? [];
      shop.keep("long", path);
      return calling("read_file", { path, offset: FAR.line, limit: 1 });
    }),
    told([FAR.text], say("Read on.")),
  );
  await shop.send("What is in the log?");
  await shop.answered("What is in the log?");
  const seen = await shop.readSince("What is in the log?");
  assert.equal(questionsIn(seen), 0, seen);
  const path = shop.recall("long");
  return `line ${FAR.line} read on in a file of the session's own: ${path.startsWith(shop.place.home) && read(shop, path, "") === read(shop, "long.log")}`;
}

/** One is known by its form, the other by its value. */
export async function secret(shop: Workshop): Promise<string> {
  shop.model.script(
    running(`cat deploy.log; echo ${"be"}hold`),
    told(["‹redacted:key:", "‹redacted:known:", "behold"], say("A token is in it.")),
  );
  await shop.send("Who deployed?");
  await shop.answered("Who deployed?");
  const screen = (await shop.talk()).text;
  const sent = shop.model.requests.map(({ text }) => text);
  const places = [TOKEN, KEY].map((hidden) => ({
    model: sent.filter((text) => text.includes(hidden)).length,
    screen: screen.split(hidden).length - 1,
    store: shop.filesOfStateWith(hidden),
  }));
  return places
    .map(({ model, screen, store }) => `${model} to the model, ${screen} on the screen, ${store} in the store`)
    .join("; ");
}

const read = (shop: Workshop, name: string, folder = shop.place.work): string =>
  readFileSync(join(folder, name), "utf8");
